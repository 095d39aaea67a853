"$check" --target "$(printf "a%.0s" $(seq 3000))" "$models/slope.onnx" 2>&1 | wc -c
