printf '<ir_version: 8, opset_import: ["" : 17]>\ng (float[N] x, float[M] w) => (float[?] y) { y = Add (x, w) }\n' >old.onnxtxt
printf '<ir_version: 8, opset_import: ["" : 17]>\ng (float[4] x, float[M] w) => (float[?] y) { y = Add (x, w) }\n' >new.onnxtxt
$check --compare --format json old.onnxtxt new.onnxtxt
echo "exit status $?"
$check --compare old.onnxtxt new.onnxtxt
$check --compare old.onnxtxt
$check --compare old.onnxtxt absent.onnx
