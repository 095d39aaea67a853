"$check" --quiet --verbose "$models/legacy_axis.onnx" 2>&1 >/dev/null | sed 's/[0-9]* us$/N us/'
