"$run" "$models/digits.onnx" --random --numerics fast
