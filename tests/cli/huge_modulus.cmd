# Residues of a modulus beyond 2^30 are solved, not counted: four of them at once.
cat >huge.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 17]>
g (float[N] x, float[M] y) => (a, b, c, d) {
    t = Constant <value = int64[2] {-1, 2000000000}> ()
    p = Concat <axis = 0> (x, y)
    q = Concat <axis = 0> (x, x, y)
    r = Concat <axis = 0> (x, y, y)
    s = Concat <axis = 0> (x, x, x, y)
    a = Reshape (p, t)
    b = Reshape (q, t)
    c = Reshape (r, t)
    d = Reshape (s, t)
}
END
"$check" huge.onnxtxt
"$check" huge.onnxtxt --assume "N % 2000000000 = 1999999999"
