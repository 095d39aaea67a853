cd "$models" && $check --format markdown wrong.onnx attention.onnx
