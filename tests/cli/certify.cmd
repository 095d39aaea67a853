$check -q -o explicit.onnx --emit expand "$models/attention.onnx"
$check --certify cert.json --dim batch=2 "$models/attention.onnx" explicit.onnx
sed -n '/^"proved"/,/^"inner"/p' cert.json
$check --verify-certificate cert.json --dim batch=2 "$models/attention.onnx" explicit.onnx
sed '/^"inner"/s/[0-9]/7/' cert.json >altered.json; $check --verify-certificate altered.json --dim batch=2 "$models/attention.onnx" explicit.onnx 2>&1 | cut -c1-80
$check --verify-certificate cert.json "$models/attention.onnx" explicit.onnx 2>&1 | cut -c1-80
$check --certify cert.json "$models/attention.onnx" "$models/digits.onnx"
echo "exit status $?"
$check --certify cert.json "$models/attention.onnx"
$check --certify explicit.onnx "$models/attention.onnx" explicit.onnx
$check --verify-certificate absent.json explicit.onnx explicit.onnx
