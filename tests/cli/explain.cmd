"$check" --explain OB0101
