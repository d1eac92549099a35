# shellcheck shell=bash disable=SC2034,SC2154
# The parts of scripts/test, which sources this file. $src is the source tree, $work is build-test/.
# In a part, TAP goes to fd 3 (a line a subtest) and everything else to stdout, the log. `cannot REASON` ends a part
# that this machine has no means for.

. tests/part_foreign.sh
. tests/part_packages.sh
. tests/part_archive.sh
. tests/part_fresh.sh
. tests/part_cross.sh

quick_parts=(unit integration lint)
more_parts=(asan guests long trixie fuzz clang rtsan tsan freebsd laws bare pipewire)
release_parts=(archive sid i386 packages fresh arm64 armhf riscv64 s390x musl)
declare -A part_says=(
    [unit]="built with gcc, warnings are errors; unit tests but those of part laws, rule fixtures, fuzz corpora replayed"
    [integration]="the real programs in temporary folders; with --all also those that take longer than 12 s, in full also those that take minutes"
    [lint]="headers alone, arrows, formatting, man pages, scripts, spelling"
    [fuzz]="5,000 runs of libFuzzer for each parser, fewer for slow ones, the same each time; in full: 60 s with a seed of the day"
    [asan]="clang's AddressSanitizer and UBSan, in the build of part fuzz: unit tests, the programs that take foreign input; in full: gcc's, all tests and programs"
    [guests]="eight boots of virtual machines: real-time and stock kernel, ALSA, a reboot, a power cut; in full: all of them, predict in both kernels for hours"
    [long]="a minute of measuring: the books balance, nothing lost; a history whose writer is killed 1000 times; in full: sleeptune makes no dropouts"
    [clang]="the oldest clang installed, with 32 bits: warnings are errors; in full: it and the newest, built and unit tests"
    [rtsan]="RealtimeSanitizer and -Wfunction-effects over the cycle loop (clang 20 or later); in full: all unit tests"
    [tsan]="ThreadSanitizer: unit tests with threads; in full: all unit tests"
    [freebsd]="cross-built as FreeBSD programs, for the newest release; in full: for the oldest and the one between, too"
    [laws]="simulations: what evidence/, ears/, the limit of events, tune and the lab's figures promise holds as often as they say, on known laws"
    [bare]="README's scripts/run in a bare Debian 12; in full: scripts/test unit, too"
    [trixie]="built with Debian's flags in a bare Debian 13, warnings are errors, unit tests only parsed; in full: all unit tests"
    [pipewire]="the tests with a real PipeWire in the Debian 13 of part trixie"
    [sid]="as trixie and pipewire, in Debian unstable: the newest compiler and libraries"
    [i386]="as trixie, for 32-bit x86, with all tests"
    [archive]="what meson dist makes builds and tests itself; two builds in different folders are the same, byte for byte"
    [fresh]="README's commands in Debian 12, 13 and unstable: a user without sudo, and root; a path with a space, a tree that cannot be written to, no network"
    [arm64]="Debian's package and every part cross-built for 64-bit ARM in Debian 13, warnings are errors; tests in qemu"
    [armhf]="the same for 32-bit ARM, with times of 64 bits"
    [riscv64]="the same for 64-bit RISC-V"
    [s390x]="the same for IBM Z, which has the high byte first"
    [musl]="built with musl, warnings are errors; unit tests"
    [packages]="Debian's packages built in bare Debian 12 and 13, looked at by lintian and blhc, installed, upgraded, purged"
)
# Parts that only compute: no test in them fails because it waits. They run beside the others, with low priority.
declare -A computes=([lint]=1 [fuzz]=1 [clang]=1 [rtsan]=1 [tsan]=1 [freebsd]=1 [laws]=1 [bare]=1 [trixie]=1 [sid]=1 [i386]=1 [packages]=1 [archive]=1 [fresh]=1 [arm64]=1 [armhf]=1 [riscv64]=1 [s390x]=1 [musl]=1)

# Unit tests that start threads; the others cannot race (part tsan).
threaded_tests=(audio capture_stream day history_file history_writer platform process_watch_linux ring session wake_posix watchdog)
# Unit tests that run the cycle loop or what it calls (part rtsan).
loop_tests=(cause cause_charged fake loop margin ns period platform punctual punctual_budget punctual_wait recent result ring session)

jobs=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

in_full() { [ "$level" = release ]; }

cannot() { echo "$*"; exit 77; }

have() { command -v "$1" >/dev/null; }

# verdict STATUS NAME: one subtest
verdict() { if [ "$1" -eq 0 ]; then echo "ok - $2" >&3; else echo "not ok - $2" >&3; return 1; fi; }

# passes NAME COMMAND...: the same of this one
passes() { local status=0; "${@:2}" || status=$?; verdict $status "$1"; }

# locked NAME COMMAND...: no other part is in a folder with that name meanwhile
locked() {
    if have flock; then
        (flock 8 && "${@:2}") 8>"$work/$1.lock"
    else
        "${@:2}"
    fi
}

# configure FOLDER COMPILER [MESON OPTION...]: anew when the options, or the libraries that pkg-config finds, are not those of last time;
# else what changed in meson.build since then
configure() {
    have "$2" || cannot "$2 is not installed"
    have meson || cannot "meson is not installed"
    locked "$1" configure_alone "$@"
}
configure_alone() {
    local dir=$work/$1 said
    said="$2 ${*:3}
$(libraries)"
    if [ "$(cat "$dir/.options" 2>/dev/null)" = "$said" ]; then
        ninja -C "$dir" build.ninja || verdict 1 "configured again for $2"
        return
    fi
    rm -rf "$dir"
    CC=$2 meson setup "$dir" "$src" "${@:3}" || { verdict 1 "configured for $2"; return; }
    echo "$said" >"$dir/.options"
}

# the version of each library that meson.build asks for, and what has none
libraries() {
    local name
    command -v lowdown mandoc
    echo '#include <soundio/soundio.h>' | cc -E -o /dev/null - 2>/dev/null && echo soundio
    have pkg-config || return
    for name in $(find "$src" -path "$src/build*" -prune -o -name meson.build -exec grep -oh "dependency('[^']*" {} + | cut -d "'" -f 2 | sort -u); do
        echo "$name $(pkg-config --modversion "$name" 2>/dev/null)"
    done
}

# build FOLDER COMPILER [MESON OPTION...]: configures, then builds everything, or what is in $targets
targets=()
build() {
    configure "$@" || return
    passes "built with $2${3:+ (${*:3})}" locked "$1" ninja -k 0 -C "$work/$1" -j "$jobs" "${targets[@]}"
}

# programs_of FOLDER TEST...: the paths of unit tests in that build folder; one that is not there is an error
programs_of() {
    meson introspect --tests "$work/$1" | python3 -c 'import json, os, sys
found = {t["name"]: os.path.relpath(t["cmd"][0], sys.argv[1]) for t in json.load(sys.stdin)}
print(*(found.get(name, "no-such-test-" + name) for name in sys.argv[2:]), sep="\n")' "$work/$1" "${@:2}"
}

# again NAME FUNCTION [ARG...]: scripts/test calls the function when all parts have ended, as then nothing else runs; NAME is shown
again() { # $part is run_part's
    { echo "# $1"; export -p; declare -p wrap; printf '%q ' "${@:2}"; echo; } >>"$work/log/$part.again"
}

wrap=() # a command that meson test is run under
meson_test() {
    env -u XDG_RUNTIME_DIR "${wrap[@]}" meson test -C "$work/$1" --logbase "$part" --no-rebuild --print-errorlogs --timeout-multiplier 10 "${@:2}"
}

# meson_tests FOLDER [meson test option...]: every TAP subtest becomes one of ours. A program that fails (or skips, where that fails, too) is
# run once more, at the end and alone: some look at the real clock, and a busy machine can take it from them. If it passes then, what failed at
# first is reported as unsteady, not hidden. When 20 have failed again, the others count as they went at first.
meson_tests() {
    local log=$work/$1/meson-logs/$part.json kept=$work/log/$part.first.json bad_ones=()
    rm -f "$log"
    meson_test "$1" --num-processes "$jobs" "${@:2}"
    mapfile -t bad_ones < <({
        python3 "$src/tests/tally.py" --failed "$log"
        [ -z "$no_skip" ] || python3 "$src/tests/tally.py" "$log" | skips /dev/stdin | not_in_list "$part" | sed 's/:.*//'
    } | sort -u)
    if [ ${#bad_ones[@]} -gt 0 ]; then
        mv "$log" "$kept"
        again "${bad_ones[*]}" meson_tests_again "$1" "${@:2}" "${bad_ones[@]}"
    else
        python3 "$src/tests/tally.py" "$log" >&3
    fi
}
meson_tests_again() {
    local log=$work/$1/meson-logs/$part.json second=()
    rm -f "$log"
    meson_test "$1" --num-processes 1 --maxfail 20 "${@:2}"
    [ ! -s "$log" ] || second=("$log")
    python3 "$src/tests/tally.py" "$work/log/$part.first.json" "${second[@]}" >&3
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
    mkdir -p "$work/try/$part" # two parts may try at once
    program=$work/try/$part/a.out
    echo 'int main(void) { return 0; }' >"$work/try/$part/a.c"
    "$@" -o "$program" "$work/try/$part/a.c" && "${wrap[@]}" "$program"
}

# keeps_home FUNCTION [ARG...]: no test lets sleeptune write into the home that meson.build gives it (libraries do), nor into the user's
keeps_home() {
    local before home=$work/gcc/tests/home written
    rm -rf "$home"
    before=$(files_of_user)
    "$@"
    written=$(find "$home" -name '*sleeptune*' 2>/dev/null)
    [ -z "$written" ] && [ "$(files_of_user)" = "$before" ]
    verdict $? "tests write into no home: $written"
}
files_of_user() {
    find "${XDG_STATE_HOME:-${HOME:-/}/.local/state}" "${XDG_CONFIG_HOME:-${HOME:-/}/.config}" "${XDG_CACHE_HOME:-${HOME:-/}/.cache}" \
        -maxdepth 2 -name '*sleeptune*' 2>/dev/null | sort
}

# The plain build; prefix as a package has it, so that guests can install it.
gcc_options=(gcc gcc -Dwerror=true --prefix=/usr)
build_gcc() { build "${gcc_options[@]}"; }

part_unit() {
    build_gcc || return
    keeps_home meson_tests gcc --suite unit --suite fuzz --no-suite simulated
}

# these wait more than they compute: twice as many at once as there are processors
part_integration() {
    build_gcc || return
    local suites=(--suite integration)
    [ "$level" != quick ] || suites+=(--no-suite all-only)
    in_full || suites+=(--no-suite release-only)
    keeps_home meson_tests gcc "${suites[@]}" --num-processes $((2 * jobs))
}

part_lint() {
    configure "${gcc_options[@]}" || return
    ! in_full || export FOLLOW=1
    tests/lint "$work/gcc" | tee /dev/fd/3
    return "${PIPESTATUS[0]}"
}

part_asan() {
    # what simulates laws judges figures; corpora are read below both sanitizers in part fuzz, whose build this is
    local suites=(--suite unit --suite sanitized --no-suite simulated --no-suite unsanitized) folder=fuzz
    export ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
    if in_full; then
        suites=(--suite unit --suite fuzz --suite integration) folder=asan
        can_run_with gcc -fsanitize=address,undefined || cannot "gcc has no AddressSanitizer here"
        build asan gcc -Doptimization=1 -Db_sanitize=address,undefined '-Dc_args=-g1 -fno-sanitize-recover=all' || return
    else
        build_fuzz || return
    fi
    meson_tests $folder "${suites[@]}" --num-processes $((2 * jobs))
}

part_tsan() {
    # gcc 12's run time cannot cope with much address space randomisation
    ! setarch -R true 2>/dev/null || wrap=(setarch -R)
    can_run_with gcc -fsanitize=thread || cannot "gcc has no ThreadSanitizer here"
    unit_tests_of threaded_tests tsan gcc -Doptimization=1 -Db_sanitize=thread -Dc_args=-g1 || return
    export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
    meson_tests tsan --suite unit "${chosen[@]}"
}

# without it there is no unit test
needs_cmocka() { pkg-config --exists cmocka || cannot "libcmocka-dev is not installed"; }

# unit_tests_of LIST FOLDER COMPILER [MESON OPTION...]: builds only the tests that are in the list with that name, and what is in $targets;
# they are in $chosen then. In full: everything, and $chosen is empty, which is all of them.
unit_tests_of() {
    local -n listed=$1
    needs_cmocka
    chosen=()
    if in_full; then
        targets=()
    else
        chosen=("${listed[@]}")
        configure "${@:2}" || return
        mapfile -t -O ${#targets[@]} targets < <(programs_of "$2" "${chosen[@]}")
    fi
    build "${@:2}"
}

part_rtsan() {
    local cc
    cc=$(new_clang) || cannot "no clang 20 or later"
    can_run_with "$cc" -fsanitize=realtime || cannot "$cc has no RealtimeSanitizer run time here"
    needs_cmocka
    rm -rf "$work/rtsan" # the warnings are only there when it compiles
    targets=(cli/sleeptune lab/sleeptune-lab ears/helpers/libst_ear.a) # sleeptuned has nothing that may not block
    unit_tests_of loop_tests rtsan "$cc" -Drtsan=true -Dc_std=gnu2x -Doptimization=1 -Db_lundef=false >"$work/rtsan-build" 2>&1
    local status=$?
    cat "$work/rtsan-build"
    [ $status -eq 0 ] || return
    # the slow path (counters_self) may block, see tests/rtsan.supp; comparing a pointer with NULL is no call
    ! grep -E "^[^ ]*: warning:.*must not call non-'nonblocking'" "$work/rtsan-build" | grep -vE '/tests/|::counters_self'
    verdict $? "nothing that the cycle loop or a callback of listen calls may block or allocate (-Wfunction-effects)"
    export RTSAN_OPTIONS="halt_on_error=1:suppressions=\"$src/tests/rtsan.supp\""
    meson_tests rtsan --suite unit "${chosen[@]}"
    passes "measure runs below RealtimeSanitizer" "$work/rtsan/cli/sleeptune" measure --duration 2s --load 5
}

# Every file is parsed with all warnings by the oldest clang, for 32 bits, where size_t has so many; code is only generated in full, as part fuzz
# builds all with the newest one, where warnings are errors, too.
part_clang() {
    local cc oldest newest
    oldest=$(old_clang)
    newest=$(new_clang) || newest=$oldest
    have "$oldest" || oldest=$newest
    have "$oldest" || cannot "clang is not installed"
    if in_full; then
        for cc in $(printf '%s\n' "$oldest" "$newest" | sort -u); do build "$cc" "$cc" -Dwerror=true && meson_tests "$cc" --suite unit; done
        return
    fi
    # -Wsign-conversion finds faults of glibc's own bits/socket.h there. The kernel's headers are in the folder for 64 bits; gcc-multilib
    # would make a link to them, and removes cross-compilers
    local for_32=(-m32 -Wno-sign-conversion -idirafter "/usr/include/$(gcc -dumpmachine)")
    echo '#include <errno.h>' | "$oldest" "${for_32[@]}" -fsyntax-only -xc - || for_32=()
    configure "$oldest" "$oldest" -Dwerror=true && parse "$oldest" "${for_32[@]}"
}

# parse FOLDER: each file as it would be compiled there, without an object; those in the build folder are generated first
parse() { # FOLDER [OPTION...]
    local status=0
    python3 -c '
import json, os, shlex, sys
folder = sys.argv[1]
for entry in json.load(open(os.path.join(folder, "compile_commands.json"), encoding="utf-8")):
    print(entry["file"], shlex.join(shlex.split(entry["command"]) + ["-fsyntax-only", "-Wno-unused-command-line-argument"] + sys.argv[2:]), sep="\t")' "$work/$1" "${@:2}" >"$work/$1/commands"
    (
        cd "$work/$1" || exit
        cut -f 1 commands | grep -v '^\.\./' | sort -u | xargs -r ninja || exit
        echo "at: $1"
        cut -f 2 commands | tr '\n' '\0' | xargs -0 -P "$jobs" -n 1 sh -c || exit 1
    ) || status=1
    verdict $status "$(wc -l <"$work/$1/commands") files without a warning from $*"
}

# build_fuzz [PREFIX]: clang's AddressSanitizer, UBSan and what libFuzzer counts with; everything, or what begins so, which is in $targets then
build_fuzz() {
    local cc
    cc=$(new_clang) || cc=$(old_clang)
    can_run_with "$cc" -fsanitize=fuzzer-no-link,address || cannot "$cc has no libFuzzer here"
    local options=(fuzz "$cc" -Dwerror=true -Dfuzz=true -Doptimization=1 -Db_lundef=false '-Db_sanitize=address,undefined'
        '-Dc_args=-g1 -fsanitize=fuzzer-no-link -fno-sanitize-recover=all')
    # with the runtime of a sanitizer, GNU ld takes three times as long
    ! can_run_with "$cc" -fuse-ld=gold || options+=(-Dc_link_args=-fuse-ld=gold)
    configure "${options[@]}" || return
    [ $# -eq 0 ] || mapfile -t targets < <(ninja -C "$work/fuzz" -t targets all | grep "^$1[a-z0-9_]*:" | cut -d: -f1)
    build "${options[@]}"
}

# What must pass before a change lands is the same each time: a fixed seed and number of runs, 5000, or those that a slow target names
# ("Runs: N" in its file). In full, each day tries others, for a minute each.
part_fuzz() {
    local name status fuzz_limits=-seed=1
    ! in_full || fuzz_limits="-seed=$(date +%Y%m%d) -max_total_time=60"
    export fuzz_limits
    build_fuzz tests/fuzz/libfuzzer_ || return
    rm -rf "$work/fuzz/found"
    # as many at once as there are processors; each writes its own log
    printf '%s\n' "${targets[@]##*libfuzzer_}" | xargs -P "$jobs" -I{} bash -c 'fuzz_one "$@"' fuzz_one {} "$work/fuzz" "$src/tests/fuzz/corpus"
    for name in "${targets[@]##*libfuzzer_}"; do
        status=0
        grep -q '^fuzz_one: 0$' "$work/fuzz/found/$name.log" || { status=1; tail -n 40 "$work/fuzz/found/$name.log"; }
        verdict $status "$name: libFuzzer $fuzz_limits"
    done
}

# fuzz_one NAME FOLDER CORPUS: new inputs go to FOLDER/found/NAME, so the tree stays as it is. libFuzzer takes a folder's files in
# the order of the file system, reads its new ones again by the clock, and compares addresses: without these its runs are the same
# everywhere. The limits of time are long, as what runs beside it has more of the processors.
fuzz_one() {
    local fixed=(setarch -R) limits=$fuzz_limits runs
    setarch -R true 2>/dev/null || fixed=()
    if [ "$limits" = -seed=1 ]; then
        runs=$(sed -n 's,^/\* Runs: \([0-9]*\) \*/$,\1,p' "$3/../fuzz_$1.c")
        limits+=" -runs=${runs:-5000}"
    fi
    mkdir -p "$2/found/$1"
    echo "at: $1"
    find "$3/$1" -type f | LC_ALL=C sort | paste -sd, >"$2/found/$1.inputs"
    # shellcheck disable=SC2086  # two options in one text, as arrays cannot be exported
    timeout -k 5 1800 "${fixed[@]}" "$2/tests/fuzz/libfuzzer_$1" $limits -reload=0 -timeout=120 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$2/found/$1/crash-" -seed_inputs="@$2/found/$1.inputs" "$2/found/$1" >"$2/found/$1.log" 2>&1
    echo "fuzz_one: $?" >>"$2/found/$1.log"
}
export -f fuzz_one

part_freebsd() {
    local status=0
    local releases=15.0
    ! in_full || releases=13.2,14.0,15.0
    scripts/freebsd-cross --targets "$releases" "$work/freebsd" || status=$?
    [ "$status" -ne 77 ] || exit 77
    verdict $status "sleeptune cross-built as FreeBSD programs"
}

part_laws() {
    needs_cmocka
    build_gcc || return
    meson_tests gcc --suite slow --suite simulated
}

part_long() {
    local out=$work/long.json status=0
    build_gcc || return
    "$work/gcc/cli/sleeptune" measure --duration 60s --json >"$out" || status=$?
    cat "$out"
    verdict $status "measure --duration 60s ends with status 0" || return
    passes "a minute: cycles + skipped periods = periods elapsed, the books balance, no record lost, no page fault after warm-up" python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
sys.exit(not r["books_balance"] or r["cycles"] + r["skipped_periods"] != r["elapsed_periods"] or r["records_lost"] or r["faults"])' "$out"
    KILLS=1000 meson_tests gcc --suite integration history
    in_full || return 0
    status=0
    ST_TUNING_SESSIONS=3000 "$work/gcc/evidence/test_tuning" || status=$?
    verdict $status "tune keeps settings without effect in at most 1 of 100 sessions, 3000 of each"
    # /usr/bin: the program becomes another user, who may not read root's own Python
    if have pipewire && have wireplumber; then
        status=0
        /usr/bin/python3 tests/bench/observer-beside.py --build "$work/gcc" || status=$?
        [ $status -eq 77 ] || verdict $status "sleeptune makes no dropouts on a full CPU"
    fi
}

# boot SCENARIO NAME LOG [vm-boot.sh OPTION...]: runs tests/vm/SCENARIO.sh in a guest
boot() {
    local options status=0 TIMEFORMAT="at: $2, ended after %0R s, %0U s of CPU"
    options=$(sed -n 's/^# vm: //p' "tests/vm/$1.sh")
    # shellcheck disable=SC2086  # words
    time tests/vm/vm-boot.sh $options -s "$work/guest" "${@:4}" -- "BOOT=${2##*boot } LONG=${LONG:-} STOPS=${guest_stops:-} KILLS=${guest_stops:-} bash /share/tests/$1.sh" >"$3" || status=$?
    return $status
}

# guest SCENARIO NAME [vm-boot.sh OPTION...]: boots it; NAME is its log's and its subtests'. What fails is tried once more, as in
# meson_tests.
guest() {
    local log=$work/log/vm-${2// /-}.tap status=0
    echo "at: $2"
    boot "$1" "$2" "$log" "${@:3}" || status=$?
    cat "$log"
    if [ $# -eq 2 ] && ! guest_passed "$log"; then
        mv "$log" "$log.first"
        again "$2" guest_again "$1" "$2" "$log"
    else
        guest_tap "$2" "$log" $status
    fi
}
guest_again() { # SCENARIO NAME LOG
    local status=0
    boot "$@" || status=$?
    cat "$3"
    ! guest_passed "$3" || unsteady "$2" "$3.first" >&3
    guest_tap "$2" "$3" $status
}
unsteady() { # NAME LOG...: what failed at first, or that a log has no failure and no end
    sed -n "s/^not ok [0-9]* - /# unsteady: $1: /p" "${@:2}" | grep . || echo "# unsteady: $1: did not run to its end"
}
guest_passed() { grep -q '^1\.\.' "$1" && ! grep -q '^not ok' "$1"; }
guest_tap() { # NAME LOG STATUS
    sed -n "s/^\(not \)\{0,1\}ok [0-9]* - /\1ok - $1: /p" "$2" >&3
    grep -q '^1\.\.' "$2" || verdict 1 "$1: ran to its end (status $3)"
}

# Guests: tests/vm/NN-name.sh runs inside a virtual machine and prints TAP; "# vm: OPTIONS" in it goes to vm-boot.sh. "# boots: N" runs
# it N times on one disk, with BOOT=1 ... N, if not in full twice; "# release: WHY": in full only; what a run writes to /share/append-NN-name is on the kernel's command line of the next.
# Two at a time: a guest keeps about one processor busy. Each says how many seconds it took.
part_guests() {
    local scenario name boots kernel share=$work/guest built=$work/gcc
    # each loss is one of 20 where a figure is published; a fault shows in six
    export guest_stops=6
    ! in_full || guest_stops=''
    [ "$(id -u)" -eq 0 ] || cannot "needs root to build a guest"
    have apt-get || cannot "guests are Debian 12's packages; no apt-get here"
    { have qemu-system-x86_64 && have mmdebstrap; } || cannot "qemu-system-x86_64 or mmdebstrap is not installed"
    rm -rf "$share"
    if grep -qsx VERSION_CODENAME=bookworm /etc/os-release; then
        { build_gcc && meson install -C "$built" --no-rebuild --quiet --strip --destdir "$share"; } || { verdict 1 "installed with DESTDIR"; return; }
    elif in_full; then
        cannot "in full, guests install the packages of this system, which has to be Debian 12"
    else # whose libraries the guests have not
        bare_system "$work/bookworm" bookworm || return
        export VMBOOT_SYSTEM=$work/bookworm
        built=$VMBOOT_SYSTEM/srv/sleeptune/build
        inside "$VMBOOT_SYSTEM" 'scripts/setup && apt-get install -qq -y --no-install-recommends libcmocka-dev >/dev/null' || cannot "what a build needs could not be installed in a bare bookworm"
        { inside "$VMBOOT_SYSTEM" 'meson setup build --prefix=/usr && ninja -C build && meson install -C build --no-rebuild --quiet --strip --destdir /srv/guest' &&
            mv "$VMBOOT_SYSTEM/srv/guest" "$share"; } || { verdict 1 "built in a bare bookworm, as the guests are"; return; }
    fi
    # systemd.pc may have /lib, which is a link in the guest
    [ ! -d "$share/lib" ] || { cp -a "$share/lib" "$share/usr/" && rm -r "${share:?}/lib"; }
    ! in_full || packages_of_build "$built" "$share/debs" || { verdict 1 "Debian's packages of this build"; return; }
    mkdir -p "$share/tests"
    cp tests/tap.sh tests/vm/*.sh tests/bench/{clicks-guest.sh,predict*.sh,predict_*.py,dropouts.py} tests/integration/trace_tracks.py "$built"/tests/integration/{hog,other_clock,play_empty,play_jack,read_capture,section,stalls,stall_pipewire} "$share/tests/"
    export VMBOOT_DIR=$work/vmboot VMBOOT_PACKAGES=libjansson4,libconfig9,libsoundio2,libmicrohttpd12,strace,curl,jq,grub2-common,jackd2,libtracefs1,libsqlite3-0,libpulse0,libpipewire-0.3-0,pipewire,wireplumber,pipewire-bin,dbus-user-session,libpam-systemd,rtkit,polkitd
    tests/vm/vm-boot.sh -k rt,generic || cannot "the guests' image could not be built (no network?)"
    # the one of several boots first: it takes longest
    for scenario in $(grep -l '^# boots: ' tests/vm/[0-9]*.sh) $(grep -L '^# boots: ' tests/vm/[0-9]*.sh); do
        in_full || ! grep -q '^# release: ' "$scenario" || continue
        name=$(basename "$scenario" .sh)
        boots=$(sed -n 's/^# boots: //p' "$scenario")
        [ -z "$boots" ] || in_full || boots=2
        while [ "$(jobs -pr | wc -l)" -ge 2 ]; do wait -n; done
        if [ -z "$boots" ]; then guest "$name" "$name" & else reboots "$name" "$boots" & fi
    done
    wait
    in_full || return 0
    for kernel in rt generic; do LONG=1 guest 92-predict "92-predict long $kernel" -k $kernel -t 14400 & done
    wait
}
reboots() { # SCENARIO TIMES
    if boots "$@"; then boots_tap "$@"; else again "$1" reboots_again "$@"; fi
}
reboots_again() {
    unsteady "$1" "$work/log/vm-$1-boot-"*.tap >"$work/log/$1.first"
    ! boots "$@" || cat "$work/log/$1.first" >&3
    boots_tap "$@"
}
# boots SCENARIO TIMES: each boot, from a new disk on, up to one that fails
boots() {
    local n log status good=0 disk=$VMBOOT_DIR/disk-$1 append=$work/guest/append-$1
    rm -f "$disk" "$append" "$work/log/vm-$1-boot-"*
    for ((n = 1; n <= $2 && good == 0; n++)); do
        log=$work/log/vm-$1-boot-$n.tap status=0
        echo "at: $1 boot $n"
        boot "$1" "$1 boot $n" "$log" -d "$disk" -a "$(cat "$append" 2>/dev/null)" || status=$?
        cat "$log"
        echo "# status $status" >>"$log"
        guest_passed "$log" || good=1
    done
    rm -f "$disk"
    return $good
}
boots_tap() {
    local n log
    for ((n = 1; n <= $2; n++)); do
        log=$work/log/vm-$1-boot-$n.tap
        [ ! -e "$log" ] || guest_tap "$1 boot $n" "$log" "$(sed -n '$s/^# status //p' "$log")"
    done
}

# README's commands as they are typed on a new machine: a bare Debian without anything, as root. The second one is what runs here, on a
# clean clone; in full its unit tests run there, too.
part_bare() {
    local root=$work/bare commands=(scripts/run)
    bare_system "$root" bookworm || return
    ! in_full || commands+=('scripts/test unit')
    for command in "${commands[@]}"; do
        passes "$command in a bare Debian 12" inside "$root" "$command"
    done
    rm -rf "$root"
}
