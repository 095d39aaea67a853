printf "%s\n" "<ir_version: 8, opset_import: [\"\" : 17]>" "g (float[2] x) => (float[2] y) {" "  y = Neg (x)" "  y = Abs (x)" "}" > bad.onnxtxt; "$check" bad.onnxtxt
