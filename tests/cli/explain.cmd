"$check" --explain oB0101
