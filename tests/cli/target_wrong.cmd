cat >m.onnxtxt <<'M'
<ir_version: 8, opset_import: ["" : 17]>
g (float[1,8,8,3] x, float[1,8,8,1] mask) => (float[1,8,8,3] y) { y = Mul(x, mask) }
M
"$check" --quiet --target hls4ml-parallel m.onnxtxt
