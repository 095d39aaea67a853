cp "$models/legacy_axis.onnx" model.onnx; ln -s model.onnx link.onnx; ln model.onnx name.onnx; cp model.onnx old.onnx
for out in model.onnx ./model.onnx link.onnx name.onnx; do "$check" --quiet model.onnx -o $out; echo $?; done
"$check" --quiet link.onnx -o link.onnx; echo $?
cmp model.onnx old.onnx && "$check" --quiet model.onnx -o model.onnx --force && ! cmp -s model.onnx old.onnx && "$check" --quiet model.onnx && cmp name.onnx old.onnx && ls
