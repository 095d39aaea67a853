# 25 blocks of 20 nodes, of which one adds a bias of the wrong length. The report fits on one screen of 24 lines and 200 columns.
{
    echo '<ir_version: 8, opset_import: ["" : 17]>'
    echo 'g (float[batch,T,64] x0, float[64,64] w, float[64] b, float[63] c, float e, float two) => (float[?,?,?] x25) {'
    for i in $(seq 0 24); do
        bias=b; [ $i = 11 ] && bias=c
        cat <<END
  [block_${i}_q] q$i = MatMul (x$i, w)
  [block_${i}_q_bias] qb$i = Add (q$i, b)
  [block_${i}_k] k$i = MatMul (x$i, w)
  [block_${i}_k_bias] kb$i = Add (k$i, $bias)
  [block_${i}_v] v$i = MatMul (x$i, w)
  [block_${i}_v_bias] vb$i = Add (v$i, b)
  [block_${i}_kt] kt$i = Transpose <perm = [0, 2, 1]> (kb$i)
  [block_${i}_scores] s$i = MatMul (qb$i, kt$i)
  [block_${i}_scale] sc$i = Mul (s$i, e)
  [block_${i}_softmax] p$i = Softmax <axis = -1> (sc$i)
  [block_${i}_mix] m$i = MatMul (p$i, vb$i)
  [block_${i}_residual] r$i = Add (m$i, x$i)
  [block_${i}_mean] a$i = ReduceMean <axes = [-1], keepdims = 1> (r$i)
  [block_${i}_centre] d$i = Sub (r$i, a$i)
  [block_${i}_square] f$i = Pow (d$i, two)
  [block_${i}_variance] g$i = ReduceMean <axes = [-1], keepdims = 1> (f$i)
  [block_${i}_epsilon] h$i = Add (g$i, e)
  [block_${i}_sqrt] j$i = Sqrt (h$i)
  [block_${i}_norm] n$i = Div (d$i, j$i)
  [block_${i}_gamma] x$((i + 1)) = Mul (n$i, b)
END
    done
    echo '}'
} >transformer.onnxtxt
"$check" transformer.onnxtxt >out.txt
status=$?
cat out.txt
awk '{ if (length($0) > 200) { print "too wide: " $0 } } END { if (NR > 24) { print "too long: " NR " lines" } }' out.txt
"$check" --list transformer.onnxtxt | grep -c '^  25 x'
exit $status
