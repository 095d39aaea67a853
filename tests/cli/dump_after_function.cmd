"$check" --quiet "$models/accidental.onnx" --dump-after lower_function --emit function
