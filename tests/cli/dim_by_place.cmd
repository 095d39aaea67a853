# A size without a name is given by place, as if it had one; what cannot be given says why. Both commands.
echo '<ir_version: 8, opset_import: ["" : 17]> g (float[N, ?, 3] x, float[?] y, float[] s) => (z) { a = Add (x, s) b = Squeeze (a) z = Mul (x, y) }' >model.onnxtxt
"$check" --quiet --dim "x[1]=4" --dim "y[0]=3" model.onnxtxt
"$check" --quiet --dim "x[1]=4" --input-shape y=5 model.onnxtxt | head -n 2
"$check" --quiet --dim "y[0]=3" --input-shape y=3 model.onnxtxt
for dim in "y[0]=3 --input-shape y=5" "x[0]=3" "x[2]=3" "x[3]=1" "s[0]=1" "x[]=1" "q[0]=1" "x[1]=-1"; do
    for command in "$check" "$run"; do
        [ "$command" = "$run" ] && [[ $dim == *shape* ]] && continue
        # shellcheck disable=SC2086
        "$command" --dim $dim model.onnxtxt 2>&1 | head -n 1
    done
done
echo '<ir_version: 8, opset_import: ["" : 17]> g (float[N, ?] x, float[?] y) => (z) { z = Mul (x, y) }' >small.onnxtxt
"$run" --random --dim N=2 --dim "x[1]=4" --dim "y[0]=1" small.onnxtxt | head -n 1
"$run" --random --dim N=2 --dim "y[0]=3" small.onnxtxt | head -n 1
"$run" --random --dim N=2 --dim "x[1]=4" --dim "y[0]=3" small.onnxtxt
