"$check" --format json --assume "length >= 1" --assume "height % 32 = 0" "$examples/symbolic_sizes/positions.onnxtxt"
