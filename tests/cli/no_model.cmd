"$check"
