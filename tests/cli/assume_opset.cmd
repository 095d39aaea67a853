# A model of a release that is newer than this one: the checker says what it did not look at, the executor refuses. Both read it
# as an older one when they are told to, and say so when that cannot be.
echo '<ir_version: 99, opset_import: ["" : 99, "ai.onnx.ml" : 5]> g (float[N] x) => (y) { y = Neg (x) }' >new.onnxtxt
tell() { "$@"; echo "exit $?"; } 2>&1
tell "$check" new.onnxtxt
tell "$run" new.onnxtxt --random --quiet
tell "$check" new.onnxtxt --assume-opset 28
tell "$run" new.onnxtxt --random --quiet --assume-opset ai.onnx=28
tell "$check" new.onnxtxt --assume-opset 99
tell "$run" new.onnxtxt --random --assume-opset com.example=3
tell "$check" new.onnxtxt --assume-opset twelve
