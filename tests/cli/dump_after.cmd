"$check" --quiet "$models/legacy_axis.onnx" --dump-after insert_broadcast
