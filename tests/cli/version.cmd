"$check" --version
