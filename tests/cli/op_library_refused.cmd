model=$examples/custom_operator/front_end.onnxtxt
for library in wrong_abi missing_symbol null_library null_table bad_row null_run replaces none; do
    "$check" --op-library "$libraries/$library.so" "$model"; echo "check: $?"
    "$run" --random --op-library "$libraries/$library.so" "$model"; echo "run: $?"
done
"$check" --op-library "$libraries/edge_operators.so" --op-library "$libraries/twin.so" "$model"; echo "check: $?"
"$run" --random --op-library "$libraries/edge_operators.so" --op-library "$libraries/twin.so" "$model"; echo "run: $?"
"$check" "$model" --op-library; echo "check: $?"
"$run" "$model" --op-library; echo "run: $?"
