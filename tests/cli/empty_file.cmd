: > empty.onnx; "$check" empty.onnx
