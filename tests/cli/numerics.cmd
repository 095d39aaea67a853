for kind in exact relaxed; do "$run" "$models/digits.onnx" --random --dim batch=3 --numerics $kind --quiet --output-dir $kind || exit; done
diff -r exact relaxed && echo "small products: the same bits"
"$run" "$models/digits.onnx" --random --dim batch=3 --numerics relaxed --verbose 2>&1 >/dev/null | grep -c 'session: relaxed numerics: '
"$run" "$models/digits.onnx" --random --dim batch=3 --verbose 2>&1 >/dev/null | grep -c 'relaxed'
