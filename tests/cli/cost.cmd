cd "$models"
$check -q --cost --dim batch=2 --dim length=8 attention.onnx
$check -q --cost attention.onnx | head -4
