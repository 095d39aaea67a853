#!/usr/bin/env bash
# usage: count.sh TARGET PROGRAM [ARGUMENT...]: the instructions that PROGRAM executes, built for TARGET (a file of
# cmake/toolchains; arm-none-eabi: for the board of examples/microcontroller), counted by a plugin of QEMU.
#        count.sh TARGET --kernels LIBRARY [OPTION...]: those of one run of each kernel of tests/kernel_counts.c, with the library
# built for TARGET by `./dev cross TARGET`, or another libonnx_broadcast.a, at the baseline, or with -DKERNEL_LEVELS=~0u at the
# highest level. OPTION: for the compiler. QEMU_CPU in the environment chooses the processor.
# Counts are of instructions, not of time: they say nothing about caches, and multiplications count as much as moves.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=$1 toolchain=cmake/toolchains/$1.cmake
shift
value() { sed -nE "s/^set\($1 \"?([^\"]*)\"?\)\$/\1/p" "$toolchain"; }
triplet=$(value OB_TRIPLET)
[ -n "$triplet" ] || {
    echo "count.sh: '$target' is no file of cmake/toolchains that names a target" >&2
    exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O2 -shared -fPIC -o "$work/count.so" tests/count_instructions.c

count() { # PROGRAM [ARGUMENT...]
    local qemu=("$(value OB_QEMU)" -plugin "$work/count.so" -d plugin -D "$work/count")
    case $triplet in
    arm-none-eabi)
        qemu+=(-M mps2-an386 -nographic -monitor none -serial none -chardev "file,id=host,path=$work/text"
            -semihosting-config "enable=on,target=native,chardev=host" -kernel)
        ;;
    *) qemu+=(-L "/usr/$triplet") ;;
    esac
    timeout 600 "${qemu[@]}" "$@" >/dev/null
    sed -nE 's/^instructions: ([0-9]+)$/\1/p' "$work/count"
}

if [ "$1" != --kernels ]; then
    count "$@"
    exit
fi
library=$2
shift 2
flags=(-std=c11 -O2 -ffp-contract=off -I. -Iinclude "$@")
last=(-lm)
if [ "$triplet" = arm-none-eabi ]; then
    board=examples/microcontroller/mps2_an386
    read -ra more <<<"$(value CMAKE_C_FLAGS_INIT)"
    flags+=("${more[@]}" "-I$board" -nostartfiles -T "$board/link.ld" -Wl,--gc-sections)
    last+=("$board/start.c")
fi
names=("product of floats, 16 x 64 x 32" "product of bytes, 16 x 64 x 32" "convolution 3x3, 8 to 8, 16x16"
    "the same of bytes" "depthwise 3x3, 8 of 16x16" "Add of 4096 floats" "sum of 4096 floats" "sums of columns of 64 x 64 floats")
for kernel in "${!names[@]}"; do
    for runs in 1 11; do
        "$triplet-gcc" "${flags[@]}" "-DKERNEL=$kernel" "-DKERNEL_RUNS=$runs" -o "$work/$runs" tests/kernel_counts.c "$library" \
            "${last[@]}"
    done
    printf '%-34s %9d\n' "${names[$kernel]}" $((($(count "$work/11") - $(count "$work/1")) / 10))
done
