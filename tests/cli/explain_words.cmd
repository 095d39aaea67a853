$check --explain prelu; $check --explain mask; $check --explain "no such word"
