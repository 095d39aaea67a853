"$check" "$models/attention.onnx"
