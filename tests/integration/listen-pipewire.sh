#!/usr/bin/env bash
# The way over the monitor of a PipeWire sink, with a real server: what it hears, and what it does on a bad day.
# shellcheck disable=SC2154,SC2317
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
command -v setpriv >/dev/null || skip_all "setpriv is not installed"
if [ "$(id -u)" -eq 0 ]; then # root is refused
    let_nobody_in
    exec "${nobody[@]}" env HOME=/nonexistent "$0"
fi
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need pipewire wireplumber pw-cli pw-metadata dbus-daemon pgrep
listener=$SLEEPTUNE_BUILD/ears/helpers/sleeptune-listen-pipewire
[ -x "$listener" ] || skip_all "built without libpipewire"
export HOME=$tmp XDG_RUNTIME_DIR=$tmp/run
mkdir -m 700 "$XDG_RUNTIME_DIR"
unset PIPEWIRE_REMOTE PIPEWIRE_RUNTIME_DIR
server() { "$@" >>"$tmp/server.log" 2>&1 & server=$!; pids+=("$server"); }
does() { local name=$1; shift; if "$@"; then pass "$name"; else fail "$name" "$* (status $?)"; fi; }
. "$SLEEPTUNE_SRC/tests/integration/pipewire-lib.sh"
. "$SLEEPTUNE_SRC/tests/integration/listen-lib.sh"
mkfifo "$tmp/no-end" # as standard input: never ends
said() { "$listener" "$@" <>"$tmp/no-end" 2>"$tmp/listen.log" | "$read_capture"; }

is "without a server it says so" "$(said -w monitor)" "event absent 0 0 PipeWire is not running for this user"
is "an unknown option is a usage error" "$("$listener" -y </dev/null >/dev/null 2>&1; echo $?)" 3
is "so is no way" "$("$listener" </dev/null >/dev/null 2>&1; echo $?)" 3
like "another version is told" "$(said -V 0.0.1 -w monitor)" '^event absent 0 0 .* has version .*, and sleeptune has version 0\.0\.1$'
if ! sound; then
    skip "a PipeWire server" "pipewire does not run here: $(tail -1 "$tmp/server.log")"
    tap_done
fi
is "a sink that is not there is named" "$(said -w monitor -p nothing)" "event absent 0 0 PipeWire has no sink nothing"
is "so is a source" "$(said -w cable -r nothing)" "event absent 0 0 PipeWire has no source nothing"
does "nine forced glitches and 20 stops of the player are heard, each with its place and length, and nothing else" hears monitor 20
is "nothing is played before the command says so" "$silent" "$(wc -c < <(head -c "$silent" "$tmp/stream"))"
is "no process is left" "$left" ""
like "the first line is the way" "$(head -1 "$tmp/heard")" '^head monitor 48000 2 8192$'
like "the latency is known to the frame" "$(tail -1 "$tmp/heard")" '^end [0-9]+ 8192$'

# the device vanishes
mkfifo "$tmp/go2"
"$listener" -w monitor <"$tmp/go2" >"$tmp/stream" 2>"$tmp/listen.log" &
listening=$!
exec {go}>"$tmp/go2"
does "it begins again" wait_for test -s "$tmp/stream"
echo g >&"$go"
sleep 1
pw-cli destroy nul >/dev/null
ended() { ! kill -0 "$listening" 2>/dev/null; }
does "it ends with the device" wait_for ended
exec {go}>&-
like "and says why" "$("$read_capture" <"$tmp/stream")" '^event gone [0-9]+ 0 nul$'
tap_done
