# shellcheck shell=bash disable=SC2016,SC2154
# Parts of scripts/test that run in another Debian: a bare chroot of a named suite. tests/parts.sh sources this file.

# bare_system ROOT SUITE [MMDEBSTRAP OPTION...]: a chroot in which nothing is installed but apt, with this tree in /sleeptune. It reaches the package mirrors
# as this machine does: the same proxy, certificates, name server and checks of dates.
bare_system() {
    [ "$(id -u)" -eq 0 ] || cannot "needs root for a chroot"
    have mmdebstrap || cannot "mmdebstrap is not installed"
    have apt-config || cannot "no apt-get here"
    unshare --mount --pid --fork true || cannot "no right to mount here"
    rm -rf "$1"
    mkdir -p "$1"
    apt-config dump Acquire::http Acquire::https Acquire::Check-Valid-Until Acquire::Check-Date >"$1.apt"
    mmdebstrap --quiet --variant=apt --aptopt="$1.apt" "${@:3}" "$2" "$1" || cannot "a bare $2 could not be fetched (no network?)"
    mkdir -p "$1/sleeptune" "$1/etc/ssl/certs"
    tar -c --exclude='./build*' --exclude=./.git . | tar -x -C "$1/sleeptune" || return
    rm -f "$1/etc/resolv.conf"
    cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
    [ ! -e /etc/ssl/certs/ca-certificates.crt ] || cp -L /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/"
}

# inside ROOT COMMAND: at most 30 min, or $minutes; the mounts and whatever runs in there end with the namespace
minutes=30
namespaces=(--mount --pid)
inside() {
    cat >"$1.run" <<'RUN'
ip link set lo up 2>/dev/null
mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" && mount --rbind /dev "$1/dev" &&
    exec chroot "$1" /bin/sh -c "cd /sleeptune && $2"
RUN
    timeout -k 10 "${minutes}m" unshare "${namespaces[@]}" --fork --kill-child sh "$1.run" "$1" "$2"
}

# foreign SUITE: built as its packagers would, warnings are errors; unit tests. Packages that only quality checks need stay out.
foreign() {
    local root=$work/$1 status=0
    bare_system "$root" "$1" || return
    inside "$root" 'scripts/setup && apt-get install -qq -y --no-install-recommends libcmocka-dev python3 dpkg-dev >/dev/null' ||
        cannot "the packages that a build needs could not be installed in $1"
    inside "$root" 'cc --version | head -n 1
        eval "$(dpkg-buildflags --export=sh)"
        meson setup build --buildtype=plain --prefix=/usr -Dwerror=true -Dtests=enabled &&
        ninja -k 0 -C build' || status=$?
    verdict $status "built in a bare $1 with Debian's flags, warnings are errors" || return
    inside "$root" 'meson test -C build --no-rebuild --print-errorlogs --timeout-multiplier 8 --suite unit --suite fuzz' || status=$?
    python3 "$src/tests/tally.py" "$root/sleeptune/build/meson-logs/testlog.json" >&3
    [ "$status" -eq 0 ] && rm -rf "$root" "$root".*
}

part_trixie() { foreign trixie; }
part_sid() { foreign sid; }
