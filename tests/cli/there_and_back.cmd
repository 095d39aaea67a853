"$check" --quiet "$models/attention.onnx" -o explicit.onnx &&
"$check" --quiet explicit.onnx -o back.onnx --emit implicit &&
"$check" --quiet "$models/attention.onnx" -o same.onnx --emit implicit &&
cmp back.onnx same.onnx
