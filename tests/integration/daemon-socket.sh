#!/usr/bin/env bash
# The socket: two daemons, a path that is taken, too long or in a missing folder; kill -9.
# shellcheck disable=SC2016,SC2119,SC2317
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need curl
mkdir "$tmp/state"
export STATE_DIRECTORY=$tmp/state

config 'audio: { backend = "none"; };'
starts "the first daemon starts"
kept=$log log=$tmp/log2
refused
is "a second one ends with 4" "$status" 4
like "and says which process holds the socket" "$(cat "$log")" "another sleeptuned \(PID $daemon\) holds $sock"
ok "the first one is not disturbed" value_is 'd["pid"]' "$daemon"
log=$kept

kill -9 "$daemon"
wait "$daemon" 2>/dev/null
is "kill -9 leaves the socket behind" "$(test -S "$sock" && echo there)" there
"$SLEEPTUNE" status --socket "$sock" >"$tmp/out" 2>"$tmp/err"
is "sleeptune status ends with 4" "$?" 4
is "and prints nothing on stdout" "$(cat "$tmp/out")" ""
like "and says how to start one" "$(cat "$tmp/err")" "no sleeptuned is listening on $sock. Run "
starts "the next daemon starts over it"
like "and tells that the one before was killed, though no minute was over" "$(value 'd["previous_run"]')" 'did not end cleanly'
stop
is "and ends cleanly" "$status" 0

start
is "which is forgotten after a clean end" "$(value 'd["previous_run"]')" None
config 'audio: { backend = "none"; };'
sed -i 's|path = "[^"]*"; |&group = "no-such-group-here"; |' "$conf"
kill -HUP "$daemon"
ok "an unknown group at SIGHUP is said in the status" wait_for value_is '[x["what"] for x in d["degraded"] if x["what"] == "socket"]' "['socket']"
config 'audio: { backend = "none"; };'
kill -HUP "$daemon"
ok "until the file is right again" wait_for value_is '[x["what"] for x in d["degraded"] if x["what"] == "socket"]' '[]'
stop

echo precious >"$sock"
refused
is "a file in the way: 4" "$status" 4
like "is named" "$(cat "$log")" "$sock exists and is not a socket. Remove it, or set socket.path."
is "and is left alone" "$(cat "$sock")" precious
rm "$sock"

printf 'socket: { path = "%s/no/such/folder/sock"; };\n' "$tmp" >"$conf"
refused
is "a missing folder: 4" "$status" 4
like "is named" "$(cat "$log")" "the folder $tmp/no/such/folder of the socket: No such file or directory"

printf 'socket: { path = "%s/%0120d"; };\n' "$tmp" 1 >"$conf"
refused
is "a path that is too long: 4" "$status" 4
like "is told with its length and the limit" "$(cat "$log")" 'the socket path has [0-9]+ bytes, and this system takes at most 107'
"$SLEEPTUNE" status --socket "$tmp/$(printf %0120d 1)" 2>"$tmp/err"
is "sleeptune status: likewise" "$?" 4
like "with its length" "$(cat "$tmp/err")" 'bytes, and this system takes at most'

config 'audio: { backend = "none"; };'
sed -i 's|path = "[^"]*"; |&group = "no-such-group-here"; |' "$conf"
refused
is "an unknown group: 4" "$status" 4
like "is named" "$(cat "$log")" 'socket.group: there is no group "no-such-group-here"'

mkdir -m 700 "$tmp/run"
printf 'audio: { backend = "none"; };\n' >"$conf"
if [ "$(id -u)" -eq 0 ]; then
    skip "without the right to the system's folder, XDG_RUNTIME_DIR is used" "this is root"
else
    sock=$tmp/run/sleeptune/sleeptuned.sock
    export XDG_RUNTIME_DIR=$tmp/run
    starts "without the right to the system's folder, XDG_RUNTIME_DIR is used"
    ok "and sleeptune status finds it" "$SLEEPTUNE" status
    stop
fi
tap_done
