# What is given and what the file declares are listed, and what follows from them is not asked again.
"$check" --assume "length >= 2" --assume "1 <= batch <= 8" --assume="gates = 1" "$examples/symbolic_sizes/positions.onnxtxt"
"$check" --format json --assume "length >= 2" --assume "1 <= batch <= 8" "$examples/symbolic_sizes/positions.onnxtxt" | grep -A3 '"assumptions"'
