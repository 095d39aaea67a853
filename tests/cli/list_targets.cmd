"$check" --list-targets
