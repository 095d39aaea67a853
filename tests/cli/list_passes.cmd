"$check" --list-passes
