# --ignore with a pattern, and the metadata of a node, are counted; the file itself cannot hide an error.
"$check" --quiet --ignore 'OB0401:diff*' "$models/accidental.onnx"; "$check" --quiet --ignore 'OB0401,OB02:*/attention/*' "$models/accidental.onnx" | head -1
"$check" --format json --ignore 'OB04:*' "$models/accidental.onnx" | grep -o '"findings_suppressed":[0-9]*'
cat >meant.textproto <<'END'
ir_version: 8
opset_import { version: 17 }
graph {
  name: "g"
  node { name: "outer" op_type: "Sub" input: "x" input: "w" output: "s" metadata_props { key: "onnx_broadcast.ignore" value: "OB04" } }
  node { name: "wrong" op_type: "Add" input: "a" input: "b" output: "t" metadata_props { key: "onnx_broadcast.ignore" value: "all" } }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_param: "N" } dim { dim_value: 1 } } } } }
  input { name: "w" type { tensor_type { elem_type: 1 shape { dim { dim_param: "N" } } } } }
  input { name: "a" type { tensor_type { elem_type: 1 shape { dim { dim_value: 3 } } } } }
  input { name: "b" type { tensor_type { elem_type: 1 shape { dim { dim_value: 4 } } } } }
  output { name: "s" type { tensor_type { elem_type: 1 } } }
  output { name: "t" type { tensor_type { elem_type: 1 } } }
}
END
"$check" --quiet meant.textproto; echo "exit $?"
"$check" --ignore 'OB0401:' "$models/accidental.onnx"; "$check" --ignore 'OB99:*' "$models/accidental.onnx"
