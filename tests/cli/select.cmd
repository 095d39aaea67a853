for options in "--select OB0101" "--select ob0102,OB0101" "--select OB02" "--select OB01 --ignore OB0102" "--severity OB01=warning" \
    "--severity OB01=warning --werror" "--ignore OB01 --severity OB0101=note" "--severity OB0101=note --ignore ob01"; do
    "$check" --quiet $options "$models/wrong.onnx" >out.txt
    echo "$options: exit $?, $(grep -c 'OB0' out.txt) findings, $(sed -n '1s/.*; \(.*error.*note[s]*\).*/\1/p' out.txt)"
done
"$check" --ignore OB01 "$models/wrong.onnx" -o never.onnx; echo "written: exit $?"; ls never.onnx
