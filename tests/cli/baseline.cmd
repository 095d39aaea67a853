# Accepted findings are left out and counted; new ones are reported; entries that do not occur are told. Models are named by their
# path from the baseline, whatever the folder of the command is.
mkdir -p a b/c
model() { printf '<ir_version: 8, opset_import: ["" : 17]>\ng (float[N,1] x, float[N] y, float[3] p, float[4] q) => (float[?,?] s, float[?] t) {\n%s}\n' "$1"; }
model '[outer] s = Sub (x, y) [wrong] t = Add (p, q)' >a/one.onnxtxt
model '[outer] s = Sub (x, y) [right] t = Add (p, p)' >b/c/two.onnxtxt
"$check" --quiet --write-baseline b/known.json a/one.onnxtxt b/c/two.onnxtxt | grep -v '^ '; echo "exit $?"
cat b/known.json
cp b/known.json first.json; "$check" --quiet --write-baseline b/known.json b/c/two.onnxtxt a/one.onnxtxt >other.txt; cmp first.json b/known.json && echo "the same bytes"
"$check" --quiet --baseline b/known.json a/one.onnxtxt b/c/two.onnxtxt; echo "exit $?"
(cd b/c && "$check" --quiet --baseline ../known.json two.onnxtxt ../../a/one.onnxtxt); (cd a && "$check" --quiet --baseline "$PWD/../b/known.json" one.onnxtxt)
"$check" --quiet --ignore 'OB01:*' --baseline b/known.json a/one.onnxtxt
model '[new] u = Mul (y, x) [outer] s = Sub (x, y) [right] t = Add (p, p)' >a/one.onnxtxt
"$check" --quiet --baseline b/known.json a/one.onnxtxt | grep -v '^ '
"$check" --format json --baseline b/known.json a/one.onnxtxt | grep -o '"findings_in_baseline":[0-9]*'
echo '{"onnx_broadcast_baseline":1,"models":[1]}' >bad.json
"$check" --baseline bad.json a/one.onnxtxt; echo "exit $?"
"$check" --baseline missing.json a/one.onnxtxt; echo "exit $?"
"$check" --baseline b/known.json --write-baseline new.json a/one.onnxtxt; echo "exit $?"
"$check" --quiet --write-baseline new.json a/one.onnxtxt missing.onnx >other.txt; echo "exit $?"; ls new.json
"$check" --write-baseline a/one.onnxtxt a/one.onnxtxt; echo "exit $?"
"$check" --quiet --write-baseline nowhere/new.json a/one.onnxtxt >other.txt; echo "exit $?"
