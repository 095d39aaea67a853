cp "$models/legacy_axis.onnx" model.onnx; printf 'something else' > other.bin; ln -s other.bin link.onnx; ln -s nowhere dangling.onnx
"$check" --quiet model.onnx -o link.onnx && [ ! -L link.onnx ] && "$check" --quiet link.onnx && cat other.bin && echo
"$check" --quiet model.onnx -o dangling.onnx && [ ! -L dangling.onnx ] && "$check" --quiet dangling.onnx; ls
