"$check" "$models/attention.onnx" --list=all
