"$check" --select OB10 "$models/wrong.onnx"; "$check" --ignore "OB01," "$models/wrong.onnx"; "$check" --severity OB01=bad "$models/wrong.onnx"
"$check" --severity OB01 "$models/wrong.onnx"
