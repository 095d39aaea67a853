"$check" --list-findings
