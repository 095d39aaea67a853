"$check" -o out.onnx --emit target:tosa "$models/slope.onnx"; "$check" -o out.onnx --emit target: "$models/slope.onnx"; "$check" --emit target:tosa-8k "$models/slope.onnx"
