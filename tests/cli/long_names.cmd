# What tells long names apart stands at their end.
name=$(printf 'a%.0s' $(seq 1200))
printf '%s\n' '<ir_version: 8, opset_import: ["" : 17]>' 'g (float[2,3] x, float[3] b) => (float[2,4] y) {' "  [${name}_17] odd = Add (x, b)" \
    "  [${name}_18] y = Concat <axis = 0> (odd, b)" '}' >model.onnxtxt
"$check" --format json model.onnxtxt | grep -o '"node":"[^"]*"' | sort -u | sed -E 's/a{400,}/<a>/g'
