#!/usr/bin/env bash
# usage: kernel_vectors.sh OBJDUMP OBJECT...: the objects of kernels/ use the registers of their level (NAME__LEVEL.c.o), and none
# above it: ymm in avx2, zmm in avx512, vectors in rvv. Exit status 77: no objdump.
set -euo pipefail
objdump=$1
shift
command -v "$objdump" >/dev/null || { echo "skipped: no objdump"; exit 77; }
failed=0 seen=0
complain() {
    echo "$*"
    failed=1
}
for object in "$@"; do
    name=$(basename "$object") name=${name%.c.o}
    case $name in
    *__baseline) wanted='' above='%[yz]mm|vset' ;;
    *__avx2) wanted=%ymm above=%zmm ;;
    *__avx512) wanted=%zmm above= ;;
    *__rvv) wanted=vset above= ;;
    *) continue ;;
    esac
    seen=$((seen + 1))
    code=$("$objdump" -d "$object" | cut -f2-)
    if [ -n "$above" ] && grep -qE "$above" <<<"$code"; then complain "$name uses registers above its level"; fi
    [ -z "$wanted" ] || grep -q "$wanted" <<<"$code" || complain "$name does not use $wanted"
done
[ "$seen" -ge 15 ] || complain "only $seen objects of levels were seen"
[ "$failed" = 0 ] || exit 1
echo "$seen objects have the vectors of their level"
