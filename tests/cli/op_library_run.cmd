"$run" --random --op-library "$libraries/edge_operators.so" "$examples/custom_operator/front_end.onnxtxt" --dim batch=2 --dim samples=6
