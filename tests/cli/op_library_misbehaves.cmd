model() {
    printf '<ir_version: 8, opset_import: ["" : 17, "test" : 1]>\ng (float[4] x) => (float[%s] y) {\n  [n] y = test.%s (x)\n}\n' "$2" "$1" >"$1.onnxtxt"
}
for name in NoOutput NegativeSize WrongType OneMore Silent; do
    model $name 4
    "$check" --op-library "$libraries/bad_shapes.so" $name.onnxtxt; echo "check: $?"
    "$run" --random --quiet --op-library "$libraries/bad_shapes.so" $name.onnxtxt; echo "run: $?"
done
for name in Fails Silent Status99 MakesNothing PlanRefuses; do
    model $name 4
    "$check" --op-library "$libraries/bad_runs.so" $name.onnxtxt; echo "check: $?"
    "$run" --random --op-library "$libraries/bad_runs.so" $name.onnxtxt; echo "run: $?"
done
