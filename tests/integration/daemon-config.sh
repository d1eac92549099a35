#!/usr/bin/env bash
# sleeptuned -n and the command line.
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"

config 'loop: { frames = 64; };'
is "-n: configuration OK" "$("$SLEEPTUNED" -n -c "$conf")" "configuration OK ($conf)"
is "-n accepts the shipped file" "$("$SLEEPTUNED" -n -c "$SLEEPTUNE_SRC/conf/sleeptuned.conf" | cut -d' ' -f1-2)" "configuration OK"

# of a text: tests/unit/daemon/config/test_config.c
bad() { timeout 30 "$SLEEPTUNED" -n -c "$1"; }
printf '\nloop: {\n  frmes = 64; };\n' >"$conf"
mkfifo "$tmp/fifo"
screen_is unknown-key bad "$conf"
screen_is missing-file bad "$tmp/none"
screen_is folder bad "$tmp"
screen_is fifo bad "$tmp/fifo"

config 'loop: { frames = 1; };'
refused
is "the daemon refuses to start with a bad file: 3, and makes no socket" "$status $(ls "$sock" 2>/dev/null)" "3 "

# a default file that is made while the daemon runs, in a file system that only the daemon sees
default=$("$SLEEPTUNED" -h | grep -o '/[^ ]*/sleeptuned\.conf')
above=${default%/*/*}
if [ -d "$above" ] && unshare -m mount -t tmpfs none "$above" 2>/dev/null || cannot "a default file that is made later is read at SIGHUP" "no right to mount, or no $above"; then
    export SLEEPTUNE_SOCKET=$sock
    behind unshare -m sh -c 'mount -t tmpfs none "$1" && exec "$2" -a -f' sh "$above" "$SLEEPTUNED" >"$tmp/out" 2>"$log"
    daemon=$!
    ok "it starts without a file" wait_for value_is 'd["loop"] is not None and d["config"]["file"]' None
    mkdir "/proc/$daemon/root${default%/*}"
    echo 'loop: { frames = 512; };' >"/proc/$daemon/root$default"
    kill -HUP "$daemon"
    ok "a default file that is made later is read at SIGHUP" wait_for value_is '(d["config"]["file"], d["loop"] and d["loop"]["period_ns"]["num"])' "('$default', 32000000)"
    stop
    unset SLEEPTUNE_SOCKET
fi

like "-V" "$("$SLEEPTUNED" -V)" '^sleeptuned [0-9]+\.[0-9]+'
is "an unknown option, an argument, a missing value: 3" \
    "$("$SLEEPTUNED" -x 2>/dev/null; echo "$?"; "$SLEEPTUNED" what 2>/dev/null; echo "$?"; "$SLEEPTUNE" status --socket 2>/dev/null; echo "$?")" $'3\n3\n3'
tap_done
