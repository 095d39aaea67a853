"$check" "$models/wrong.onnx"
