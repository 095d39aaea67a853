# Names are quoted where they are no plain names, words of the notation among them, and everywhere in the same way.
cat > names.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 17]>
g (float["a b", 4] x, float["or", 4] y, float["floor"] z, float[M] w) => (o, p, q) {
   o = Add (x, y)
   p = Add (z, w)
   v = Concat <axis = 0> (z, z)
   q = Add (v, w)
}
END
$check names.onnxtxt
echo
$check --quiet --assume '"or" = "a b" and "floor" = M' names.onnxtxt
$check --quiet --dim or=3 --dim 'a b=3' --dim floor=2 --dim M=2 names.onnxtxt
$check --format json names.onnxtxt | grep -o '"\(holds\|symbols\)":[^]}]*'
