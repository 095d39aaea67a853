"$check" --quiet "$models/scale_bias_nchw.onnx" -o out.onnxtxt --emit expand && cat out.onnxtxt
