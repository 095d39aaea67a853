"$check" "$models/wrong.onnx" --rules
