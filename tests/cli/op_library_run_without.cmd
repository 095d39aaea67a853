"$run" "$examples/custom_operator/front_end.onnxtxt"
