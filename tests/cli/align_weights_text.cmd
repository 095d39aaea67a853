"$check" "$models/legacy_axis.onnx" -o out.onnxtxt --align-weights
