cat >m.onnxtxt <<'M'
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3,4] x, float[2,3,1] mask) => (float[2,3,4] y) { y = Mul(x, mask) }
M
"$check" --quiet --target hls4ml-parallel -o fitted.onnxtxt --emit target:hls4ml-parallel m.onnxtxt
echo $?
"$check" -o fitted.onnxtxt --emit target:hls4ml-parallel m.onnxtxt
