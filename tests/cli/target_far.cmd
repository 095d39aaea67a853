"$check" --target abacus "$models/slope.onnx"
