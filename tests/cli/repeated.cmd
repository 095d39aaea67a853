# Two blocks with two states each: that the batch of the states must be 1 is said once. --list=all says it four times.
cat >blocks.onnxtxt <<'END'
<ir_version: 8, opset_import: ["" : 17]>
voice (float[5,1,3] x, float[1,8,3] w, float[1,8,2] r, float[?,2] hidden_1, float[?,2] hidden_2, float[?,2] hidden_3, float[?,2] hidden_4) => (float[?,?,?,?] y) {
   zero = Constant <value = int64[1] {0}> ()
   i1 = Unsqueeze (hidden_1, zero)
   i2 = Unsqueeze (hidden_2, zero)
   i3 = Unsqueeze (hidden_3, zero)
   i4 = Unsqueeze (hidden_4, zero)
   [block_1_lstm] y1, o1, c1 = LSTM <hidden_size = 2> (x, w, r, "", "", i1, i2)
   [block_2_lstm] y2, o2, c2 = LSTM <hidden_size = 2> (x, w, r, "", "", i3, i4)
   y = Add (y1, y2)
}
END
"$check" blocks.onnxtxt; "$check" --list=all blocks.onnxtxt | grep -c 'requires\|from node'
