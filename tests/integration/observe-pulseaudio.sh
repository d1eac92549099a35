#!/usr/bin/env bash
# Streams of a real PulseAudio server (null sink) that run empty, as their program is stopped.
# shellcheck disable=SC2034
. "$SLEEPTUNE_SRC/tests/tap.sh"
go_on_as_nobody
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need pulseaudio pacat pactl pgrep
[ -x "$SLEEPTUNE_BUILD/xruns/helpers/sleeptune-observe-pulseaudio" ] || skip_all "built without libpulse"
source=pulseaudio
. "$SLEEPTUNE_SRC/tests/integration/observe-lib.sh"
own_state
export PULSE_SERVER=unix:$tmp/pulse PULSE_COOKIE=$tmp/cookie
sound() {
    server pulseaudio -n --daemonize=no --exit-idle-time=-1 --use-pid-file=no -L 'module-null-sink sink_name=nul rate=48000' \
        -L "module-native-protocol-unix socket=$tmp/pulse auth-anonymous=1"
    wait_for pactl info
}
# 1.5 s are queued: the machine's own noise starves nobody. Sets $player, and $other, which says who it is.
play() {
    PULSE_PROP="application.process.id=$daemon" pacat --playback --latency-msec=1500 --client-name=player </dev/zero >/dev/null 2>&1 &
    player=$!
    pacat --playback --latency-msec=1500 --client-name=other </dev/zero >/dev/null 2>&1 &
    other=$!
    pids+=("$player" "$other")
}

is "without a server it says so" "$(says)" "absent PulseAudio is not running for this user
status 2"

only
starts "the daemon starts"
ok "without a server the source is absent" wait_for of_like state absent
sound || skip_rest "a PulseAudio server" "pulseaudio does not run here: $(tail -1 "$tmp/server.log")"
ok "a server that comes is watched, and the status says what" wait_for of_like why 'how much sound each stream of pulseaudio [0-9]+\.'
play
sleep 4
is "a quiet run starves nobody" "$(counts)" "0 0"
asked() { "$SLEEPTUNE" status --socket "$sock" | tr -s ' \n' ' ' | grep -Eo '(player|other) has a buffer of about (1[2-5][0-9]{2}) ms'; }
ok "the status says how long a buffer its program asked for, about" wait_for asked
does "somebody else watches them, too" watch stops
sleep 5 # how long its buffer is takes 16 looks
kill -STOP "$player" "$other"
sleep 5
is "a stream that is empty may have ended: nothing is said yet" "$(counts)" "0 0"
kill -CONT "$player" "$other"
ok "when they go on both were starved, once, although one claims to be the daemon" wait_for counts_are "0 2"
ok "that one was stopped is known of it, for how long it was empty, and how long its buffer is" wait_for grep -Eq \
    '^client-dropout .* reason=stopped place=client-buffer lost_ns=[2-5][0-9]{9} .* spare_ns=1[1-5][0-9]{8} .* client=other$' "$tmp/stops"
end_watchers
watchers=()
ok "it is an event with sink and client, after a moment in which a late wake-up of that time may come" wait_for value_is \
    '[(e["source"], e["device"], e["certainty"]) for e in d["events"] if (e["event"], e.get("client")) == ("client-dropout", "player")][:1]' "[('pulseaudio', 'nul', 'probable')]"
does "a mark is kept as a file" traced
like "it has what was left in the program's queue" "$traced" 'pulseaudio: stream [0-9]+, player: [1-9][0-9]* values, [0-9.]+ to [1-9][0-9]{2,3}\.[0-9] ms'
kill "$player" "$other"
wait "$player" "$other" 2>/dev/null
head -c 600000 /dev/zero | pacat --playback --latency-msec=1500
is "a stream that plays to its end was not starved" "$(counts)" "0 2"

echo 'audio: { backend = "pulseaudio"; };' >>"$conf"
kill -HUP "$daemon"
ok "sleeptuned's own test stream plays there" wait_for value_is 'd["audio"]["state"]' playing
does "somebody else watches it, too" watch others
kill -STOP "$daemon"
sleep 3
kill -CONT "$daemon"
ok "when it was stopped, others see that its stream was starved" wait_for grep -q '^client-dropout .*client=sleeptuned' "$tmp/others"
ok "it has own dropouts" wait_for value_is 'd["audio"]["own_dropouts"] > 0' True
sleep 1
end_watchers
is "which are not another program's" "$(counts)" "0 2"
only
kill -HUP "$daemon"
ok "its stream is closed" wait_for value_is '(d["audio"]["backend"], d["audio"]["state"])' "('none', 'off')"

end_server
ok "a server that ends is absent, and the status says why" wait_for of_like why 'the PulseAudio server has ended|PulseAudio is not running|refuses the connection: Connection terminated' # that while it was asked
does "another one comes" sound
ok "and is watched" wait_for of_is state watching

the_end "the PulseAudio server does not answer"
