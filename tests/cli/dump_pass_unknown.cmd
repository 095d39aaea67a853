"$check" "$models/digits.onnx" --dump-after spellcheck
