# shellcheck shell=bash disable=SC2034,SC2154
# The parts of scripts/test, which sources this file. $src is the source tree, $work is build-test/.
# In a part, TAP goes to fd 3 (a line a subtest) and everything else to stdout, the log. `cannot REASON` ends a part
# that this machine has no means for.

quick_parts=(unit integration clang lint asan tsan rtsan)
more_parts=(clang22 fuzz freebsd readers long guests bare)
declare -A part_says=(
    [unit]="built with gcc, warnings are errors; unit tests, rule fixtures, fuzz corpora replayed"
    [integration]="the real programs in temporary folders"
    [clang]="built with clang, warnings are errors; unit tests"
    [lint]="headers alone, arrows, formatting, man pages, scripts, spelling"
    [asan]="AddressSanitizer and UBSan: unit tests, fuzz corpora, integration"
    [tsan]="ThreadSanitizer: unit tests"
    [rtsan]="RealtimeSanitizer and -Wfunction-effects over the cycle loop (clang 20 or later)"
    [clang22]="built with the newest clang installed, warnings are errors; unit tests"
    [fuzz]="20 s of libFuzzer for each parser"
    [freebsd]="cross-built as FreeBSD programs"
    [readers]="histogram logs read by other HdrHistogram implementations, recordings by NumPy"
    [long]="a minute of measuring: the books balance, nothing lost"
    [guests]="virtual machines: real-time kernel, systemd, ALSA"
    [bare]="both README commands in a bare Debian"
)

jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

cannot() { echo "$*"; exit 77; }

have() { command -v "$1" >/dev/null; }

# verdict STATUS NAME: one subtest
verdict() { if [ "$1" -eq 0 ]; then echo "ok - $2" >&3; else echo "not ok - $2" >&3; return 1; fi; }

# build FOLDER COMPILER [MESON OPTION...]: configures when the options are not those of last time, then builds
build() {
    local dir=$work/$1 cc=$2 said="$2 ${*:3}"
    have "$cc" || cannot "$cc is not installed"
    have meson || cannot "meson is not installed"
    if [ "$(cat "$dir/.options" 2>/dev/null)" != "$said" ]; then
        rm -rf "$dir"
        CC=$cc meson setup "$dir" "$src" "${@:3}" || { verdict 1 "configured for $cc"; return; }
        echo "$said" >"$dir/.options"
    fi
    local status=0
    ninja -C "$dir" -j "$jobs" || status=1
    verdict $status "built with $cc${3:+ (${*:3})}"
}

wrap=() # a command that meson test is run under
# meson_tests FOLDER [meson test option...]: every TAP subtest becomes one of ours
meson_tests() {
    local dir=$work/$1
    rm -f "$dir/meson-logs/testlog.json"
    "${wrap[@]}" meson test -C "$dir" --no-rebuild --print-errorlogs --num-processes "$jobs" "${@:2}"
    python3 "$src/tests/tally.py" "$dir/meson-logs/testlog.json" >&3
}

# the newest clang that has RealtimeSanitizer (20 or later)
new_clang() {
    local v
    for v in 25 24 23 22 21 20; do
        if have "clang-$v"; then echo "clang-$v"; return 0; fi
    done
    v=$(clang -dumpversion 2>/dev/null)
    [ "${v%%.*}" -ge 20 ] 2>/dev/null && echo clang
}

old_clang() { if have clang-14; then echo clang-14; else echo clang; fi; }

# can COMPILER make and run a program with these flags? (sanitizers come in packages of their own)
can_run_with() {
    local program
    mkdir -p "$work/try"
    program=$work/try/a.out
    echo 'int main(void) { return 0; }' >"$work/try/a.c"
    "$@" -o "$program" "$work/try/a.c" && "${wrap[@]}" "$program"
}

part_unit() {
    build gcc gcc -Dwerror=true || return
    meson_tests gcc --suite unit --suite fuzz
}

part_integration() {
    build gcc gcc -Dwerror=true || return
    meson_tests gcc --suite integration
}

part_clang() {
    build clang "$(old_clang)" -Dwerror=true || return
    meson_tests clang --suite unit
}

part_lint() { tests/lint "$work/gcc" | tee /dev/fd/3; return "${PIPESTATUS[0]}"; }

part_asan() {
    can_run_with gcc -fsanitize=address,undefined || cannot "gcc has no AddressSanitizer here"
    build asan gcc -Dwerror=true -Doptimization=1 -Db_sanitize=address,undefined '-Dc_args=-fno-sanitize-recover=all' || return
    export ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
    meson_tests asan --suite unit --suite fuzz --suite integration --timeout-multiplier 4
}

part_tsan() {
    # gcc 12's run time cannot cope with much address space randomisation
    ! setarch -R true 2>/dev/null || wrap=(setarch -R)
    can_run_with gcc -fsanitize=thread || cannot "gcc has no ThreadSanitizer here"
    build tsan gcc -Doptimization=1 -Db_sanitize=thread || return
    export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
    meson_tests tsan --suite unit --timeout-multiplier 4
}

part_rtsan() {
    local cc
    cc=$(new_clang) || cannot "no clang 20 or later"
    can_run_with "$cc" -fsanitize=realtime || cannot "$cc has no RealtimeSanitizer run time here"
    build rtsan "$cc" -Dwerror=true -Drtsan=true -Dc_std=gnu2x -Doptimization=1 || return
    export RTSAN_OPTIONS=halt_on_error=1
    meson_tests rtsan --suite unit
}

part_clang22() {
    local cc
    cc=$(new_clang) || cannot "no clang 20 or later"
    build new-clang "$cc" -Dwerror=true || return
    meson_tests new-clang --suite unit
}

part_fuzz() {
    local cc target name status
    cc=$(new_clang) || cc=$(old_clang)
    can_run_with "$cc" -fsanitize=fuzzer-no-link,address || cannot "$cc has no libFuzzer here"
    build fuzz "$cc" -Dfuzz=true -Doptimization=1 -Db_lundef=false -Db_sanitize=address,undefined \
        '-Dc_args=-fsanitize=fuzzer-no-link -fno-sanitize-recover=all' || return
    for target in "$work"/fuzz/tests/fuzz/libfuzzer_*; do
        [ -x "$target" ] && [ ! -d "$target" ] || continue
        name=${target##*libfuzzer_} status=0
        rm -rf "$work/fuzz/found/$name"
        mkdir -p "$work/fuzz/found/$name"
        # new inputs go to the first folder, so the tree stays as it is
        "$target" -max_total_time=20 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
            -artifact_prefix="$work/fuzz/found/$name/" "$work/fuzz/found/$name" "$src/tests/fuzz/corpus/$name" || status=1
        verdict $status "$name: 20 s of libFuzzer"
    done
}
