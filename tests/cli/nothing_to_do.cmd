"$check" --quiet "$models/digits.onnx" -o out.onnx --emit implicit && "$check" --quiet out.onnx -o again.onnx --emit implicit && cmp out.onnx again.onnx
