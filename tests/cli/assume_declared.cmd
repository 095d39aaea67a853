# What the file declares where nothing else is known, after what is given; four when nobody asked for more.
{
    echo '<ir_version: 8, opset_import: ["" : 17, "k" : 1]>'
    echo 'g (float[?, 4] x) => (z5) <float[N, 4] u1, float[N, 4] u2, float[N, 4] u3, float[N, 4] u4, float[N, 4] u5> {'
    for i in 1 2 3 4 5; do echo "  u$i = k.Odd (x) z$i = Add (u$i, x)"; done
    echo '}'
} >model.onnxtxt
"$check" --assume "x[0] >= 1" model.onnxtxt | grep -E 'assum'; "$check" --list model.onnxtxt | grep -E 'assum'
