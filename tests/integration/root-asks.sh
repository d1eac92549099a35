#!/usr/bin/env bash
# Root asks a user's servers, whose configuration starts that user's program: it gets nothing of root's. And root asks
# its own with an environment that another user left there. With the real client of PipeWire.
. "$SLEEPTUNE_SRC/tests/tap.sh"
[ "$(uname -s)" = Linux ] || skip_all "servers are asked on Linux only"
need pw-metadata script setsid pgrep
alone "$@"
own_tmp
mark=4242.$$ # seconds that the hidden process sleeps: its name
trap 'hidden | xargs -r kill -KILL; umount /run 2>/dev/null; clean_up' EXIT
trap 'exit 1' INT TERM
chmod 755 "$tmp"
# ann has the number of nobody; /etc/passwd and /run are this test's own
home=$tmp/home log=$tmp/home/log
mkdir -p "$home/.config/pipewire/client.conf.d" "$tmp/bin" "$tmp/evil"
{ echo "ann-of-sleeptune:x:65534:65534::$home:/bin/sh"; cat /etc/passwd; } >"$tmp/passwd"
mount --make-rprivate / && mount --bind "$tmp/passwd" /etc/passwd && mount -t tmpfs -o mode=755 none /run || skip_all "no right to mount here"
mkdir -p /run/user/65534
chmod 700 /run/user/65534
chown 65534:65534 /run/user/65534
cat >"$home/program" <<SH
#!/bin/sh
# what a user's program does with root's terminal, and how it stays
echo "ran as \$(id -u)" >>$log
( : </dev/tty ) 2>>$log && echo "has the terminal" >>$log
echo "session \$(ps -o sid= -p \$\$)" >>$log
( trap '' TERM HUP INT; exec setsid sleep $mark </dev/null >/dev/null 2>&1 ) &
SH
chmod 755 "$home/program"
echo "context.exec = [ { path = \"$home/program\" args = \"\" } ]" >"$home/.config/pipewire/client.conf.d/evil.conf"
chown -R 65534:65534 "$home"
cp "$(command -v sleep)" "$tmp/bin/pipewire" # known by the program's name
behind "$tmp/bin/pipewire" 600
# a server that is silent: its client waits, and the program that it started has all the time there is
behind "$PYTHON" -c 'import os, socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o777)
s.listen(64)
time.sleep(600)' /run/user/65534/pipewire-0
wait_for test -S /run/user/65534/pipewire-0

on_a_terminal() { script -qec "$*" /dev/null </dev/null >"$tmp/out" 2>&1; }
hidden() { pgrep -f "^sleep $mark"; }

# --- another user's servers, from root's terminal --------------------------------------------------------------
# It has 1 s to run its program, which on a busy machine may not be enough
try_user() { on_a_terminal "$SLEEPTUNE" report --user ann-of-sleeptune --only linux-pipewire-quantum; grep -q session "$log"; }
wait_for try_user
said=$(cat "$log" 2>/dev/null)
like "the user's program runs as the user" "$said" '^ran as 65534$'
like "it has no terminal (ENXIO)" "$said" '/dev/tty: No such device or address$'
is "not one time, and what it left behind is killed" "$(grep 'has the terminal' <<<"$said"; hidden)" ""

rm -f "$log"
try_apply() { on_a_terminal "$SLEEPTUNE" apply --dry-run --user ann-of-sleeptune; grep -q session "$log"; }
wait_for try_apply
is "nor by apply, and nothing is left of that" "$(grep 'has the terminal' "$log"; hidden)" ""

# --- the program that watches that user's servers, which root starts --------------------------------------------
behind "${nobody[@]}" "$tmp/bin/pipewire" 600
mkdir "$tmp/helpers"
cat >"$tmp/helpers/sleeptune-observe-pipewire" <<SH
#!/bin/sh
# as one that a hostile server took over: what it gets of root's terminal, and how it stays
{ echo "watched as \$(id -u) \$(id -g) \$(id -G)"
[ "\$(ps -o sid= -p \$\$ | tr -d ' ')" = \$\$ ] && echo "own session"
( : </dev/tty ) 2>&1 && echo "has the terminal"
sed -n 's/^NoNewPrivs:.*1/no new rights/p' /proc/self/status
( ulimit -Hr; ulimit -Hl; ls /proc/self/fd ) | xargs; } >>$log
( trap '' TERM HUP INT; exec setsid sleep $mark </dev/null >/dev/null 2>&1 ) &
sleep 0.1
echo ready the server of ann
exec cat >/dev/null
SH
chmod 755 "$tmp/helpers/sleeptune-observe-pipewire"
try_check() { rm -f "$log"; on_a_terminal env SUDO_USER=ann-of-sleeptune SLEEPTUNE_OBSERVE_DIR="$tmp/helpers" "$SLEEPTUNE" check --duration 2s; grep -q "no new rights" "$log"; }
wait_for try_check
said=$(cat "$log" 2>/dev/null)
is "check as root: who watches the user's server is that user from the first instruction on" "$(grep watched <<<"$said")" "watched as 65534 65534 65534"
like "in a session of its own, without root's terminal and without new rights" "$(tr '\n' '|' <<<"$said")" \
    '\|own session\|.*/dev/tty: No such device or address\|no new rights\|'
is "what left its group is killed" "$(hidden)" ""
# the same folder, but of that user
chown 65534 "$tmp/helpers"
rm -f "$log"
on_a_terminal env SUDO_USER=ann-of-sleeptune SLEEPTUNE_OBSERVE_DIR="$tmp/helpers" "$SLEEPTUNE" check --duration 2s
is "a folder of helper programs that another user can change is not root's choice" "$(grep watched "$log" 2>/dev/null)" ""

# --- root's sleeptuned, and that user's server --------------------------------------------------------------------
chown 65534 /run/user/65534/pipewire-0
printf '%s\n' "socket: { path = \"$tmp/sock\"; };" 'loop: { when = "playing"; }; history: { enabled = "off"; };' \
    'observe: { jack = "off"; pulseaudio = "off"; alsa = "off"; pipewire_server = "/run/user/65534/pipewire-0"; };' >"$tmp/conf"
end() { kill "$daemon"; wait "$daemon"; }
behind env PIPEWIRE_REMOTE=evil JACK_PROMISCUOUS_SERVER=1 "$SLEEPTUNED" -f -c "$tmp/conf" 2>"$tmp/daemon"
daemon=$!
helper() { pgrep -P "$daemon" sleeptune-obser; }
wait_for helper
rights() { awk '/^(Uid|Gid|Groups|CapEff):/ { $1 = ""; print }' "/proc/$(helper)/status" | xargs; }
becomes() { [ "$(rights)" = "65534 65534 65534 65534 65534 65534 65534 65534 65534 0000000000000000" ]; }
ok "the program that root's sleeptuned starts for a server becomes its owner" wait_for becomes
is "it has nothing of root's environment" "$(tr '\0' '\n' <"/proc/$(helper)/environ" | cut -d= -f1 | sort | xargs)" "HOME LOGNAME PATH USER XDG_RUNTIME_DIR"
end
chmod 777 /run/user/65534 # others can put another socket there
behind "$SLEEPTUNED" -f -c "$tmp/conf" 2>"$tmp/daemon"
daemon=$!
ok "a server that others can replace is not watched" wait_for grep -q 'does not watch the dropouts of pipewire: observe.pipewire_server: /run/user/65534/pipewire-0 is not a socket, or other users than its owner can replace it' "$tmp/daemon"
is "by no program" "$(helper)" ""
end
chmod 700 /run/user/65534

# --- what root's programs are told, and pass on, of 200 variables of another user ---------------------------------
mkdir "$tmp/theirs"
chown 65534 "$tmp/theirs"
# all that the libraries here know by a name that looks like one, those of the list, and made-up ones of the same libraries
known() {
    find "$SLEEPTUNE_BUILD/cli" "$SLEEPTUNE_BUILD/daemon" "$SLEEPTUNE_BUILD/xruns/helpers" -maxdepth 1 -type f -perm -u+x -exec ldd {} + |
        awk '/=> \// { print $3 }' | sort -u | xargs grep -aohE '\b(ALSA|DBUS|JACK|PIPEWIRE|PULSE|SOUNDIO|SPA|SQLITE|SYSTEMD|XDG)_[A-Z_]+[A-Z]\b'
    printf '%s\n' HOME TMPDIR STATE_DIRECTORY NOTIFY_SOCKET SLEEPTUNE_{MODULE_DIR,OBSERVE_DIR,SOCKET,TRACE} XDG_{CONFIG,STATE,CACHE,DATA}_HOME XDG_RUNTIME_DIR \
        LANG LC_ALL LC_CTYPE TZ TERM USER LOGNAME SHELL BASH_ENV ENV IFS PYTHONPATH DISPLAY WAYLAND_DISPLAY
    for i in {1..100}; do printf '%s\n' "JACK_EVIL_$i" "PIPEWIRE_EVIL_$i"; done
}
mapfile -t names < <(known | sort -u)
theirs=()
for name in "${names[@]}"; do theirs+=("$name=$tmp/theirs"); done
ok "${#names[@]} variables" [ "${#names[@]}" -ge 200 ]
told=(env "${theirs[@]}" ASKED_NAMES="$tmp/asked" LD_PRELOAD="$(preloadable "$SLEEPTUNE_BUILD/tests/integration/asked_names.so")")
for command in "check -d 1s" report heard status; do
    # shellcheck disable=SC2086
    "${told[@]}" "$SLEEPTUNE" $command >/dev/null 2>&1
done
behind "${told[@]}" "$SLEEPTUNED" -a -f -c "$tmp/conf" 2>"$tmp/daemon"
daemon=$!
wait_for helper
sleep 2
is "a child of the daemon has none of them" "$(tr "\0" "\n" <"/proc/$(helper)/environ" | grep -c "=$tmp/theirs\$")" 0
end
ok "variables were asked for" grep -q '^XDG_RUNTIME_DIR=' "$tmp/asked"
is "no program, and no library, gets what another user set" "$(grep "$tmp/theirs" "$tmp/asked" | sort -u)" ""

# --- root's own servers, with the environment of that user ------------------------------------------------------
rm -f "$log"
for command in report "apply --dry-run" verify snapshot; do
    # shellcheck disable=SC2086
    env -u XDG_RUNTIME_DIR HOME="$home" XDG_CONFIG_HOME="$home/.config" "$SLEEPTUNE" $command >/dev/null 2>&1
done
is "HOME of another user: that user's program is not run by root" "$(cat "$log" 2>/dev/null)" ""
printf '#!/bin/sh\necho "ran as $(id -u)" >>%s\n' "$log" | tee "$tmp/evil/pw-metadata" >"$tmp/evil/sleep"
chmod 755 "$tmp/evil/"*
PATH=$tmp/evil:$PATH "$SLEEPTUNE" snapshot >/dev/null 2>&1
is "PATH of another user: its pw-metadata is not run" "$(cat "$log" 2>/dev/null)" ""
PATH=$tmp/evil:$PATH "$SLEEPTUNE_LAB" exec 'sleep 0' --runs 1 --warmup 0 >/dev/null 2>&1
is "nor what a benchmark starts by its name" "$(cat "$log" 2>/dev/null)" ""
tap_done
