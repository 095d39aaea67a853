"$check" "$models/digits.onnx" --emit expand
