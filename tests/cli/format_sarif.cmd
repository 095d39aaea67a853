cd "$models" && $check --format sarif accidental.onnx | grep -v "^{.id"
