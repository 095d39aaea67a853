# One mistake, 200 times: one entry; each for itself on request.
{
    echo '<ir_version: 8, opset_import: ["" : 17]>'
    echo 'g (float[3] x, float[4] y) => (float[?] z0) {'
    for i in $(seq 0 199); do echo "  [add_$i] z$i = Add (x, y)"; done
    echo '}'
} >same.onnxtxt
"$check" same.onnxtxt; "$check" --list=all same.onnxtxt | grep -c 'OB0101'; "$check" --format json same.onnxtxt | grep -c '"id":"OB0101"'
