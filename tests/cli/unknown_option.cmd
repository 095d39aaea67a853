"$check" --frobnicate "$models/wrong.onnx"
