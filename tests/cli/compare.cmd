cd "$models" && $check --compare attention.onnx digits.onnx --list && echo compatible
cd "$OLDPWD"; $check -q -o a.onnx --emit expand "$models/attention.onnx"
$check --compare "$models/attention.onnx" a.onnx && echo compatible
