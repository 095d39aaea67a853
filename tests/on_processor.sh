#!/bin/sh
# usage: on_processor.sh PROCESSOR COMMAND [ARGUMENT...]: runs a test as on another x86-64 processor. Every library whose rounding
# depends on the processor is told which one to assume: this library's loops (OB_ISA), the C library (FMA), NumPy and its
# OpenBLAS. Exit status 77: this machine cannot do it.
case $1 in
baseline) # SSE2 only
    export OB_ISA=baseline OPENBLAS_CORETYPE=Prescott GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4
    needs=
    features="SSSE3 SSE41 POPCNT SSE42 AVX F16C FMA3 AVX2 AVX512F AVX512CD AVX512_SKX"
    ;;
avx2)
    export OB_ISA=avx2 OPENBLAS_CORETYPE=Haswell
    needs=avx2
    features="AVX512F AVX512CD AVX512_SKX"
    ;;
avx512)
    export OB_ISA=avx512 OPENBLAS_CORETYPE=SKYLAKEX
    needs=avx512bw
    features=
    ;;
*)
    echo "on_processor.sh: '$1' is not baseline, avx2 or avx512" >&2
    exit 2
    ;;
esac
if [ -n "$needs" ] && ! grep -qw "$needs" /proc/cpuinfo; then
    echo "skipped: this processor has no $needs"
    exit 77
fi
shift
# NumPy warns about disabled features that the machine does not have anyway.
NPY_DISABLE_CPU_FEATURES=$features PYTHONWARNINGS=ignore exec "$@"
