# shellcheck shell=bash disable=SC2154
# Parts of scripts/test that run in another Debian: a bare chroot of a named suite. tests/parts.sh sources this file.

# bare_system ROOT SUITE [MMDEBSTRAP OPTION...]: a chroot in which nothing is installed but apt, with this tree in /srv/sleeptune. It reaches the package mirrors
# as this machine does: the same proxy, certificates, name server and checks of dates.
bare_system() {
    [ "$(id -u)" -eq 0 ] || cannot "needs root for a chroot"
    have mmdebstrap || cannot "mmdebstrap is not installed"
    have apt-config || cannot "no apt-get here"
    unshare --mount --pid --fork true || cannot "no right to mount here"
    rm -rf "$1"
    mkdir -p "$1"
    apt-config dump Acquire::http Acquire::https Acquire::Check-Valid-Until Acquire::Check-Date >"$1.apt"
    mmdebstrap --quiet --variant=apt --aptopt="$1.apt" "${@:3}" "$2" "$1" 3>&- || cannot "a bare $2 could not be fetched (no network?)"
    mkdir -p "$1/srv/sleeptune" "$1/etc/ssl/certs"
    tar -c --exclude='./build*' --exclude=./.git . | tar -x -C "$1/srv/sleeptune" || return
    rm -f "$1/etc/resolv.conf"
    cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
    [ ! -e /etc/ssl/certs/ca-certificates.crt ] || cp -L /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/"
    # what ca-certificates puts in its place
    [ ! -d /usr/local/share/ca-certificates ] || cp -RL /usr/local/share/ca-certificates "$1/usr/local/share/"
}

# inside ROOT COMMAND: at most 30 min, or $minutes; the mounts and whatever runs in there end with the namespace
minutes=30
namespaces=(--mount --pid)
inside() {
    cat >"$1.run" <<'RUN'
ip link set lo up 2>/dev/null
mount --bind "$1" "$1" && mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" && mount --rbind /dev "$1/dev" &&
mount -t tmpfs tmpfs "$1/dev/shm" && # JACK's servers are known there, eight at most
    exec chroot "$1" /bin/sh -c "cd /srv/sleeptune && $2"
RUN
    timeout --foreground -k 10 "${minutes}m" unshare "${namespaces[@]}" --fork --kill-child sh "$1.run" "$1" "$2"
}

# what is no unit test and replays no corpus is built, these are only parsed
without_tests='ninja -k 0 -C build $(ninja -C build -t targets all | sed -n "/\/\(test\|replay\)_/d; s/: [A-Za-z_]*LINKER.*//p") &&
    ninja -C build -t compdb c_COMPILER | python3 -c "
import json, os, sys
for entry in json.load(sys.stdin):
    folder = os.path.dirname(entry[\"output\"])
    if \"/test_\" in folder or \"/replay_\" in folder:
        os.makedirs(os.path.join(\"build\", folder), exist_ok=True)
        print(entry[\"command\"], \"-fsyntax-only\", end=chr(0))" | (cd build && xargs -0 -P $(nproc) -n 1 sh -c)'

# foreign NAME SUITE TESTS PACKAGES [MMDEBSTRAP OPTION...]: NAME is the part's. Built as its packagers would, warnings are errors; unit tests are
# only parsed, if not in full. Then, when nothing else runs here, meson's suite TESTS, if any; for tests it has PACKAGES, too. What only quality checks need stays out.
foreign() {
    local root=$work/$1 build='ninja -k 0 -C build'
    in_full || build=$without_tests
    bare_system "$root" "$2" "${@:5}" || return
    inside "$root" "scripts/setup && apt-get install -qq -y --no-install-recommends dpkg-dev libcmocka-dev $4 >/dev/null" ||
        cannot "the packages that a build needs could not be installed in $2"
    passes "built in a bare $1 with Debian's flags, warnings are errors" inside "$root" 'cc --version | head -n 1
        eval "$(dpkg-buildflags --export=sh)"
        meson setup build --buildtype=plain --prefix=/usr -Dwerror=true -Dtests=enabled &&'" $build" || return
    if in_full; then
        foreign_test "$root" first --suite unit --suite fuzz
        python3 "$src/tests/tally.py" "$root/srv/sleeptune/build/meson-logs/first.json" >&3
    fi
    [ -z "$3" ] || again "$3" foreign_alone "$root" "$3"
}
foreign_test() { # ROOT LOG MESON_TEST_OPTION...
    # shellcheck disable=SC2034  # inside looks at it
    local minutes=90
    inside "$1" "meson test -C build --logbase $2 --no-rebuild --print-errorlogs --timeout-multiplier 10 ${*:3}"
}
foreign_alone() { # ROOT TESTS; what fails is run once more
    local logs=$1/srv/sleeptune/build/meson-logs bad second=()
    foreign_test "$1" alone --suite "$2" --num-processes $((2 * jobs))
    mapfile -t bad < <(python3 "$src/tests/tally.py" --failed "$logs/alone.json")
    if [ ${#bad[@]} -gt 0 ]; then
        foreign_test "$1" second --suite "$2" --num-processes 1 "${bad[@]}"
        second=("$logs/second.json")
    fi
    python3 "$src/tests/tally.py" "$logs/alone.json" "${second[@]}" >&3
    grep -q '^not ok' "$work/log/$part.tap" || rm -rf "$1" "$1".*
}

# what plays in the tests with a real PipeWire
servers='curl dbus jack-example-tools jackd2 mount pipewire pipewire-bin pipewire-pulse procps pulseaudio pulseaudio-utils python3-jsonschema wireplumber'
part_trixie() { foreign trixie trixie '' "$servers"; }
# in the lane of those that look at the clock, while the other one goes on
part_pipewire() {
    local done=$work/log/trixie.status
    while [[ $lanes -eq 2 && " ${names[*]} " == *" trixie "* && ! -e $done ]]; do sleep 5; done
    [ -e "$done" ] || cannot "its system is that of part trixie: scripts/test trixie pipewire"
    [ "$(cut -d ' ' -f 1 "$done")" -eq 0 ] || cannot "part trixie has not built: $(tail -n 1 "$work/log/trixie.log")"
    foreign_alone "$work/trixie" pipewire
}
part_sid() { foreign sid sid pipewire "$servers"; }
# Other processors are tested in Debian 13, or in another suite, if a mirror does not have that one whole
processor_suite=${PROCESSOR_SUITE:-trixie}
# Updates reach a mirror later for one processor than for another, and libraries of two processors must have the same version
no_updates='--setup-hook=sed -i -E "/(security|updates)/d" "$1/etc/apt/sources.list"'
part_i386() {
    foreign i386 "$processor_suite" integration "$servers bsdutils fish g++ python3-dbusmock python3-numpy python3-pyte strace systemd" --architectures=i386 "$no_updates"
}
