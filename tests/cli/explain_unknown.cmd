$check --explain OB9999
