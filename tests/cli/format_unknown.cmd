$check --format xml "$models/digits.onnx"
