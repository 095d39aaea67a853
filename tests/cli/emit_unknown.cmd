"$check" "$models/digits.onnx" -o out.onnx --emit tensorrt
