#!/usr/bin/env bash
# usage: independence_models.sh RUN SOURCE_DIR. For the models of the project and of OB_SHARED: what the analysis of independence
# proves no run contradicts, and what it refutes a run shows.
set -u
run=$1 source=$2
n_equal=0 n_differs=0 failed=0
for model in "$source"/models/*.onnx "${OB_SHARED:-/nowhere}"/models/*/model.onnx; do
    [ -f "$model" ] || continue
    # Without an open first axis, or without sizes that run, there is no answer.
    line=$("$run" --check-independent - "$model" 2>/dev/null | grep 'independence along') || continue
    case $line in
    *"proved; run: differs"* | *"refuted; run: equal"*) failed=1 ;;
    esac
    case $line in *"run: equal"*) n_equal=$((n_equal + 1)) ;; *) n_differs=$((n_differs + 1)) ;; esac
    echo "${line#"$source"/}"
done
echo "$n_equal models give equal results, $n_differs do not"
[ "$n_equal" -ge 3 ] && [ "$n_differs" -ge 1 ] && [ "$failed" -eq 0 ]
