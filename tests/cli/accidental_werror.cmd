"$check" --quiet --werror "$models/accidental.onnx" -o out.onnx; status=$?
[ ! -e out.onnx ] || echo "out.onnx was written"
exit $status
