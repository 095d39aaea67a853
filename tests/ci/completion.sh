#!/usr/bin/env bash
# usage: completion.sh COMMANDS_FOLDER COMPLETIONS_FOLDER
# The completion of both commands in the shells that are installed: all options of --help are offered, and every word that is
# offered for a value is accepted by the command.
set -uo pipefail
commands=$(cd "$1" && pwd) made=$(cd "$2" && pwd)
export PATH=$commands:$PATH LC_ALL=C.UTF-8
failed=0 tried=0
must() { # NAME COMMAND...
    tried=$((tried + 1))
    "${@:2}" && return 0
    echo "failed: $1"
    failed=$((failed + 1))
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
touch "a model.onnx" other.txt
mkdir folder

# bash_offers WORD...: the words that bash offers for the last one.
bash_offers() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    "_${1//-/_}"
    printf '%s\n' "${COMPREPLY[@]}"
}
fish_offers() { fish -c "source $made/fish/$1.fish; complete -C '$*'" 2>&1 | cut -f1; }

options_of() { "$1" --help | grep -oE '^  (-[a-z], )?--[a-z-]+|, --[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u; }
accepts() { "$1" "$2" "$3" --help >/dev/null 2>&1; }
contains() { grep -qxF -- "$2" <<<"$1"; }

for command in onnx-broadcast-check onnx-broadcast-run; do
    # shellcheck disable=SC1090
    must "$command: bash reads it" source "$made/bash/$command"
    must "$command: bash: options" diff <(options_of "$command") <(bash_offers "$command" -- | sort -u)
    must "$command: bash: models" contains "$(bash_offers "$command" '')" "a model.onnx"
    must "$command: bash: no other files" eval '! contains "$(bash_offers "$command" "")" other.txt'
    must "$command: bash: files" contains "$(bash_offers "$command" --op-library '')" other.txt
done
for option in --rules --emit --color --format; do
    words=$(bash_offers onnx-broadcast-check "$option" '')
    must "$option: words" test "$(wc -l <<<"$words")" -ge 3
    for word in $words; do must "$option $word" accepts onnx-broadcast-check "$option" "$word"; done
done
for word in $(bash_offers onnx-broadcast-run --numerics ''); do
    must "--numerics $word" accepts onnx-broadcast-run --numerics "$word"
done
must "bash: ids" contains "$(bash_offers onnx-broadcast-check --explain OB01)" OB0101
must "bash: ids of --fix" contains "$(bash_offers onnx-broadcast-check --fix = OB04)" OB0401
must "bash: --fix without =" contains "$(bash_offers onnx-broadcast-check --fix --di)" --diff
first=$(onnx-broadcast-check --list-passes | head -1 | cut -d' ' -f1)
must "bash: passes" contains "$(bash_offers onnx-broadcast-check --dump-after '')" "$first"
must "bash: targets" contains "$(bash_offers onnx-broadcast-check --target tos)" tosa-8k

if command -v fish >/dev/null; then
    export HOME=$work XDG_CONFIG_HOME=$work XDG_DATA_HOME=$work
    for command in onnx-broadcast-check onnx-broadcast-run; do
        offered=$(fish_offers "$command" -- | grep -oE -- '^--[a-z-]+' | sort -u)
        must "$command: fish: options" diff <(options_of "$command") <(echo "$offered")
    done
    must "fish: words" contains "$(fish_offers onnx-broadcast-check --rules son)" sonnx
    must "fish: ids" contains "$(fish_offers onnx-broadcast-check --explain OB01)" OB0101
else
    echo "skipped: fish is not installed"
fi

if command -v zsh >/dev/null; then
    cat >"$work/complete.zsh" <<'END'
# complete.zsh FOLDER TEXT: prints what an interactive zsh makes of TEXT and a tab.
zmodload zsh/zpty
zpty shell "PS1= PROMPT= zsh -f -i"
zpty -w shell "unsetopt prompt_cr prompt_sp zle_bracketed_paste; PROMPT=; fpath=($1 \$fpath)"
zpty -w shell "autoload -U compinit; compinit -u -D"
zpty -w shell "zstyle ':completion:*' list-prompt ''; LISTMAX=0; bindkey '^I' complete-word; stty cols 200; print READY"
while zpty -r shell line; do [[ $line == READY* ]] && break; done
zpty -w -n shell "$2"$'\t'
sleep 1
zpty -w -n shell $'\x01: \x05\n'
zpty -w shell "print DONE"
while zpty -r shell line; do print -r -- "$line"; [[ $line == DONE* ]] && break; done
zpty -d shell
END
    zsh_makes() {
        timeout 20 zsh -f "$work/complete.zsh" "$made/zsh" "$1" 2>/dev/null | tr -d '\r' | sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g'
    }
    must "zsh: an option" grep -q -- '--rules=' <<<"$(zsh_makes 'onnx-broadcast-check --rul')"
    must "zsh: a word" grep -q -- 'sonnx' <<<"$(zsh_makes 'onnx-broadcast-check --rules=son')"
    must "zsh: an option of the other command" grep -q -- '--check-independent' <<<"$(zsh_makes 'onnx-broadcast-run --check-i')"
else
    echo "skipped: zsh is not installed"
fi
echo "$tried tried, $failed failed"
[ "$failed" -eq 0 ]
