"$check" --assume "length >=" "$examples/symbolic_sizes/positions.onnxtxt"
