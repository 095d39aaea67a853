"$check" --quiet --rules mlir "$models/accidental.onnx"
