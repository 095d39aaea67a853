"$check" "$models/legacy_axis.onnx" -o - --format json
