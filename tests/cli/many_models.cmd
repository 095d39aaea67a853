cd "$models" && $check --jobs 3 --color never digits.onnx wrong.onnx absent.onnx slope.onnx
