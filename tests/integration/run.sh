#!/usr/bin/env bash
# scripts/run with stand-ins for meson, ninja and the programs: what it does with a build that fails in part.
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
tree=$tmp/tree

# stub FILE: standard input becomes this program
stub() {
    mkdir -p "$(dirname "$1")"
    { echo '#!/bin/sh' && cat; } >"$1"
    chmod +x "$1"
}

# fresh NINJA: a tree that has not been configured, whose ninja does this
fresh() {
    rm -rf "$tree"
    mkdir -p "$tree/scripts"
    cp "$SLEEPTUNE_SRC/scripts/run" "$SLEEPTUNE_SRC/scripts/kept" "$tree/scripts/"
    echo 'exit 0' | stub "$tree/scripts/setup"
    echo 'echo "$*" >meson-options; mkdir build && touch build/build.ninja' | stub "$tmp/bin/meson"
    { cat <<'BOTH' && echo "$1"; } | stub "$tmp/bin/ninja"
programs() {
    mkdir -p build/cli build/daemon
    printf '#!/bin/sh\n[ "$1" != status ] || test -e build/ready\n' >build/cli/sleeptune
    printf '#!/bin/sh\ntrap "exit 0" TERM\n: >build/ready\nwhile :; do sleep 0.1; done\n' >build/daemon/sleeptuned
    chmod +x build/cli/sleeptune build/daemon/sleeptuned
}
BOTH
}
scripts-run() { PATH=$tmp/bin:$PATH "$tree/scripts/run" 0 2>&1; }

fresh 'programs; echo "[1/2] a"; sleep 6'
scripts-run >"$tmp/out"
is "a build that succeeds" $? 0
like "progress is shown" "$(cat "$tmp/out")" '^run: built 1 of 2$' # each 5 s
screen_is built grep -v '^run: built ' "$tmp/out"
like "no tests are built" "$(cat "$tree/meson-options")" '-Dtests=disabled'
like "what it offers to install is what README builds" "$(cat "$tree/meson-options")" '--buildtype=release'

# ninja 1.12 prints the exit status, too
fresh 'programs
case $* in *cli/sleeptune*) exit 0 ;; esac
echo "FAILED: xruns/helpers/sleeptune-observe-pipewire.p/pipewire.c.o "
echo "FAILED: [code=1] cli/sleeptune-history.so.p/module_history.c.o "
echo "ninja: build stopped: cannot make progress due to previous errors."
exit 1'
screen_is optional-parts-do-not-compile scripts-run
ok "their errors are in the log that it names" grep -q '^FAILED: xruns/helpers' "$tree/build/run.log"

fresh 'echo "FAILED: daemon/libst_daemon.a.p/loop.c.o"; exit 1'
screen_is program-does-not-compile scripts-run
tap_done
