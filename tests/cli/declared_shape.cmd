printf "%s\n" "<ir_version: 8, opset_import: [\"\" : 17]>" "g (float[2,3] x, float[3] b) => (float[2,4] y) {" "  [add] y = Add (x, b)" "}" > bad.onnxtxt; "$check" --quiet bad.onnxtxt
