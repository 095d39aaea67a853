"$check" --quiet --target tosa-8k,hls4ml-parallel --input-shape x=2x3x4x4 "$models/scale_bias_nchw.onnx"
