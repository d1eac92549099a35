#!/usr/bin/env bash
# scripts/setup on systems that this is not: package managers that only write down what they are asked for.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp

# system NAME: an empty PATH with the usual small tools, and a copy of the script
system() {
    rm -rf "${tmp:?}/bin" "$tmp/tree" "$tmp/asked"
    mkdir -p "$tmp/bin" "$tmp/tree/scripts"
    cp "$SLEEPTUNE_SRC/scripts/setup" "$SLEEPTUNE_SRC/scripts/kept" "$tmp/tree/scripts/"
    for tool in sh sed awk tr dirname cat mkdir grep env rm tail true; do ln -s "$(type -P $tool)" "$tmp/bin/$tool"; done
    stub id 'echo 0'
    stub uname "echo $1"
}
# stub NAME COMMAND: asked for ARGS is noted in $tmp/asked
stub() {
    printf '#!/bin/sh\n%s\n' "$2" >"$tmp/bin/$1"
    chmod +x "$tmp/bin/$1"
}
note="echo \"\${0##*/} \$*\" >>$tmp/asked"
# debian: one that has everything to offer
debian() {
    system Linux
    stub apt-get "$note"
    stub dpkg-query 'exit 0'
    stub apt-cache 'echo "  Candidate: 1.0"'
}
setup() { PATH=$tmp/bin "$tmp/tree/scripts/setup" "$@" 2>&1; }
asked() { cat "$tmp/asked" 2>/dev/null; }
# scripts-setup [OPTION]: what it says, and then what it asked the package manager for
scripts-setup() {
    local status=0
    rm -f "$tmp/asked"
    setup "$@" || status=$?
    asked
    return "$status"
}

debian
screen_is debian scripts-setup
screen_is debian-for-tests scripts-setup --test

system Linux
stub apt-get "$note"
stub dpkg-query 'for p in gcc libc6-dev meson ninja-build pkgconf libjansson-dev libconfig-dev zlib1g-dev libsystemd-dev libmicrohttpd-dev libsoundio-dev libtracefs-dev libtraceevent-dev libsqlite3-dev libjack-jackd2-dev libpipewire-0.3-dev libpulse-dev libasound2-dev; do echo "installed $p"; done'
ok "Debian, all there (other variants of two packages): it succeeds" setup
is "and asks for nothing" "$(asked)" ""
ok "--check says so" setup --check

debian
stub go "$note; exit 1"
ok "where Go is" setup --test
is "it builds nothing" "$(asked | grep -c '^go')" 0
ok "but for --all, and goes on when it cannot, without trying that again" eval 'setup --all && setup --all'
is "the checker of workflows" "$(asked | grep '^go')" "go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"

debian
stub apt-cache 'case $2 in libsoundio-dev) echo "  Candidate: (none)";; *) echo "  Candidate: 1.0";; esac'
ok "an optional part that is not offered is left out" setup
is "it is not asked for" "$(asked | grep -c soundio)" 0
stub apt-cache 'case $2 in libjansson-dev) ;; *) echo "  Candidate: 1.0";; esac'
rm -rf "$tmp/tree/build-setup"
screen_is debian-lacks-a-library scripts-setup

system Linux
stub dnf "$note"
stub rpm 'for p; do case $p in -*) ;; *) echo "no package provides $p";; esac; done; exit 1'
screen_is fedora scripts-setup

system Linux
stub pacman "case \$1 in -T) shift; for p; do echo \$p; done;; *) $note;; esac"
screen_is arch scripts-setup

system Linux
stub zypper "$note; case \"\$*\" in *' '*soundio*) echo \"No provider of 'libsoundio-devel' found.\"; exit 104;; esac"
stub rpm 'for p; do case $p in -*) ;; *) echo "no package provides $p";; esac; done; exit 1'
screen_is opensuse-lacks-a-part scripts-setup
rm "$tmp/asked"
stub rpm 'for p; do case $p in *soundio*) echo "no package provides $p";; esac; done; exit 1'
ok "the next time it goes on" setup
is "without asking for it again" "$(asked)" ""

system FreeBSD
stub pkg "case \$1 in query) exit 0;; *) $note;; esac"
screen_is freebsd scripts-setup

system Linux
stub apk "case \$1 in info) test \$3 = bash;; *) $note;; esac"
screen_is alpine-for-tests scripts-setup --test

system Plan9
screen_is unknown-system scripts-setup

debian
stub id 'echo 1000'
screen_is no-rights scripts-setup
stub apt-cache 'case ${2-} in "") echo " 500 http://deb.debian.org/debian x/main" ;; clang-* | libclang-rt-14-dev) ;; *) echo "  Candidate: 1.0" ;; esac'
screen_is no-rights-lists-for-tests scripts-setup --test
stub dpkg-query 'printf "installed %s\n" gcc libc6-dev meson ninja-build pkg-config libjansson-dev libconfig-dev zlib1g-dev libsqlite3-dev'
stub apt-cache 'case ${2-} in "") echo " 500 http://deb.debian.org/debian x/main" ;; esac'
ok "what they do not offer is not asked for" setup --test </dev/null
rm "$tmp/bin/apt-cache"
screen_is no-rights-no-lists-for-tests scripts-setup --test
stub sudo "$note; shift; \"\$@\""
stub apt-cache 'echo "  Candidate: 1.0"'
screen_is sudo scripts-setup

who=() # root may write anywhere
if [ "$(id -u)" -ne 0 ] || { can_be_nobody && who=("${nobody[@]}"); } || cannot "a tree that cannot be written to" "root may write anywhere, and cannot become nobody here"; then
    debian
    stub id 'echo 1000'
    stub apt-get 'exit 0'
    stub sudo 'shift; "$@"'
    chmod a-w "$tmp/tree"
    mkdir "$tmp/home"
    [ ${#who[@]} -eq 0 ] || chown 65534 "$tmp/home"
    chmod -R a+rX "$tmp"
    ok "a tree that cannot be written to" "${who[@]}" env -u XDG_CACHE_HOME HOME="$tmp/home" PATH="$tmp/bin" "$tmp/tree/scripts/setup" </dev/null
    ok "has its log in the cache" test -s "$tmp"/home/.cache/sleeptune/*/build-setup/log
    chmod u+w "$tmp/tree"
fi
tap_done
