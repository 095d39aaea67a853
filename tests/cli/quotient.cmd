# A size that is a quotient of two others: what the contract says, and what is left of it for given sizes.
cat > model.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 17]>
g (float[N,M] x, float[K] y, float[H] z) => (a, b) {
  s = Shape (x)
  zero = Constant <value = int64 {0}> ()
  one = Constant <value = int64 {1}> ()
  axis = Constant <value = int64[1] {0}> ()
  n = Gather (s, zero)
  m = Gather (s, one)
  [ratio] q = Div (n, m)
  [rest] r = Mod (n, m)
  qs = Unsqueeze (q, axis)
  rs = Unsqueeze (r, axis)
  [rows] a = Reshape <allowzero = 1> (y, qs)
  [left] b = Reshape <allowzero = 1> (z, rs)
}
END
"$check" --quiet model.onnxtxt | grep -v "^ *[0-9^]"
"$check" model.onnxtxt | grep -A20 contract: | sed '/warning/,$d'
for given in "--dim M=4" "--dim N=11 --dim M=4" "--dim M=0" "--dim N=12"; do
    echo "given $given"
    "$check" $given model.onnxtxt | grep -A20 contract: | sed '/warning/,$d; /note/,$d'
done
echo assumed
"$check" --assume "floor(N/M) = 2" --assume "N % M = 0" --assume "M >= 3" model.onnxtxt | grep -A20 contract: | sed '/warning/,$d; /note/,$d'
"$check" --quiet --emit-guard guard.c model.onnxtxt > stdout && grep -A10 "obg_quotient(obg" guard.c | head -14
