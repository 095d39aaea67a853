"$check" --quiet "$models/legacy_axis.onnx" missing.onnx "$models/wrong.onnx" "$models/accidental.onnx"
