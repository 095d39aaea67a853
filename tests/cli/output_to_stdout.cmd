"$check" "$models/legacy_axis.onnx" -o - > out.onnx && "$check" --quiet out.onnx && "$check" --quiet "$models/legacy_axis.onnx" -o file.onnx && cmp out.onnx file.onnx
