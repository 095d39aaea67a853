cp "$models/legacy_axis.onnx" model.onnx; "$check" --quiet model.onnx -o model.onnx && "$check" --quiet model.onnx && ls
