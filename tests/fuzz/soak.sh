#!/bin/bash
# Long fuzzing: a fixed number of executions for each parser, not in CI. Prints a line a target: executions, seconds, findings.
#
#   tests/fuzz/soak.sh [EXECUTIONS [TARGET...]]     default: 10000000, every target
#
# Built without sanitizers for speed (the targets check by themselves, and a crash is a crash); the part "fuzz" of
# scripts/test runs the same targets with AddressSanitizer and UBSan.
# Inputs found stay in build-test/soak/found/TARGET, so that the next run goes on from them. Environment: SEED (default 1),
# MAX_LEN (bytes, default 1024), JOBS (default 1), CC (default clang-22).
# Status: 0 nothing found, 1 something, 4 cannot build.
set -u
cd "$(dirname "$0")/../.." || exit 4
runs=${1:-10000000}
[ $# -eq 0 ] || shift
# large blocks of zeros are the kernel's each time, as in a program that reads one text
export GLIBC_TUNABLES=glibc.malloc.mmap_threshold=500000
export runs SEED=${SEED:-1} MAX_LEN=${MAX_LEN:-1024} dir=build-test/soak cc=${CC:-clang-22}
command -v "$cc" >/dev/null || { echo "soak: $cc is not installed" >&2; exit 4; }
mkdir -p build-test
[ -f "$dir/build.ninja" ] || CC=$cc meson setup "$dir" -Dfuzz=true -Doptimization=2 -Db_lundef=false \
    '-Dc_args=-fsanitize=fuzzer-no-link' >build-test/soak.log 2>&1 || { tail build-test/soak.log >&2; exit 4; }
if [ $# -eq 0 ]; then
    # shellcheck disable=SC2046  # names of targets have no blanks
    set -- $(find tests/fuzz -name 'fuzz_*.c' | sed 's,.*/fuzz_,,; s,\.c$,,' | sort)
fi
ninja -C "$dir" "${@/#/tests/fuzz/libfuzzer_}" >build-test/soak.log 2>&1 || { tail build-test/soak.log >&2; exit 4; }

one() {
    local began=$SECONDS status=0 n
    mkdir -p "$dir/found/$1"
    "$dir/tests/fuzz/libfuzzer_$1" -seed="$SEED" -runs="$runs" -max_len="$MAX_LEN" -timeout=10 -rss_limit_mb=2048 \
        -close_fd_mask=2 -print_final_stats=1 -artifact_prefix="$dir/found/$1-crash-" "$dir/found/$1" "tests/fuzz/corpus/$1" \
        >"$dir/found/$1.log" 2>&1 || status=$?
    n=$(sed -n 's/^stat::number_of_executed_units: //p' "$dir/found/$1.log")
    printf '%-14s %10s executions in %5d s: %s\n' "$1" "${n:-unknown}" $((SECONDS - began)) \
        "$([ "$status" -eq 0 ] && echo 'nothing found' || echo "status $status, see $dir/found/$1.log")"
    [ "$status" -eq 0 ]
}
export -f one
printf '%s\0' "$@" | xargs -0 -P "${JOBS:-1}" -I{} bash -c 'one {}' || exit 1
