"$check" "$models/attention.onnx" > /dev/full
