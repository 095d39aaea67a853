cp "$models/slope.onnx" slope.onnx; "$check" --quiet --fix slope.onnx -o fixed.onnx; echo "status $?"; "$check" fixed.onnx
