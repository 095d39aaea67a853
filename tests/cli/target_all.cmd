"$check" --quiet --targets all "$models/attention.onnx"
