#!/usr/bin/env bash
# usage: examples.sh SOURCE_DIR BUILD_DIR GENERATOR C_COMPILER CXX_COMPILER [FLAG...]
# Installs the build into a separate folder and builds every example against it, as users would: through CMake (all at
# once, and one by one), with the command lines at the top of its main file (pkg-config), and with these linked statically. Each
# time it is run, and its output is compared with its expected.txt. FLAG...: for compiling and linking, such as
# -fsanitize=address.
#
# The command lines are those after " *     $ " in the first comment of main.c (main.cpp), and of the other sources those that
# build, which begin with cc or c++. The output of the others, and an exit status that is not 0, are in expected.txt.
set -u
source_dir=$1 build=$2 generator=$3 compiler=$4 cxx_compiler=$5
shift 5
flags=(-Wall -Wextra -Werror "$@")
work=$build/examples stage=$build/examples/stage
failed=0 n=0

fail() {
    printf '%s\n' "$*"
    failed=1
}
# Runs quietly; shows the output if the command fails.
quietly() {
    "$@" >"$work/log" 2>&1 || {
        cat "$work/log"
        fail "failed: $*"
        return 1
    }
}

rm -rf "$work"
mkdir -p "$work"
quietly cmake --install "$build" --prefix "$stage" || exit 1
pc_folder=$(dirname "$(find "$stage" -name onnx_broadcast.pc)")
lib_folder=$(dirname "$pc_folder")
[ -n "$pc_folder" ] && [ "$pc_folder" != . ] || {
    fail "nothing for pkg-config was installed"
    exit 1
}
# The same without the shared library: static linking then needs no special options.
cp -r "$stage" "$work/stage-static"
find "$work/stage-static" -name 'libonnx_broadcast*.so*' -delete

commands() { # of these source files
    local file
    for file in "$@"; do sed -n '/^\/\*/,/\*\//s/^ \*     \$ //p; /\*\//q' "$file" | sed 's| *\*/$||'; done
}

# run_way NAME WAY FOLDER: in FOLDER, run what the example's comment says, all but the lines that build, and compare.
run_way() {
    local line status
    while IFS= read -r line; do
        case $line in 'cc '* | 'c++ '*) continue ;; esac
        (cd "$3" && LD_LIBRARY_PATH=$lib_folder bash -c "$line") 2>>"$3/stderr"
        status=$?
        [ "$status" -eq 0 ] || echo "[exit status $status]"
    done < <(commands "$source_dir/examples/$1"/main.c*) >"$3/output"
    if diff -u "$source_dir/examples/$1/expected.txt" "$3/output"; then
        n=$((n + 1))
    else
        cat "$3/stderr"
        fail "$1 ($2): prints something else than its expected.txt"
    fi
}

# A copy of the example to run in, with what CMake built for it.
folder_for() { # NAME WAY [BUILT]
    mkdir -p "$work/run"
    rm -rf "$work/run/$1.$2"
    cp -r "$source_dir/examples/$1" "$work/run/$1.$2"
    [ $# -lt 3 ] || find "$3" -maxdepth 1 -type f \( -perm -u+x -o -name '*.so' \) -exec cp {} "$work/run/$1.$2/" \;
    echo "$work/run/$1.$2"
}

configure() { # SOURCE BUILD
    quietly cmake -S "$1" -B "$2" -G "$generator" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$stage" \
        -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF \
        -DCMAKE_C_COMPILER="$compiler" -DCMAKE_CXX_COMPILER="$cxx_compiler" \
        -DCMAKE_C_FLAGS="${flags[*]}" -DCMAKE_CXX_FLAGS="${flags[*]}"
}

# Nothing but the installed package was used.
check_origin() { # NAME BUILD
    grep -q "^onnx_broadcast_DIR:.*=$stage/" "$2/CMakeCache.txt" ||
        fail "$1: onnx_broadcast was not found in the installed package"
    local folder
    while IFS= read -r folder; do
        case $folder in
        "$stage"/include | "$source_dir"/examples/* | "$2"*) ;;
        *) fail "$1: is compiled with headers from $folder" ;;
        esac
    done < <(grep -ohE -- '(-I|-isystem )[^ "]+' "$2/compile_commands.json" | sed -E 's/^(-I|-isystem )//' |
        xargs -r realpath -m | sort -u)
    grep -q -- "$stage/include" "$2/compile_commands.json" || fail "$1: the installed headers are not used"
}

cd "$source_dir/examples" || exit 1
examples=(*/main.c*)
examples=("${examples[@]%/*}")
[ -e "${examples[0]}" ] || fail "no examples"

# All at once, and their own tests.
if configure "$source_dir/examples" "$work/all" && quietly cmake --build "$work/all" --parallel 2; then
    check_origin examples "$work/all"
    quietly ctest --test-dir "$work/all" --output-on-failure
    for name in "${examples[@]}"; do run_way "$name" cmake "$(folder_for "$name" cmake "$work/all/$name")"; done
fi

cc() { command "$compiler" "${flags[@]}" "$@"; }
c++() { command "$cxx_compiler" "${flags[@]}" "$@"; }
# by_hand NAME WAY STAGE [pkg-config option]: the command lines that build, then those that run.
by_hand() {
    local name=$1 folder line
    folder=$(folder_for "$1" "$2")
    pkg-config() { PKG_CONFIG_PATH=$pc command pkg-config ${option:+"$option"} "$@"; }
    local pc=${pc_folder/#"$stage"/"$3"} option=${4:-}
    while IFS= read -r line; do
        case $line in 'cc '* | 'c++ '*) ;; *) continue ;; esac
        (cd "$folder" && eval "$line") || {
            fail "$name ($2): $line"
            return
        }
    done < <(commands "$source_dir/examples/$name"/*.c*)
    run_way "$name" "$2" "$folder"
    if [ "$2" = static ] && readelf -d "$folder/$name" | grep 'NEEDED.*libonnx_broadcast' >/dev/null; then
        fail "$name: linked statically, it still needs the shared library"
    fi
}

for name in "${examples[@]}"; do
    [ "$(commands "$source_dir/examples/$name"/main.c* | wc -l)" -ge 2 ] ||
        fail "$name: its first comment does not say how to build and run it"
    grep -q "($name/)" "$source_dir/examples/README.md" || fail "$name: is not in examples/README.md"
    lines=$(cat "$name"/main.c* | wc -l)
    [ "$lines" -le 150 ] || fail "$name: main file of $lines lines; 150 are enough"
    if configure "$source_dir/examples/$name" "$work/alone/$name" && quietly cmake --build "$work/alone/$name"; then
        check_origin "$name" "$work/alone/$name"
        run_way "$name" alone "$(folder_for "$name" alone "$work/alone/$name")"
    fi
    by_hand "$name" pkg-config "$stage"
    by_hand "$name" static "$work/stage-static" --static
done
echo "${#examples[@]} examples, $n runs with the expected output"
exit "$failed"
