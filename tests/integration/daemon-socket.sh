#!/usr/bin/env bash
# The socket: two daemons, a path that is taken, too long or in a missing folder; kill -9.
. "$SLEEPTUNE_SRC/tests/tap.sh"
# with a folder /run of its own root can have the system's daemon beside that of a user
if [ -z "${OWN_RUN:-}" ] && [ "$(uname)$(id -u)" = Linux0 ] && unshare -m mount -t tmpfs -o mode=755 tmpfs /run 2>/dev/null; then
    OWN_RUN=yes exec unshare -m sh -c 'mount -t tmpfs -o mode=755 tmpfs /run && exec "$0"' "$0"
fi
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
own_state

config 'audio: { backend = "none"; };'
starts "the first daemon starts"
ends() { timeout 60 "$SLEEPTUNED" -a -f -c "$conf"; }
second() { local status=0; ends >"$tmp/second" 2>&1 || status=$?; sed "s/$daemon/PID/" "$tmp/second"; return "$status"; }
screen_is another-holds-the-socket second
ok "the first one is not disturbed" value_is 'd["pid"]' "$daemon"

killed
is "kill -9 leaves the socket behind" "$(test -S "$sock" && echo there)" there
"$SLEEPTUNE" status --socket "$sock" >"$tmp/out" 2>"$tmp/err"
is "sleeptune status ends with 4, and prints nothing on stdout" "$? $(cat "$tmp/out")" "4 "
like "and says how to start one" "$(cat "$tmp/err")" "no sleeptuned is listening on $sock. Run "
starts "the next daemon starts over it"
ok "and tells that the one before was killed, though no minute was over" wait_for value_is 'any(e["event"] == "unclean-end" for e in d["events"])' True
stops "and ends cleanly"

start
ok "it writes its history" wait_for value_is 'd["history"]["state"]' writing
is "a kill is forgotten after a clean end" "$(value 'any(e["event"] == "unclean-end" for e in d["events"])')" False
config 'audio: { backend = "none"; };'
sed -i 's|path = "[^"]*"; |&group = "no-such-group-here"; |' "$conf"
kill -HUP "$daemon"
ok "an unknown group at SIGHUP is said in the status" wait_for value_is '[x["what"] for x in d["degraded"] if x["what"] == "socket"]' "['socket']"
reload 'audio: { backend = "none"; };'
ok "until the file is right again" wait_for value_is '[x["what"] for x in d["degraded"] if x["what"] == "socket"]' '[]'
stop

echo precious >"$sock"
screen_is a-file-in-the-way ends
is "and is left alone" "$(cat "$sock")" precious
rm "$sock"

# a missing folder, a path that is too long, an unknown group: test_socket
screen_is status-of-a-path-that-is-too-long "$SLEEPTUNE" status --socket "/$(printf %0120d 1)"
config 'audio: { backend = "none"; };'
screen_is -t no-socket "$SLEEPTUNE" status --socket "$conf"

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
        "the running sleeptuned has version $other, this command has $version. Restart sleeptuned: $([ "$(uname)" = Linux ] && echo systemctl --user || echo service) restart sleeptuned"
    stop
    starts "restarted, it has the same one" "${as_user[@]}"
    if [ -n "${OWN_RUN:-}" ] || cannot "the system's daemon runs, too" "needs root, and the right to mount"; then
        mkdir -p /run/user
        ln -s "$tmp/run" /run/user/65534
        # his daemon is named, not asked; root without sudo: it may be a user's own
        for command in status history heard; do screen_is -t "under-sudo-$command" env SUDO_UID=65534 SUDO_USER=nobody "$SLEEPTUNE" $command; done
        export PATH=${SLEEPTUNED%/*}:$PATH
        unfolded() (set -o pipefail; "$@" 2>&1 | sed "s|'/[^']*/sleeptuned -f'|'sleeptuned -f'|") # root's PATH is the usual one
        screen_is -t under-sudo-of-who-has-none unfolded env SUDO_UID=1 "$SLEEPTUNE" status
        screen_is -t root-alone unfolded "$SLEEPTUNE" status
        for system in "" --system; do screen_is -t "a-user-without-one$system" env XDG_RUNTIME_DIR="$tmp/none" "${as_user[@]}" "$SLEEPTUNE" status $system; done
        [ -e /var/lib/sleeptune/history.db ] ||
            like "a user is told of his own place" "$(XDG_RUNTIME_DIR=$tmp/none "${as_user[@]}" "$SLEEPTUNE" history 2>&1)" '; there is no history in ~/.local/state'
        like "a program that is not in PATH is named with its folder" \
            "$("${as_user[@]}" env XDG_RUNTIME_DIR="$tmp/none" PATH=/nowhere "$SLEEPTUNE" status 2>&1)" "or '/.*/sleeptuned -f'"
        own=$daemon own_sock=$sock sock=/run/sleeptune/sleeptuned.sock log=$tmp/log3
        starts "the system's daemon runs, too"
        is "the user sees his own, and how to see the other" "$(whose)" "your own sleeptuned. The system's runs, too: add --system"
        screen_is -t the-systems-is-not-his "${as_user[@]}" "$SLEEPTUNE" status --system
        is "root without a daemon of its own sees the system's" "$(as_user=(); whose)" "the system's sleeptuned"
        chmod 666 "$sock"
        is "who may sees it" "$(whose --system)" "the system's sleeptuned. Your own sleeptuned runs, too. To see your own, leave out --system"
        ended_by TERM "$own"
        is "without his own he sees the system's, and how to have his own" "$(whose)" \
            "the system's sleeptuned. To watch your own sound server: systemctl --user enable --now sleeptuned"
        is "his socket has gone" "$(ls "$own_sock" 2>/dev/null)" ""
    fi
    stop
fi
tap_done
