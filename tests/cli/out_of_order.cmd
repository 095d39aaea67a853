printf "%s\n" "<ir_version: 8, opset_import: [\"\" : 17]>" "g (float[2] x) => (float[2] y) {" "  [late] y = Neg (t)" "  [early] t = Abs (x)" "}" > bad.onnxtxt; "$check" bad.onnxtxt
