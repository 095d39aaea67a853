"$check" "$models/legacy_axis.onnx" --list=all
