"$check" --quiet --dim N=1 "$models/accidental.onnx"
