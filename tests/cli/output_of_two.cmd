"$check" "$models/wrong.onnx" "$models/digits.onnx" -o out.onnx
