"$check" "$models/legacy_axis.onnx"
