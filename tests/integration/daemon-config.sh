#!/usr/bin/env bash
# sleeptuned -n and the command line.
# shellcheck disable=SC2016,SC2119,SC2317
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"

config 'loop: { frames = 64; };'
is "-n: configuration OK" "$("$SLEEPTUNED" -n -c "$conf")" "configuration OK ($conf)"
is "-n accepts the shipped file" "$("$SLEEPTUNED" -n -c "$SLEEPTUNE_SRC/conf/sleeptuned.conf" | cut -d' ' -f1-2)" "configuration OK"

# bad NAME TEXT PATTERN: -n ends with 3, says this, and prints nothing on stdout
bad() {
    printf '%b' "$2" >"$conf"
    local out status=0
    out=$("$SLEEPTUNED" -n -c "$conf" 2>"$log") || status=$?
    is "$1: exit status 3, stdout empty" "$status$out" 3
    like "$1: the message" "$(cat "$log")" "$3"
}
bad "unknown key" '\nloop: {\n  frmes = 64; };\n' "^sleeptuned: $conf:3: loop.frmes: unknown key. Did you mean loop.frames[?]$"
bad "out of range" 'loop: { frames = 99999; };\n' "^sleeptuned: $conf:1: loop.frames = 99999: must be a whole number, 0 .. 16384 frames$"
bad "wrong type" 'loop: { when = 5; };\n' "^sleeptuned: $conf:1: loop.when = 5: must be one of \"playing\", \"always\"$"
bad "syntax" 'loop: {\n' "^sleeptuned: $conf:2: syntax error$"
bad "a setting that is there twice" 'loop: {\n  frames = 64;\n  frames = 32; };\n' "^sleeptuned: $conf:3: duplicate setting name: frames = 32; \\};$"
bad "binary" 'loop\0\0\1' "^sleeptuned: $conf:1: this is not a text file"
bad "include" '@include "/etc/hostname"\n' "^sleeptuned: $conf:1: @include is not supported"
head -c 1000000 /dev/zero | tr '\0' '#' >"$conf"
is "a megabyte of comment is refused" "$("$SLEEPTUNED" -n -c "$conf" 2>&1)" "sleeptuned: $conf: larger than 262144 bytes: this is not a sleeptuned configuration"
is "a missing file that was named" "$("$SLEEPTUNED" -n -c "$tmp/none" 2>&1)" "sleeptuned: $tmp/none: cannot be read: No such file or directory"
is "a folder" "$("$SLEEPTUNED" -n -c "$tmp" 2>&1)" "sleeptuned: $tmp: cannot be read: Is a directory"
mkfifo "$tmp/fifo"
is "a FIFO does not hang" "$(timeout 30 "$SLEEPTUNED" -n -c "$tmp/fifo" 2>&1)" "sleeptuned: $tmp/fifo: not a regular file"

config 'loop: { frames = 1; };'
refused
is "the daemon refuses to start with a bad file: 3" "$status" 3
is "and makes no socket" "$(test -e "$sock" && echo there)" ""

# a default file that is made while the daemon runs, in a file system that only the daemon sees
default=$("$SLEEPTUNED" -h | grep -o '/[^ ]*/sleeptuned\.conf')
above=${default%/*/*}
if [ ! -d "$above" ] || ! command -v curl >/dev/null || ! unshare -m mount -t tmpfs none "$above" 2>/dev/null; then
    skip "a default file that is made later is read at SIGHUP" "no right to mount, no curl, or no $above"
else
    export SLEEPTUNE_SOCKET=$sock
    unshare -m sh -c 'mount -t tmpfs none "$1" && exec "$2" -a -f' sh "$above" "$SLEEPTUNED" >"$tmp/out" 2>"$log" &
    daemon=$!
    pids+=("$daemon")
    ok "it starts without a file" wait_for value_is 'd["loop"] is not None and d["config"]["file"]' None
    mkdir "/proc/$daemon/root${default%/*}"
    echo 'loop: { frames = 512; };' >"/proc/$daemon/root$default"
    kill -HUP "$daemon"
    ok "a default file that is made later is read at SIGHUP" wait_for value_is '(d["config"]["file"], d["loop"] and d["loop"]["period_ns"]["num"])' "('$default', 32000000)"
    stop
    unset SLEEPTUNE_SOCKET
fi

like "-V" "$("$SLEEPTUNED" -V)" '^sleeptuned [0-9]+\.[0-9]+'
like "-h" "$("$SLEEPTUNED" -h)" '^Usage: sleeptuned'
"$SLEEPTUNED" -x 2>/dev/null
is "an unknown option: 3" "$?" 3
"$SLEEPTUNED" what 2>/dev/null
is "an argument: 3" "$?" 3
"$SLEEPTUNE" status --socket 2>/dev/null
is "sleeptune status, a missing value: 3" "$?" 3
"$SLEEPTUNE" status --nope 2>/dev/null
is "sleeptune status, an unknown option: 3" "$?" 3
tap_done
