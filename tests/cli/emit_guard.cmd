"$check" --quiet "$models/attention.onnx" --emit-guard folder-less.c >/dev/null && grep -E '^int|^const|^ \*   ' folder-less.c
"$check" --quiet "$models/wrong.onnx" --emit-guard wrong.c >/dev/null; echo "status $?"; ls
cp "$models/attention.onnx" model.onnx
"$check" model.onnx --emit-guard model.onnx; echo "status $?"
"$check" model.onnx model.onnx --emit-guard guard.c; echo "status $?"
"$check" --quiet model.onnx --emit-guard absent/guard.c >/dev/null
