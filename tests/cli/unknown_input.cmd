"$check" --input-shape nope=1 "$models/accidental.onnx"
