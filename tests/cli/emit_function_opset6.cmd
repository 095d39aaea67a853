"$check" --quiet "$models/legacy_axis.onnx" -o out.onnx --emit function; status=$?
[ ! -e out.onnx ] || echo "out.onnx was written"
exit $status
