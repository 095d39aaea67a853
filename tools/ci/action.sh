#!/usr/bin/env bash
# usage: action.sh install | check
# The steps of action.yml. Inputs come as OB_... variables, so that no text of them becomes part of a command.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

fail() {
    printf '::error title=onnx-broadcast::%s\n' "$1"
    exit 2
}

# An installed command is used; otherwise this source is built, with the packages of the system.
install() {
    if command -v onnx-broadcast-check >/dev/null; then return 0; fi
    cd "$top"
    ./dev setup
    cmake --preset release --log-level=WARNING -DOB_BUILD_TESTS=OFF -DOB_BUILD_BENCH=OFF
    cmake --build --preset release --target onnx-broadcast-check
    echo "$top/build" >>"$GITHUB_PATH"
}

# Lines of a text, without empty ones.
lines() { printf '%s\n' "$1" | tr -d '\r' | grep -v '^[[:space:]]*$' || true; }

# Files that match the patterns, each once, in the order of the patterns. The shell expands patterns only.
find_models() {
    local pattern file
    shopt -s globstar nullglob
    local -A known=()
    models=()
    while IFS= read -r pattern; do
        local IFS= # names with spaces stay whole
        # shellcheck disable=SC2206
        local found=($pattern)
        for file in "${found[@]}"; do
            if [ ! -f "$file" ] || [ -n "${known[$file]-}" ]; then continue; fi
            known[$file]=1
            [[ $file == -* ]] && file=./$file
            models+=("$file")
        done
    done < <(lines "$OB_MODELS")
}

check() {
    local status=0 command=onnx-broadcast-check
    find_models
    [ ${#models[@]} -gt 0 ] || fail "no file matches the input 'models'"
    mapfile -t options < <(lines "$OB_OPTIONS")
    if [ -n "$OB_SARIF" ]; then
        "$command" "${options[@]}" --format sarif -- "${models[@]}" >"$OB_SARIF" || status=$?
    fi
    if [ "$OB_SUMMARY" = true ]; then
        "$command" "${options[@]}" --format markdown -- "${models[@]}" >>"$GITHUB_STEP_SUMMARY" || status=$?
    fi
    if [ "$OB_ANNOTATIONS" = true ]; then
        "$command" "${options[@]}" --format github -- "${models[@]}" || status=$?
    fi
    if [ "$OB_ANNOTATIONS" != true ] || [ "$OB_SUMMARY$OB_SARIF" = false ]; then
        "$command" "${options[@]}" --quiet --color always -- "${models[@]}" >&2 || status=$?
    fi
    printf 'models=%d\nstatus=%d\n' "${#models[@]}" "$status" >>"$GITHUB_OUTPUT"
    return "$status"
}

case ${1-} in
install | check) "$1" ;;
*) fail "usage: action.sh install | check" ;;
esac
