"$check" --quiet --rules xla "$models/scale_bias_nchw.onnx" "$models/attention.onnx"
