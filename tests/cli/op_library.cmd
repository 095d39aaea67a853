"$check" --list=all --op-library "$libraries/edge_operators.so" "$examples/custom_operator/front_end.onnxtxt"
