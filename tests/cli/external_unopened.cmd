# The checker opens the model and nothing else: of the file with the weights it does not even see that it is a pipe, which nobody
# writes. A run does, and refuses it.
cat >model.textproto <<'MODEL'
ir_version: 8
opset_import { domain: "" version: 17 }
graph {
  name: "g"
  node { op_type: "Add" name: "add" input: "x" input: "w" output: "y" }
  initializer {
    dims: 2 data_type: 1 name: "w" data_location: EXTERNAL
    external_data { key: "location" value: "weights.bin" }
  }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_param: "N" } dim { dim_value: 2 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 } } }
}
MODEL
mkfifo weights.bin
timeout 60 "$check" model.textproto -o explicit.onnx
timeout 60 "$run" model.textproto --random
