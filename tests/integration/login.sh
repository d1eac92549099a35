#!/usr/bin/env bash
# Root asks a login of another user for that user's rights: `report --user`, and under sudo. The user's shell runs what the user
# wants; root believes numbers about that user's rights, and is held up for ten seconds at most.
. "$SLEEPTUNE_SRC/tests/tap.sh"
[ "$(uname -s)" = Linux ] || skip_all "the user is made up in a mount namespace of Linux"
need su script setsid pgrep
alone "$@"
own_tmp
hidden() { pgrep -f "^sleep $mark"; }
mark=4343.$$ # seconds that the hidden process sleeps: its name
trap 'hidden | xargs -r kill -KILL; clean_up' EXIT
trap 'exit 1' INT TERM
chmod 755 "$tmp"
home=$tmp/home
mkdir "$home"
{ echo "ann-of-sleeptune:*:65533:65534::$home:/bin/sh"; cat /etc/passwd; } >"$tmp/passwd"
mount --make-rprivate / && mount --bind "$tmp/passwd" /etc/passwd || skip_all "no right to mount here"
as_ann() { setpriv --reuid 65533 --regid 65534 --clear-groups "$@"; }
as_ann test -x "$SLEEPTUNE" || skip_all "another user may not run $SLEEPTUNE, so a login cannot, either"

# ask [VARIABLE=VALUE...]: what root's report knows of ann's rights: "KEY=VALUE" of what rules quote; the words on stderr are in $tmp/err
ask() {
    SECONDS=0
    env "$@" "${program:-$SLEEPTUNE}" report "${user[@]}" --no-servers --json \
        --only linux-rt-permission,linux-memlock >"$tmp/json" 2>"$tmp/err"
    "$PYTHON" -c 'import json, sys
seen = {e["key"]: e["value"] if e["state"] == "ok" else e["state"] for f in json.load(sys.stdin)["findings"] for e in f["evidence"]}
print(*(f"{k}={seen[k]}" for k in sorted(seen) if k.startswith(("linux.rt.fifo_errno", "linux.rt.rtprio", "user.uid"))))' <"$tmp/json"
}
user=(--user ann-of-sleeptune)
profile() { cat >"$home/.profile"; chown -R 65533:65534 "$home"; }
unread='linux.rt.fifo_errno=unreadable linux.rt.rtprio_limit=unreadable user.uid=65533'
unknown='the rights of user ann-of-sleeptune are unknown \(a test login failed: .*\)\. As that user, run: sleeptune report'

# --- a login ------------------------------------------------------------------------------------------------------
limit=$(su -l -s /bin/sh ann-of-sleeptune -c 'ulimit -r' 2>/dev/null)
is "the rights are those of a login" "$(ask A=)" "linux.rt.fifo_errno=1 linux.rt.rtprio_limit=${limit:-0} user.uid=65533"
is "without a word" "$(cat "$tmp/err")" ""
is "so they are under sudo" "$(user=(); ask SUDO_USER=ann-of-sleeptune)" "linux.rt.fifo_errno=1 linux.rt.rtprio_limit=${limit:-0} user.uid=65533"
# that PAM sets the limits, also of a group: tests/vm/31-service-life.sh

# --- what the user's shell gets of root's, from root's terminal -----------------------------------------------------
profile <<SH
{ ( : </dev/tty ) 2>&1 && echo "has the terminal"
readlink /proc/self/fd/0; readlink /proc/\$\$/fd/* | grep -v -e profile -e log -e pipe: | sort -u; env | grep -c MINE; } >$home/log
( trap '' TERM HUP INT; exec setsid sleep $mark </dev/null >/dev/null 2>&1 ) &
SH
MINE=1 script -qec "$SLEEPTUNE report --user ann-of-sleeptune --no-servers" /dev/null </dev/null >/dev/null 2>&1 9</etc/passwd
like "it has no terminal (ENXIO)" "$(cat "$home/log")" '/dev/tty: No such device or address$'
is "/dev/null, no descriptor more, nothing of the environment" "$(grep -v tty "$home/log" | xargs)" "/dev/null /dev/null 0"
is "what it left behind is killed" "$(hidden)" ""

# --- what it prints --------------------------------------------------------------------------------------------------
claim() { # claim UID ERRNO LIMIT: false marks, read from the shell's own command line, with a snapshot between them
    profile <<SH
m=\$(tr '\\0' ' ' </proc/\$\$/cmdline | sed 's/.*echo \\([0-9a-f]*\\);.*/\\1/')
echo "\$m"
echo '{"schema": "sleeptune-snapshot/1", "os": "linux", "facts": [{"key": "user.uid", "state": "ok", "value": $1},
{"key": "user.name", "state": "ok", "value": "root"}, {"key": "linux.kernel.release", "state": "ok", "value": "6.66-false"},
{"key": "linux.rt.fifo_errno", "state": "ok", "value": $2}, {"key": "linux.rt.rtprio_limit", "state": "ok", "value": $3}]}'
echo "\$m"
exit 0
SH
}
claim 65533 0 95
is "rights may be claimed" "$(ask A=)" "linux.rt.fifo_errno=0 linux.rt.rtprio_limit=95 user.uid=65533"
claim 65533 5000 -7
is "numbers out of range may not" "$(ask A=)" "$unread"
is "nor anything else" "$(tr -d ' \n' <"$tmp/json" | grep -cE '6.66-false|"user.name","value":"root"')" 0
claim 0 0 95
is "nor another user" "$(ask A=)" "$unread"
for what in 'exits:exit 0' 'is another program:exec true' 'prints no JSON:sleeptune() { :; }; alias echo=true; exec echo x' \
    "prints 1 GB:head -c 1000000000 /dev/zero | tr '\\0' x"; do
    profile <<<"${what#*:}"
    is "a shell that ${what%%:*}" "$(ask A=)" "$unread"
    like "is said, with the command that decides" "$(cat "$tmp/err")" "^$unknown$"
done
profile <<<"sleep $mark"
is "a shell that never ends" "$(ask A=)" "$unread"
like "is said, too" "$(cat "$tmp/err")" "^$unknown$"
is "is waited for ten seconds" "$((SECONDS < 30))" 1
is "and is killed" "$(hidden)" ""
profile <<<"( trap '' TERM HUP INT; exec setsid sleep $mark 2>/dev/null ) &"
is "a daemon that keeps the pipe changes nothing" "$(ask A=)" "linux.rt.fifo_errno=1 linux.rt.rtprio_limit=${limit:-0} user.uid=65533"
is "and is killed, too" "$(hidden)" ""
rm "$home/.profile"

# --- a program that others can change --------------------------------------------------------------------------------
mkdir "$tmp/theirs"
cp "$SLEEPTUNE" "$tmp/theirs/"
chown 65534 "$tmp/theirs"
is "a program of which others can change the folder is not run" "$(program=$tmp/theirs/sleeptune ask A=)" "$unread"
like "which is said" "$(cat "$tmp/err")" "^$unknown$"
is "who is not root learns nothing of others" "$(as_ann "$SLEEPTUNE" report --user nobody --no-servers 2>&1 >/dev/null | head -1)" \
    "the rights of user nobody are unknown (a test login failed: Operation not permitted). As that user, run: sleeptune report"

tap_done
