#!/usr/bin/env bash
# The socket: two daemons, a path that is taken, too long or in a missing folder; kill -9.
# shellcheck disable=SC2016,SC2119,SC2317
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
# with a folder /run of its own root can have the system's daemon beside that of a user
if [ -z "${OWN_RUN:-}" ] && [ "$(uname)$(id -u)" = Linux0 ] && unshare -m mount -t tmpfs -o mode=755 tmpfs /run 2>/dev/null; then
    OWN_RUN=yes exec unshare -m sh -c 'mount -t tmpfs -o mode=755 tmpfs /run && exec "$0"' "$0"
fi
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need curl
mkdir "$tmp/state"
export STATE_DIRECTORY=$tmp/state

config 'audio: { backend = "none"; };'
starts "the first daemon starts"
kept=$log log=$tmp/log2
refused
is "a second one ends with 4" "$status" 4
like "and says which process holds the socket" "$(cat "$log")" "another sleeptuned \(PID $daemon\) uses the socket $sock"
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
ok "and tells that the one before was killed, though no minute was over" wait_for value_is 'any(e["event"] == "unclean-end" for e in d["events"])' True
stop
is "and ends cleanly" "$status" 0

start
ok "it writes its history" wait_for value_is 'd["history"]["state"]' writing
is "a kill is forgotten after a clean end" "$(value 'any(e["event"] == "unclean-end" for e in d["events"])')" False
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
like "is named" "$(cat "$log")" "cannot lock $tmp/no/such/folder/.*: No such file or directory"

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

"$SLEEPTUNE" status --socket "$conf" 2>"$tmp/err"
is "sleeptune status on a file that is no socket: 4" "$?" 4
like "says so" "$(cat "$tmp/err")" "$conf is not a socket"

mkdir -m 700 "$tmp/run"
printf 'audio: { backend = "none"; };\n' >"$conf"
export XDG_RUNTIME_DIR=$tmp/run
as_user=() # how a user's programs are started
shown() { COLUMNS=200 "${as_user[@]}" "$SLEEPTUNE" "$@" 2>&1; }
whose() { shown status "$@" | sed -n 's/^Running *//p'; }
if [ "$(id -u)" -eq 0 ] && ! can_be_nobody; then
    skip "a user's daemon beside the system's" "nobody may not run the programs, or setpriv is missing"
else
    [ "$(id -u)" -ne 0 ] || as_user=("${nobody[@]}")
    [ "$(id -u)" -ne 0 ] || chown -R 65534 "$tmp/run"
    unset STATE_DIRECTORY
    sock=$tmp/run/sleeptune/sleeptuned.sock
    starts "without the right to the system's folder, XDG_RUNTIME_DIR is used" "${as_user[@]}"
    ok "and sleeptune status finds it" shown status
    like "as the user's own" "$(whose)" '^your own sleeptuned$'
    is "a socket that is named needs no word" "$(whose --socket "$sock")" ""
    like "sleeptune history, too" "$(shown history --causes)" '^Shown: your own sleeptuned$'
    stop
    version=$("$SLEEPTUNE" --version | head -n 1)
    version=${version##* }
    other=${version%?}$([ "${version: -1}" = 0 ] && echo 1 || echo 0)
    (LC_ALL=C sed "s/${version//./\\.}/$other/g" "$SLEEPTUNED") >"$tmp/sleeptuned" && chmod 755 "$tmp/sleeptuned"
    SLEEPTUNED=$tmp/sleeptuned starts "a daemon of another version goes on after an upgrade" "${as_user[@]}"
    is "status says so, and how it is restarted" "$(whose)" \
        "sleeptuned still has version $other, this command has $version. Restart it: $([ "$(uname)" = Linux ] && echo systemctl --user || echo service) restart sleeptuned"
    stop
    starts "restarted, it has the same one" "${as_user[@]}"
    if [ -z "${OWN_RUN:-}" ]; then
        skip "the system's daemon runs, too" "needs root, and the right to mount"
    else
        mkdir -p /run/user
        ln -s "$tmp/run" /run/user/65534
        away='no sleeptuned is listening on /run/sleeptune/sleeptuned.sock. nobody has a sleeptuned: run this without sudo'
        by_sudo=(env SUDO_UID=65534 SUDO_USER=nobody COLUMNS=200 "$SLEEPTUNE")
        like "under sudo: his daemon is named, not asked" "$("${by_sudo[@]}" status 2>&1)" "^sleeptune status: $away"
        like "history, too" "$("${by_sudo[@]}" history 2>&1)" "^sleeptune history: $away"
        like "heard, too" "$("${by_sudo[@]}" heard 2>&1)" "^sleeptune heard: not kept: $away"
        like "of another user, who has none, nothing is said" "$(SUDO_UID=1 "${by_sudo[0]}" COLUMNS=200 "$SLEEPTUNE" status 2>&1)" "Run 'systemctl start sleeptuned'"
        like "root without sudo: it may be a user's own" "$(COLUMNS=200 "$SLEEPTUNE" status 2>&1)" "'sleeptuned -f'; if a user's own runs, run this as that user"
        like "a user without a daemon: both places" "$(XDG_RUNTIME_DIR=$tmp/none shown status)" \
            "no sleeptuned is listening on $tmp/none/sleeptune/sleeptuned.sock or /run/sleeptune/sleeptuned.sock. Run 'systemctl --user"
        own=$daemon own_sock=$sock sock=/run/sleeptune/sleeptuned.sock log=$tmp/log3
        starts "the system's daemon runs, too"
        is "the user sees his own, and how to see the other" "$(whose)" "your own sleeptuned. The system's runs, too: add --system"
        like "which he may not: he is told how" "$(shown status --system)" \
            "cannot connect to $sock: permission denied. Run 'sudo usermod -aG sleeptune .USER', then log in again. Or start your own"
        is "root without a daemon of its own sees the system's" "$(as_user=(); whose)" "the system's sleeptuned"
        chmod 666 "$sock"
        is "who may sees it" "$(whose --system)" "the system's sleeptuned. Your own sleeptuned runs, too. To see it, leave out --system"
        kill "$own"
        wait "$own"
        is "without his own he sees the system's, and how to have his own" "$(whose)" \
            "the system's sleeptuned. To watch your own sound server: systemctl --user enable --now sleeptuned"
        is "his socket has gone" "$(ls "$own_sock" 2>/dev/null)" ""
    fi
    stop
fi
tap_done
