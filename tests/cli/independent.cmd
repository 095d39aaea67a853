# Whether elements of a batch affect each other: proved; refuted with the path; unknown with the node that mixes; by runs.
printf '%s\n' '<ir_version: 8, opset_import: ["" : 17]>' 'g (float[batch, T, 4] x) => (z)' \
    '<int64[2] rows = {-1, 4}, float[4, 2] w = {1, 2, 3, 4, 5, 6, 7, 8}> {' \
    's = Shape<start=0, end=2>(x)  two = Constant<value_ints=[2]>()  t = Concat<axis=0>(s, two)' \
    'f = Reshape(x, rows)  p = MatMul(f, w)  z = Reshape(p, t) }' >joined.onnxtxt
printf '%s\n' '<ir_version: 8, opset_import: ["" : 17]>' 'g (float[batch, 8] x) => (z)' \
    '{ m = ReduceMean<axes=[0]>(x)  z = Sub(x, m) }' >centred.onnxtxt
printf '%s\n' '<ir_version: 8, opset_import: ["" : 17]>' 'g (float[batch, 2] x) => (z)' '<float[4, 2] pe = {1, 2, 3, 4, 5, 6, 7, 8}> {' \
    's = Shape(x)  zero = Constant<value_ints=[0]>()  b = Gather(s, zero)  t = Slice(pe, zero, b)  z = Add(x, t) }' >sliced.onnxtxt
for model in joined centred sliced; do
    "$check" -q --independent - $model.onnxtxt | sed -n '/independence/,$p'
    echo "status ${PIPESTATUS[0]}"
    "$run" --check-independent batch $model.onnxtxt
    echo "status $?"
done
"$check" -q --independent T --independent batch joined.onnxtxt | sed -n '/independence/,$p'
"$run" --check-independent T joined.onnxtxt
"$check" --format json --independent batch centred.onnxtxt | grep -A3 '"independence"'
"$check" -q --independent none centred.onnxtxt
echo "status $?"
