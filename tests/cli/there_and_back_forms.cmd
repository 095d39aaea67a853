for form in broadcast function expand; do
"$check" --quiet "$models/attention.onnx" -o $form.onnx --emit $form && "$check" --quiet $form.onnx -o back.onnx --emit implicit &&
"$check" --quiet "$models/attention.onnx" --dump-after implicit --emit implicit 2>/dev/null > plain.txt
"$check" --quiet back.onnx --dump-after implicit --emit implicit 2>/dev/null | diff plain.txt - | head -20; done
