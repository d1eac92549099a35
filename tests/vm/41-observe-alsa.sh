#!/usr/bin/env bash
# vm: -k rt -q -i -c hda
# Xruns of other programs on real ALSA devices without hardware (an emulated HDA, snd-dummy, snd-aloop): a player that is
# stopped is seen by the daemon with its device and name; a card that is unplugged and comes back is followed.
# shellcheck source=tests/vm/guest.sh
. /share/tests/guest.sh
modprobe snd-dummy
modprobe snd-aloop

of() { sleeptune status --json | jq -r ".observe[] | select(.source == \"$1\") | $2"; }
alsa() { of alsa "$1"; }
card() { sed -n "s/^ *\([0-9]*\) \[$1 *\].*/\1/p" /proc/asound/cards; }
running() { grep -q "state: $2" "/proc/asound/card$1/pcm0p/sub0/status"; }
since_then() { echo $(($(alsa .device_dropouts) - before)); } # aplay is one program on all cards
counts() { [ "$(since_then)" -gt 0 ]; }
says() { test "$(alsa "$1")" "$2" "$3"; }

daemon_with 'audio = { backend = "none"; };' 'observe = { alsa = "on"; };'
ok "ALSA is watched" wait_for says .state = watching
is "nobody plays: no xrun" "$(alsa .device_dropouts)" 0
streams=$(alsa .why)
like "all streams of three cards" "$streams" '^[0-9]{2} streams of sound cards$'

for name in Intel Dummy Loopback; do
    n=$(card $name) before=$(alsa .device_dropouts)
    [ -n "$n" ] || { fail "card $name is there" "$(cat /proc/asound/cards)"; continue; }
    aplay -q -D "hw:$n,0" -t raw -f S16_LE -c 2 -r 48000 --buffer-time=300000 /dev/zero 2>>/tmp/s/aplay &
    player=$!
    wait_for running "$n" RUNNING
    sleep 1.5 # several looks
    is "$name: a player that plays has no xrun" "$(since_then)" 0
    kill -STOP $player
    ok "$name: a player that is stopped has an xrun, as ALSA says" wait_for running "$n" XRUN
    ok "$name: the daemon sees it" wait_for counts
    kill -CONT $player
    sleep 1
    is "$name: it is one" "$(since_then)" 1
    is "$name: its event names device, client and how sure it is" \
        "$(sleeptune status --json | jq -r "[.events[] | select(.event == \"device-dropout\" and .device == \"hw:$n,0,0 playback\") | [.source, .client, .certainty, .count_n] | join(\" \")] | join(\";\")")" \
        "alsa aplay probable 1"
    ended_by TERM $player
done

# one that told the kernel never to stop its stream: no state says that it ran dry
n=$(card Loopback)
quiet=$(alsa .device_dropouts)
more() { [ "$(alsa .device_dropouts)" -ge $((quiet + $1)) ]; }
has_reserve() { [ "$(alsa "[.clients[] | select(.name == \"aplay\" and .reserve_ns != null) | .reserve_ns] | length")" -gt 0 ]; }
aplay -q -D "hw:$n,0" -t raw -f S16_LE -c 2 -r 48000 --buffer-time=300000 --stop-delay=100000000 /dev/zero 2>>/tmp/s/aplay &
player=$!
wait_for running "$n" RUNNING
ok "what its buffer has left at least is known" wait_for has_reserve
ok "it never stops" grep -Eq 'stop_threshold: [0-9]{7,}' "/proc/asound/card$n/pcm0p/sub0/sw_params"
for i in 1 2 3 4 5; do
    sleep 1.5
    stop_for 1 $player
    ok "loss $i of a player without xruns is seen" wait_for more "$i"
done
sleep 1
is "each is one, and it was never in state XRUN" "$(($(alsa .device_dropouts) - quiet)) $(running "$n" RUNNING && echo yes)" "5 yes"
echo "# lost: $(alsa "[.clients[] | select(.device == \"hw:$n,0,0 playback\") | .lost_ns] | tostring") in 5 stops of 1 s, the buffer lasts 0.3 s"
ended_by TERM $player

# one that starts without a sample, and stays behind
found() { [ "$(of_empty | jq length)" -gt 0 ]; }
of_empty() { sleeptune status --json | jq '[.events[] | select(.event == "device-dropout" and .client == "play_empty")]'; }
/share/tests/play_empty "hw:$n,0" 5 >/dev/null 2>>/tmp/s/aplay &
player=$!
ok "a player that starts with an empty buffer, which no xrun stops, is found" wait_for found
does "it played to its end" wait $player
is "it was found once" "$(of_empty | jq '[.[].count_n] | add')" 1

n=$(card Dummy) before=$(alsa .device_dropouts)
arecord -q -D "hw:$n,0" -t raw -f S16_LE -c 2 -r 48000 --buffer-time=300000 /dev/null 2>>/tmp/s/aplay &
player=$!
wait_for grep -q RUNNING "/proc/asound/card$n/pcm0c/sub0/status"
sleep 1
kill -STOP $player
ok "a recorder that is stopped: an overrun" wait_for counts
like "which was not run dry" "$(sleeptune status --details)" 'arecord +1 +let its stream overflow'
kill -CONT $player
ended_by TERM $player

is "metrics count them by source" "$(curl -s --unix-socket /tmp/s/sock http://localhost/metrics | grep 'dropouts_total{source="alsa"}')" \
    "sleeptune_device_dropouts_total{source=\"alsa\"} $(alsa .device_dropouts)"
like "a person is told" "$(sleeptune status)" '^aplay lost sound 8 times '

echo snd_dummy.0 >/sys/bus/platform/drivers/snd_dummy/unbind
ok "a card that is unplugged is closed" wait_for says .why != "$streams"
is "the others are still watched" "$(alsa .state)" watching
echo snd_dummy.0 >/sys/bus/platform/drivers/snd_dummy/bind
ok "it is watched again when it is back" wait_for says .why = "$streams"
daemon_ends
tap_done
