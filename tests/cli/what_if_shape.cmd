"$check" --quiet --input-shape prediction=3x1 --input-shape target=3 "$models/accidental.onnx" && "$check" --quiet --input-shape=target=?x7 "$models/accidental.onnx"
