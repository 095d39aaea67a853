"$check" "$models/accidental.onnx" --dump-after propagate
