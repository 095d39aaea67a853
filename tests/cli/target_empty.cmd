"$check" --target tosa-8k,,litert "$models/slope.onnx"
