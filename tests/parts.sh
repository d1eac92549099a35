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
    [readers]="histogram logs read by other HdrHistogram implementations and by R"
    [long]="a minute of measuring: the books balance, nothing lost; a history whose writer is killed 1000 times"
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
    ninja -k 0 -C "$dir" -j "$jobs" || status=1
    verdict $status "built with $cc${3:+ (${*:3})}"
}

wrap=() # a command that meson test is run under
# meson_tests FOLDER [meson test option...]: every TAP subtest becomes one of ours. A program that fails is run once more, alone: some
# look at the real clock, and a busy machine can take it from them. If it passes then, what failed at first is told as unsteady, not
# hidden; more than three of them are no accident.
meson_tests() {
    local dir=$work/$1 log=$work/$1/meson-logs/testlog.json again=() bad_ones=()
    rm -f "$log"
    "${wrap[@]}" meson test -C "$dir" --no-rebuild --print-errorlogs --num-processes "$jobs" --timeout-multiplier 4 "${@:2}"
    mapfile -t bad_ones < <(python3 "$src/tests/tally.py" --failed "$log")
    if [ ${#bad_ones[@]} -gt 0 ] && [ ${#bad_ones[@]} -le 3 ]; then
        echo "again, alone: ${bad_ones[*]}"
        mv "$log" "$log.first"
        "${wrap[@]}" meson test -C "$dir" --no-rebuild --print-errorlogs --num-processes 1 --timeout-multiplier 4 "${@:2}" "${bad_ones[@]}"
        [ ! -s "$log" ] || again=("$log")
        log=$log.first
    fi
    python3 "$src/tests/tally.py" "$log" "${again[@]}" >&3
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

# The plain build; prefix as a package has it, so that guests can install it.
build_gcc() { build gcc gcc -Dwerror=true --prefix=/usr; }

part_unit() {
    build_gcc || return
    meson_tests gcc --suite unit --suite fuzz
}

part_integration() {
    build_gcc || return
    meson_tests gcc --suite integration
}

part_clang() {
    build clang "$(old_clang)" -Dwerror=true || return
    meson_tests clang --suite unit
}

part_lint() { tests/lint "$work/gcc" | tee /dev/fd/3; return "${PIPESTATUS[0]}"; }

part_asan() {
    can_run_with gcc -fsanitize=address,undefined || cannot "gcc has no AddressSanitizer here"
    build asan gcc -Doptimization=1 -Db_sanitize=address,undefined '-Dc_args=-fno-sanitize-recover=all' || return
    export ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
    meson_tests asan --suite unit --suite fuzz --suite integration
}

part_tsan() {
    # gcc 12's run time cannot cope with much address space randomisation
    ! setarch -R true 2>/dev/null || wrap=(setarch -R)
    can_run_with gcc -fsanitize=thread || cannot "gcc has no ThreadSanitizer here"
    build tsan gcc -Doptimization=1 -Db_sanitize=thread || return
    export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
    meson_tests tsan --suite unit
}

part_rtsan() {
    local cc
    cc=$(new_clang) || cannot "no clang 20 or later"
    can_run_with "$cc" -fsanitize=realtime || cannot "$cc has no RealtimeSanitizer run time here"
    rm -rf "$work/rtsan" # the warnings are only there when it compiles
    build rtsan "$cc" -Drtsan=true -Dc_std=gnu2x -Doptimization=1 -Db_lundef=false | tee "$work/rtsan-build" || return
    # the slow path (counters_self, thread_cpu_ns) may block, see tests/rtsan.supp; comparing a pointer with NULL is no call
    ! grep -E "^[^ ]*: warning:.*must not call non-'nonblocking'" "$work/rtsan-build" | grep -vE '/tests/|::(counters_self|thread_cpu_ns)'
    verdict $? "nothing that the cycle loop calls may block (-Wfunction-effects)"
    export RTSAN_OPTIONS=halt_on_error=1:suppressions=$src/tests/rtsan.supp
    meson_tests rtsan --suite unit
    local status=0
    "$work/rtsan/cli/sleeptune" measure --duration 2s --load 5 || status=$?
    verdict $status "measure runs below RealtimeSanitizer"
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
    rm -rf "$work/fuzz/found"
    # as many at once as there are processors; each writes its own log
    for target in "$work"/fuzz/tests/fuzz/libfuzzer_*; do
        [ -d "$target" ] || echo "${target##*libfuzzer_}"
    done | xargs -P "$jobs" -I{} bash -c 'fuzz_one "$@"' fuzz_one {} "$work/fuzz" "$src/tests/fuzz/corpus"
    for name in "$work"/fuzz/found/*/; do
        name=$(basename "$name") status=0
        grep -q '^fuzz_one: 0$' "$work/fuzz/found/$name.log" || { status=1; tail -n 40 "$work/fuzz/found/$name.log"; }
        verdict $status "$name: 20 s of libFuzzer"
    done
}

# fuzz_one NAME FOLDER CORPUS: new inputs go to FOLDER/found/NAME, so the tree stays as it is. The seed is fixed: the same inputs
# each time, as far as the machine gets in 20 s; FUZZ_SEED=N tries others
fuzz_one() {
    mkdir -p "$2/found/$1"
    timeout -k 5 120 "$2/tests/fuzz/libfuzzer_$1" -seed="${FUZZ_SEED:-1}" -max_total_time=20 -timeout=10 -rss_limit_mb=2048 \
        -print_final_stats=1 -artifact_prefix="$2/found/$1/crash-" "$2/found/$1" "$3/$1" >"$2/found/$1.log" 2>&1
    echo "fuzz_one: $?" >>"$2/found/$1.log"
}
export -f fuzz_one

part_freebsd() {
    local status=0
    scripts/freebsd-cross "$work/freebsd" || status=$?
    [ "$status" -ne 77 ] || exit 77
    verdict $status "sleeptune cross-built as FreeBSD programs"
}

part_readers() {
    build_gcc || return
    meson_tests gcc --suite slow
}

part_long() {
    local out=$work/long.json status=0
    build_gcc || return
    "$work/gcc/cli/sleeptune" measure --duration 60s --json >"$out" || status=$?
    cat "$out"
    verdict $status "measure --duration 60s ends with status 0" || return
    python3 - "$out" <<'PY' >&3
import json, sys
r = json.load(open(sys.argv[1]))
def say(good, name): print(("ok" if good else "not ok") + " - a minute: " + name)
say(r["books_balance"] is True, "the books balance")
say(r["cycles"] + r["skipped_periods"] == r["elapsed_periods"], "cycles + skipped periods = periods elapsed")
say(r["records_lost"] == 0, "no record lost")
say(r["faults"] == 0, "no page fault after warm-up")
PY
    KILLS=1000 meson_tests gcc --suite integration history
}

# boot SCENARIO NAME LOG [vm-boot.sh OPTION...]: runs tests/vm/SCENARIO.sh in a guest
boot() {
    local options status=0
    options=$(sed -n 's/^# vm: //p' "tests/vm/$1.sh")
    # shellcheck disable=SC2086  # words
    tests/vm/vm-boot.sh $options -s "$work/guest" "${@:4}" -- "BOOT=${2##*boot } bash /share/tests/$1.sh" >"$3" || status=$?
    cat "$3"
    return $status
}

# guest SCENARIO NAME [vm-boot.sh OPTION...]: boots it; NAME is its log's and its subtests'. What fails is tried once more, as in
# meson_tests, but for one whose disk has a history.
guest() {
    local scenario=$1 name=$2 log=$work/log/vm-${2// /-}.tap status=0
    boot "$scenario" "$name" "$log" "${@:3}" || status=$?
    if [ $# -eq 2 ] && { ! grep -q '^1\.\.' "$log" || grep -q '^not ok' "$log"; }; then
        mv "$log" "$log.first"
        status=0
        boot "$scenario" "$name" "$log" || status=$?
        if grep -q '^1\.\.' "$log" && ! grep -q '^not ok' "$log"; then
            grep -q '^1\.\.' "$log.first" || echo "# unsteady: $name: did not run to its end" >&3
            sed -n "s/^not ok [0-9]* - /# unsteady: $name: /p" "$log.first" >&3
        fi
    fi
    sed -n "s/^\(not \)\{0,1\}ok [0-9]* - /\1ok - $name: /p" "$log" >&3
    grep -q '^1\.\.' "$log" || verdict 1 "$name: ran to its end (status $status)"
}

# Guests: tests/vm/NN-name.sh runs inside a virtual machine and prints TAP; "# vm: OPTIONS" in it goes to vm-boot.sh. "# boots: N" runs
# it N times on one disk, with BOOT=1 ... N; what a run writes to /share/append is on the kernel's command line of the next.
part_guests() {
    local scenario name boots boot share=$work/guest disk
    [ "$(id -u)" -eq 0 ] || cannot "needs root to build a guest"
    have apt-get || cannot "guests are Debian 12's packages; no apt-get here"
    have qemu-system-x86_64 && have mmdebstrap || cannot "qemu-system-x86_64 or mmdebstrap is not installed"
    build_gcc || return
    rm -rf "$share"
    meson install -C "$work/gcc" --no-rebuild --quiet --destdir "$share" || { verdict 1 "installed with DESTDIR"; return; }
    mkdir -p "$share/tests"
    cp tests/tap.sh tests/vm/*.sh "$work"/gcc/tests/integration/{hog,section} "$share/tests/"
    export VMBOOT_DIR=$work/vmboot VMBOOT_PACKAGES=libjansson4,libconfig9,libsoundio2,libmicrohttpd12,libcurl4,strace,curl,jq,grub2-common,jackd2,libtracefs1,libsqlite3-0,libpulse0,libpipewire-0.3-0,libncursesw6
    disk=$VMBOOT_DIR/disk
    # both kernels first, so that the image has the modules of both
    { tests/vm/vm-boot.sh -k generic -b && tests/vm/vm-boot.sh -k rt -b; } || cannot "the guests' image could not be built (no network?)"
    for scenario in tests/vm/[0-9]*.sh; do
        name=$(basename "$scenario" .sh)
        boots=$(sed -n 's/^# boots: //p' "$scenario")
        if [ -z "$boots" ]; then
            guest "$name" "$name"
            continue
        fi
        rm -f "$disk" "$share/append"
        for ((boot = 1; boot <= boots; boot++)); do
            guest "$name" "$name boot $boot" -d "$disk" -a "$(cat "$share/append" 2>/dev/null)" || break
        done
        rm -f "$disk"
    done
}

# Both README commands as somebody types them on a new machine: a bare Debian without anything, as root.
part_bare() {
    local root=$work/bare status=0
    [ "$(id -u)" -eq 0 ] || cannot "needs root for a chroot"
    have mmdebstrap || cannot "mmdebstrap is not installed"
    unshare --mount --pid --fork true || cannot "no right to mount here"
    rm -rf "$root"
    mkdir -p "$root"
    mmdebstrap --quiet --variant=apt bookworm "$root" || cannot "a bare Debian could not be fetched (no network?)"
    mkdir "$root/sleeptune"
    tar -c --exclude='./build*' . | tar -x -C "$root/sleeptune" || return
    rm -f "$root/etc/resolv.conf"
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    # the mounts and whatever runs in there end with the namespace
    cat >"$work/bare-run" <<'RUN'
mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" && mount --rbind /dev "$1/dev" &&
    exec chroot "$1" /bin/sh -c "cd /sleeptune && $2"
RUN
    for command in scripts/run 'scripts/test unit'; do
        status=0
        timeout -k 10 900 unshare --mount --pid --fork --kill-child sh "$work/bare-run" "$root" "$command" || status=$?
        verdict $status "$command in a bare Debian 12"
    done
    rm -rf "$root"
}
