echo "hello, this is not a model" > hello.onnx; "$check" hello.onnx
