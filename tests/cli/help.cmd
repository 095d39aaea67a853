"$check" --help
