#!/usr/bin/env bash
# scripts/run with stand-ins for meson, ninja and the programs: what it does with a build that fails in part.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp
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

# --- root, in a tree that cannot be written to: its build folder is no other user's ---
fresh programs
stub "$tmp/bin/meson" <<<'echo "asked for $2"; exit 1'
# root-runs NAME=VALUE...: with /var/cache as another user may have left it
root-runs() {
    TREE=$tree TMP=$tmp unshare -m sh -c 'mount --bind "$TREE" "$TREE" && mount -o remount,bind,ro "$TREE" && mount --bind "$TMP/cache" /var/cache &&
        PATH=$TMP/bin:$PATH exec "$@" "$TREE/scripts/run" 0 2>&1' sh env -u HOME -u XDG_CACHE_HOME "$@"
}
if [ "$(id -u)" -eq 0 ] && [ -d /var/cache ] && unshare -m true 2>/dev/null || cannot "root's build folder" "needs root and a mount namespace"; then
    mkdir -p "$tmp/cache" "$tmp/ann/.cache"
    chown -R 65534 "$tmp/ann"
    for given in A=B HOME=/tmp "HOME=$tmp/ann" "XDG_CACHE_HOME=$tmp/ann/.cache"; do
        like "root builds in /var/cache: ${given//"$tmp"/}" "$(root-runs "$given")" '^asked for /var/cache/sleeptune/'
    done
    kept=$(root-runs A=B | sed -n 's:^asked for /var/cache/\(.*\)/build$:\1:p')
    mkdir -p "$tmp/cache/$kept/build"
    touch "$tmp/cache/$kept/build/build.ninja"
    chown -R 65534 "$tmp/cache/sleeptune"
    like "nor in a folder there that another user made" "$(root-runs A=B)" '^/var/cache/.* belongs to another user: remove it$'
    rm -rf "$tree/build" && mkdir "$tree/build" && chown 65534 "$tree/build"
    like "nor in one beside the scripts" "$(scripts-run)" '^run: .*build.* belongs to another user: remove it$'
fi
tap_done
