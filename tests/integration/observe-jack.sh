#!/usr/bin/env bash
# Xruns of a real JACK server (dummy driver), with a client that stalls.
# shellcheck disable=SC2034
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_shm "$@"
if [ "$(id -u)" -eq 0 ] && [ -n "${TAP_OWN_SHM:-}" ]; then # another user's files, to be put in the place of libjack's
    mkdir -m 777 /dev/shm/theirs && touch /dev/shm/theirs/file && chmod 777 /dev/shm
fi
go_on_as_nobody
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need jackd pgrep
[ -x "$SLEEPTUNE_BUILD/xruns/helpers/sleeptune-observe-jack" ] || skip_all "built without libjack"
source=jack
. "$SLEEPTUNE_SRC/tests/integration/observe-lib.sh"
own_state
name=sleeptune-observe-$$
export JACK_DEFAULT_SERVER=no-such-server JACK_NO_AUDIO_RESERVATION=1
trap 'clean_up; rm -f /dev/shm/jack*"$name"*' EXIT # what libjack leaves behind
# a period of 171 ms: the machine's own noise is no xrun
jack() { server jackd -n "$name" -r "$@" -d dummy -r 48000 -p 8192; }

db=/dev/shm/jack_db-$(id -u)
left() { ls -d "$db" /dev/shm/jack-shm-registry 2>/dev/null; }
before=$(left)
is "without a server it says so" "$(says)" 'absent JACK server "no-such-server" is not running for this user
status 2'
is "and nothing of JACK is made" "$(left)" "$before"
is "a name that libjack has no room for is said" "$(JACK_DEFAULT_SERVER=$(printf 'x%.0s' $(seq 5000)) "$observer" </dev/null 2>&1)" "absent the name of the JACK server is longer than 255 bytes"

library=$(find /usr/lib -path '*/pipewire-*/jack/libjack.so.0' 2>/dev/null | head -1)
if [ -n "$library" ] || cannot "PipeWire's libjack is not watched as JACK" "pipewire-jack is not installed"; then
    is "PipeWire's libjack is not watched as JACK" "$(LD_LIBRARY_PATH=$(dirname "$library") "$observer" <>"$tmp/no-end" 2>&1)" "absent the installed JACK library is PipeWire's, so sleeptuned watches JACK's programs with those of PipeWire"
fi

only "jack_server = \"$name\";"
starts "the daemon starts"
ok "without a server the source is absent, and the status says why" wait_for of_like why "JACK server \"$name\" is not running for this user|ended its reports"
is "what was never watched has no count" "$(of device_dropouts)" None

jack -S
wait_for grep -q 'non-realtime mode' "$tmp/server.log" && kill -0 "$server" || skip_rest "a JACK server" "jackd does not run here: $(tail -1 "$tmp/server.log")"
ok "a server that comes is watched, and the status says which" wait_for of_is why "JACK server \"$name\", 8192 frames at 48000 Hz"
if [ "$(uname)" = Linux ]; then # fields 19 and 41 of /proc/PID/stat; 3 is SCHED_BATCH
    is "its helper takes the CPU from no one when it wakes up" \
        "$(sed 's/.*) //' "/proc/$(pgrep -P "$daemon" sleeptune-obser)/stat" | cut -d' ' -f17,39)" "10 3"
fi
export JACK_DEFAULT_SERVER=$name
# another user's files in the place of libjack's database
if [ -z "$before" ] && [ -d /dev/shm/theirs ] || cannot "a database that another user can change is not opened" "needs root and its own /dev/shm"; then
    mv "$db" "$db.own"
    mkdir -m 777 "$db"
    is "a database that another user can change is not opened" "$(says)" "absent another user can change $db, which libjack would open. Remove that folder as root, then start JACK again
status 2"
    rmdir "$db"
    mv "$db.own" "$db"
    mv /dev/shm/theirs/file "$db/__db.009"
    like "nor one with a file of another user in it" "$(says)" "^absent another user can change $db,"
    rm "$db/__db.009"
    touch "$db/__db.009"
    chmod 664 "$db/__db.009"
    like "nor one with a file that a group can write to" "$(says)" "^absent another user can change $db,"
    rm "$db/__db.009"
fi
stall_jack=$SLEEPTUNE_BUILD/tests/integration/stall_jack
# plays NAME [TO]: one that never stalls, as process $player
plays() {
    behind "$stall_jack" 0 "$@" <>"$tmp/no-end" >"$tmp/plays" 2>&1
    player=$!
    wait_for grep -q playing "$tmp/plays"
}
does "a client plays" client "$stall_jack" 600
does "a quiet run has no xrun" quiet
before=$(of device_dropouts)
messages() { grep -c 'Process XRun' "$tmp/server.log"; }
unseen=$(($(messages) - before)) # while it was not yet watched
does "the client stalls" stall
more() { [ "$(of device_dropouts)" -gt "$before" ]; }
ok "which is seen" wait_for more
# of several messages in a row each is of the same loss
as_told() { [ "$(of device_dropouts)" -le $(($(messages) - unseen)) ] && [ "$(of client_dropouts)" = 0 ]; }
ok "in synchronous mode it is an xrun of the device, not more than there are messages of the server" wait_for as_told
ok "it becomes an event, after a moment" wait_for value_is \
    '[(e["source"], e["device"], e["certainty"], e["count_n"] >= 1) for e in d["events"] if e["event"] == "device-dropout"][:1]' "[('jack', '$name', 'exact', True)]"
like "and a metric" "$(ask /metrics)" "^sleeptune_device_dropouts_total\\{source=\"jack\"\\} $(of device_dropouts)\$"
does "a mark is kept as a file" traced
like "it has what was left of JACK's cycle" "$traced" "jack: $name: [1-9][0-9]* values, .* to 1[67][0-9]\.[0-9] ms"
like "who was watched, and that JACK does not report cycles of clients" "$(tr '\n' ' ' <<<"$traced")" 'watched: .*jack: JACK server .*cycles: 1 slices, only PipeWire reports'
end_client

helper=$(pgrep -P "$daemon" -x sleeptune-obser)
ok "the helper program is the daemon's" test -n "$helper"
end_server
ok "a server that ends is absent, and the status says why" wait_for of_like why "JACK server \"$name\" (has ended|is not running)"
is "no event has announced it as watched when it had ended" \
    "$(value '[e["text"] for e in d["events"] if e["event"] == "observe" and "ended" in e["text"]]')" '[]'
before=$(of device_dropouts)
jack
ok "one that comes again is watched again" wait_for of_is state watching
is "counts go on" "$(counts)" "$before 0"
unseen=$(($(messages) - before))
does "a client plays there" client "$stall_jack" 600
does "it stalls" stall
two() { [ "$(of client_dropouts)" -gt 0 ] || [ "$(of device_dropouts)" -gt "$before" ]; }
ok "which is seen" wait_for two
by_messages() { [ "$(of device_dropouts)" -le "$(($(messages) - unseen))" ]; }
ok "in asynchronous mode the device goes on: no xrun of it but those of the server's messages" wait_for by_messages
# jack2 tells of a stall once or twice there: it is one loss
as_told() { [ "$(of client_dropouts)" -ge 1 ] && [ "$(of client_dropouts)" -le "$(grep -c 'JackEngine::XRun: client' "$tmp/server.log")" ]; }
ok "the client was starved, not more often than the server says" wait_for as_told
late() { value "[(c['name'], c['dropouts']) for s in d['observe'] if s['source'] == 'jack' for c in s['clients'] if c['dropouts'] > 0]"; }
is "it is named, as the server's log has it" "$(late)" "[('stall', $(of client_dropouts))]"
does "a client without any connection is there, too" plays Metro ""
watch loads
wait_for value_is "[s['in_use']['frames'] for s in d['observe'] if s['source'] == 'jack']" '[8192]'
like "the buffer in use is known, and whose wish it is, on the screen" "$("$SLEEPTUNE" status --details --socket "$sock" | tr '\n' ' ' | tr -s ' ')" "8192 frames at 48 kHz \\(171 ms\\), first dropout [0-9:]+, last [0-9:]+, [0-9]+ s ago; this buffer size was set when JACK started \\(-p\\), or later by a program"
ok "the server's load is reported" wait_for grep -Eq "^load cycles_n=59 busy_median_ns=[0-9]+ busy_p99_ns=[0-9]+ busy_max_ns=[0-9]+ period_ns=170666666 frames=8192 rate_hz=48000 device=$name\$" "$tmp/loads"
ok "and that the client plays" wait_for grep -q "^load .* client=stall\$" "$tmp/loads"
is "the one without a connection does not" "$(grep -c Metro "$tmp/loads")" 0
end_watchers
kill "$player"
end_client

# JACK's log names both clients of a chain, and the second one first
does "a client plays" plays 'Amp Sim'
does "what another one plays into it" client "$stall_jack" 600 'Bass Büro' 'Amp Sim:in'
did=$(grep -c 'XRun: client = Amp Sim' "$tmp/server.log")
does "the first one stalls" stall
bass() { late | grep -q "'Bass Büro', [1-9]"; }
ok "it is named" wait_for bass
ok "the log names the second one, too" [ "$(grep -c 'XRun: client = Amp Sim' "$tmp/server.log")" -gt "$did" ]
is "which waited for the first one, and is not accused" "$(late | grep -c Amp)" 0
before=$(of device_dropouts)
kill -STOP "$server"
sleep 1
kill -CONT "$server"
# without a client that got no time, nothing tells a late server from a card that was silent for a moment
itself() { late | grep -q "'JACK', [1-9]" || [ "$(of device_dropouts)" -gt "$before" ]; }
ok "a server that was stopped itself is named, or its device" wait_for itself
is "of a chain the second one is still not accused" "$(late | grep -c Amp)" 0
kill "$player"
end_client
end_server
ok "it ends again" wait_for of_like state absent

# without a log
behind jackd -n "$name" -r -d dummy -r 48000 -p 8192 > >(cat >"$tmp/piped.log") 2>&1
server=$!
ok "a server whose messages cannot be read is watched" wait_for of_like state watching
does "one client plays there" client "$stall_jack" 600 Lonely
does "it stalls" stall
lonely() { late | grep -q "'Lonely', [1-9]"; }
ok "it was that one: there is no other" wait_for lonely
does "two clients play there" plays Quiet
does "one of them stalls" stall
unnamed() { late | grep -q '(None, [1-9]'; }
ok "and no one is accused" wait_for unnamed
like "nor is the quiet one" "$(late | grep -c Quiet)" 0
kill "$player"
end_client
end_server
ok "that server ends" wait_for of_like state absent
jack
ok "a server is watched again" wait_for of_is state watching

stop
only "jack_server = \"$name\";"
echo 'audio: { backend = "jack"; };' >>"$conf"
starts "a daemon whose own stream plays there starts" # $JACK_DEFAULT_SERVER is this server now
ok "it plays" wait_for value_is 'd["audio"]["state"]' playing
ok "the status says that it counts the same xruns" wait_for of_is why \
    "JACK server \"$name\", 8192 frames at 48000 Hz; sleeptuned's own test stream uses this server, too, and counts each xrun itself"
only "jack_server = \"$name\";"
kill -HUP "$daemon"
ok "and no more when it has gone" wait_for of_is why "JACK server \"$name\", 8192 frames at 48000 Hz"

the_end "the JACK server does not answer. If a client that was killed left an empty /dev/shm/jack_db-UID/__db.001, remove that file"
