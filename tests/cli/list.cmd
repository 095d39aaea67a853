"$check" --list "$models/attention.onnx"; "$check" --list=some "$models/attention.onnx"
