"$check" --rules fortran "$models/accidental.onnx"
