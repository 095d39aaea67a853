"$check" --quiet "$models/legacy_axis.onnx" -o nowhere/out.onnx
