# An output that has the name of an input's size and another size is told, and refused where declarations are strict.
cat > name.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 17]>
g (float[batch,4] x, float[8,4] k) => (float[batch,4] y, float[batch,4] z, float[rows,4] u) {
   y = Identity (k)
   z = Neg (x)
   u = Abs (k)
}
END
$check name.onnxtxt
$run --strict name.onnxtxt --dim batch=8 --random
$run --strict name.onnxtxt --dim batch=3 --random
