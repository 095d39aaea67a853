#!/usr/bin/env bash
# usage: leaks.sh PROGRAM [ARGUMENT...]
# Runs a test of the sanitizer build. ONNX Runtime loses a few objects that its own background threads make, with or without the
# plugin. It has no symbols by which a suppression could name them, and a suppression that names the whole library would hide
# leaks of the plugin. So this script reads the report: a leak is excused only if its whole stack, from the start of a thread,
# lies in ONNX Runtime and the system's libraries. Such stacks need the slow unwinder.
set -u
log=$(mktemp)
trap 'rm -f "$log"' EXIT
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}fast_unwind_on_malloc=0:malloc_context_size=12 "$@" >"$log" 2>&1
status=$?
cat "$log"
[ "$status" -ne 0 ] || exit 0
grep -q 'ERROR: LeakSanitizer' "$log" && ! grep -qE 'ERROR: AddressSanitizer|runtime error:|\[  FAILED  \]' "$log" ||
    exit "$status"
awk '
    function close_stack() {
        if (in_stack && (foreign || last !~ /libc\.so|clone/)) bad++
        in_stack = 0
    }
    /(Direct|Indirect) leak of/ { close_stack(); in_stack = 1; foreign = 0; last = ""; n++ }
    in_stack && /^ *#[0-9]+ / {
        last = $0
        if ($0 !~ /libonnxruntime\.so|libstdc\+\+\.so|libc\.so\.6|libsanitizer\/|libasan\.so| nptl\/| (\.\.\/)*sysdeps\//)
            foreign = 1
    }
    /^SUMMARY/ { close_stack() }
    END {
        close_stack()
        if (n > 0 && bad == 0) print "leaks: all " n " in threads of ONNX Runtime alone"
        exit n == 0 || bad > 0
    }' "$log"
