#!/usr/bin/env bash
# usage: make.sh COMMAND SHELL    SHELL: bash, zsh or fish
# Writes the completion of a command for a shell, from its --help. The name of a value there decides what completes it.
set -euo pipefail
command=$1 shell=$2 name=$(basename "$1")

# Words for a value; "@COMMAND": the first words of the lines that `NAME COMMAND` prints; "files", "folders"; nothing else.
values_of() {
    case $1 in
    BOOK) echo onnx numpy array-api mlir xla sonnx ;;
    FORM) echo broadcast function expand implicit ;;
    FORMAT) echo "$formats" ;;
    WHEN) echo auto always never ;;
    KIND) echo exact relaxed ;;
    ID | 'ID[,ID]' | 'ID[,ID][:PATTERN]' | 'all|ID,...') echo @--list-findings ;;
    'NAME[,NAME]') echo @--list-targets ;;
    PASS) echo @--list-passes ;;
    all) echo all ;;
    FILE | FILE.c | OUT | '[NAME=]FILE') echo files ;;
    DIR) echo folders ;;
    esac
}

help=$("$command" --help)
separator=$'\x1f' # read joins tabs
formats="$(echo "text json sarif github markdown html" | tr ' ' '\n' | while read -r word; do
    if "$command" --format "$word" --version >/dev/null 2>&1; then echo "$word"; fi
done | tr '\n' ' ')"

# A line for each option: name, other name, value, whether the value is optional, the first line of the text.
options() {
    awk '
        /^  -/ {
            line = substr($0, 3); other = ""; value = ""; optional = 0; text = ""
            if (match(line, /^-[a-z], /)) { other = substr(line, 1, 2); line = substr(line, 5) }
            if (match(line, /  +/)) { text = substr(line, RSTART + RLENGTH); line = substr(line, 1, RSTART - 1) }
            n = split(line, entries, ", ")
            for (i = 1; i <= n; i++) {
                entry = entries[i]; value = ""; optional = 0
                if (match(entry, /^--[a-z-]+\[=/)) {
                    optional = 1; value = substr(entry, RSTART + RLENGTH); sub(/\].*/, "", value); sub(/\[=.*/, "", entry)
                } else if (match(entry, / /)) { value = substr(entry, RSTART + 1); sub(/ .*/, "", entry) }
                if (entry ~ /^-/) printf "%s\037%s\037%s\037%s\037%s\n", entry, i == 1 ? other : "", value, optional, text
            }
        }' <<<"$help"
}

bash_completion() {
    local function=_${name//-/_}
    cat <<END
# bash completion of $name
$function() {
    local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
    [ "\$cur" = = ] && cur=
    [ "\$prev" = = ] && prev=\${COMP_WORDS[COMP_CWORD-2]}
    COMPREPLY=()
    case \$prev in
END
    options | while IFS=$separator read -r option other value optional _; do
        [ -n "$value" ] || continue
        words=$(values_of "$value")
        [ "$optional" = 0 ] && pattern=$option${other:+ | $other} || pattern=$option
        case $words in
        files) action='mapfile -t COMPREPLY < <(compgen -f -- "$cur")' ;;
        folders) action='mapfile -t COMPREPLY < <(compgen -d -- "$cur")' ;;
        @*) action="mapfile -t COMPREPLY < <(compgen -W \"\$($name ${words#@} 2>/dev/null | cut -d' ' -f1)\" -- \"\$cur\")" ;;
        '') action=: ;;
        *) action="mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"\$cur\")" ;;
        esac
        if [ "$optional" = 1 ]; then # only after "="
            printf '    %s)\n' "$pattern"
            printf '        if [ "${COMP_WORDS[COMP_CWORD-1]}" = = ] || [ "${COMP_WORDS[COMP_CWORD]}" = = ]; then\n'
            printf '            %s\n            return\n        fi\n        ;;\n' "$action"
        else
            printf '    %s) %s; return ;;\n' "$pattern" "$action"
        fi
    done
    cat <<END
    esac
    case \$cur in
    -*) mapfile -t COMPREPLY < <(compgen -W "$(options | cut -d"$separator" -f1 | tr '\n' ' ')" -- "\$cur") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -X '!*.@(onnx|onnxtxt|textproto|json|pb)' -- "\$cur"; compgen -d -S / -- "\$cur") ;;
    esac
}
shopt -s extglob
complete -o filenames -F $function $name
END
}

zsh_completion() {
    printf '#compdef %s\n_arguments -s \\\n' "$name"
    options | while IFS=$separator read -r option other value optional text; do
        words=$([ -z "$value" ] || values_of "$value")
        case $words in
        files) action=_files ;;
        folders) action='_files -/' ;;
        @*) action="_values -s , id \$($name ${words#@} 2>/dev/null | cut -d\" \" -f1)" ;;
        '') action=' ' ;;
        *) action="(${words% })" ;;
        esac
        text=$(sed -e "s/'/ /g" -e 's/[]:[]//g' <<<"$text")
        argument=
        [ -z "$value" ] || argument=":value:$action"
        join=
        [ -z "$value" ] || join='='
        if [ "$optional" = 1 ]; then join='=-' argument="::value:$action"; fi
        for one in $option $other; do
            [[ $one == --* ]] || join=
            printf "    '*%s%s[%s]%s' \\\\\n" "$one" "$join" "$text" "$argument"
        done
    done
    printf "    '*:model:_files -g \"*.(onnx|onnxtxt|textproto|json|pb)(-.)\"'\n"
}

fish_completion() {
    printf '# fish completion of %s\n' "$name"
    options | while IFS=$separator read -r option other value optional text; do
        words=$([ -z "$value" ] || values_of "$value")
        line="complete -c $name -l ${option#--}${other:+ -s ${other#-}}"
        if [ -n "$value" ] && [ "$optional" = 0 ]; then line+=" -r"; fi
        case $words in
        files | folders) ;;
        @*) line+=" -f -a \"($name ${words#@} 2>/dev/null | string split -f1 ' ')\"" ;;
        '') [ -z "$value" ] || line+=" -f" ;;
        *) line+=" -f -a '${words% }'" ;;
        esac
        printf "%s -d '%s'\n" "$line" "$(sed -e "s/[\\\\']/ /g" <<<"$text")"
    done
}

case $shell in
bash | zsh | fish) "${shell}_completion" ;;
*) echo "make.sh: no completion for $shell" >&2 && exit 2 ;;
esac
