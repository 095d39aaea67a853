"$check" --quiet - < "$models/legacy_axis.onnx"
