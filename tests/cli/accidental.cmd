"$check" --quiet "$models/accidental.onnx"
