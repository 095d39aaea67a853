"$check" --target tosa8k "$models/slope.onnx"
