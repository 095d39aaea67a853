"$check" .
