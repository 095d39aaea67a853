"$check" --dim M=1 "$models/accidental.onnx"
