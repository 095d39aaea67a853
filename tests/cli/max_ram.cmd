sizes="--dim batch=2 --dim length=64"
$check -q $sizes --max-ram 1K --emit expand -o out.onnx "$models/attention.onnx"
echo "exit status $?"
$check -q --max-ram 1G --emit expand -o out.onnx "$models/attention.onnx"
echo "exit status $?"
$check $sizes --max-ram 300K --emit expand -o out.onnx "$models/attention.onnx" 2>&1 | grep -v contract
$check -q --cost $sizes out.onnx | grep cost:
$check --max-ram 1M "$models/attention.onnx"
