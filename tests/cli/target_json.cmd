cat >m.onnxtxt <<'M'
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x, float[3] b) => (float[2,3] y) { y = Add(x, b) }
M
"$check" --format json --target tosa-8k m.onnxtxt | grep -oE '"(target|targets)":(\[\{[^]]*\]|\{[^}]*\})'
