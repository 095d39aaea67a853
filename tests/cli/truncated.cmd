head -c 700 "$models/attention.onnx" > cut.onnx; "$check" cut.onnx
