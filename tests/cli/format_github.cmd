cd "$models" && $check --format github wrong.onnx accidental.onnx
