cat > model.onnxtxt <<'END'
<ir_version: 10, opset_import: ["": 17]>
g (int64[N,2] x, int32[N] p, float[T,3] open, int64[B] "a b", float[S,B] seq) => (y, z, w, o)
<int64 zero = {0}, int64 one = {1}, int64[2] su = {1000,8}>
{
  users = ConstantOfShape (su)
  a = Gather <axis = 1> (x, zero)
  b = Gather <axis = 1> (x, one)
  [users] y = Gather (users, a)
  [rows] z = Gather (open, b)
  i = Cast <to = 6> (one)
  [moved] q = Add (p, i)
  [positions] w = Gather (open, q)
  [reverse] o = ReverseSequence (seq, "a b")
}
END
"$check" model.onnxtxt
"$check" model.onnxtxt --format json | grep -A4 '^"values":'
"$check" model.onnxtxt --dim T=0 | sed -n 3,6p
