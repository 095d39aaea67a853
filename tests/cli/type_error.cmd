# A type that does not fit is no matter of sizes.
cat > types.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 17]>
g (float[batch,4] x, int64[4] k) => (y) {
   y = Add (x, k)
}
END
$check types.onnxtxt
