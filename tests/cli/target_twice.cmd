"$check" --target tosa-8k --target litert,tosa-8k "$models/slope.onnx"
