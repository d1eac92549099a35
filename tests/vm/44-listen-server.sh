#!/usr/bin/env bash
# vm: -k rt -q -i -c aloop
# release: guest 43 has the way over snd-aloop, tests/integration/listen-jack.sh that over JACK
# A sound server on snd-aloop: JACK plays into one half and records the other, and sleeptune over its physical ports. The graph as a whole is
# late: the device's ring runs empty, which no way within the graph hears. 20 stops (STOPS: fewer) of the server are 20 losses
# here, and within the graph none; so are 20 times in which a program's buffer is empty.
# shellcheck source=tests/tap.sh
. /share/tests/tap.sh
cp -a /share/usr /share/etc / 2>/dev/null
ldconfig
listener=$(find /usr -path '*/libexec/*' -name sleeptune-listen-jack)
mount -t tmpfs -o mode=1777 tmpfs /dev/shm 2>/dev/null
chmod a+rw /dev/snd/*
stops=${STOPS:-20}
# shellcheck source=tests/vm/heard.sh
. /share/tests/heard.sh
mkdir -p /tmp/s
chmod 777 /tmp/s
export JACK_DEFAULT_SERVER=guest JACK_NO_AUDIO_RESERVATION=1
as_user() { exec setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
(as_user jackd -n guest -r -d alsa -P hw:Loopback,0 -C hw:Loopback,1 -r 48000 -p 512 -n 3) >/tmp/s/jackd.log 2>&1 &
server=$!
sleep 3
connects() { (as_user jack_connect "$1" "$2") >/dev/null 2>&1; }
# hears WAY [player]: what comes back with $stops stops of the server, or of the program that plays, is in /tmp/s/heard
hears() {
    local victim=$server
    rm -f /tmp/s/go
    mkfifo /tmp/s/go
    chmod 666 /tmp/s/go
    (as_user "$listener" -w "$1") </tmp/s/go >/tmp/s/stream 2>/tmp/s/log &
    listening=$!
    exec 7>/tmp/s/go
    wait_for test -s /tmp/s/stream
    echo g >&7
    sleep 9
    [ -z "${2:-}" ] || victim=$(pgrep -P $listening)
    for _ in $(seq "$stops"); do
        kill -STOP "$victim"
        sleep 0.3
        kill -CONT "$victim"
        sleep 0.7
    done
    exec 7>&-
    wait $listening
    /share/tests/read_capture </tmp/s/stream >/tmp/s/heard
}
hears cable
like "JACK plays into the loop and records it" "$(head -1 /tmp/s/heard)" '^head cable 48000 2 512$'
is "each forced glitch is heard with its length" "$(heard)" "$(wanted)"
ok "and at its place" test "$(spread)" -le 2
is "$stops stops of the server are $stops losses" "$(losses)" "$stops"
[ "$tap_failed" -eq 0 ] || tap_note </tmp/s/heard
tap_note <<<"$(tail -1 /tmp/s/heard)"
hears cable player
is "$stops stops of the program that plays are $stops losses" "$(losses)" "$stops"
[ "$tap_failed" -eq 0 ] || tap_note </tmp/s/heard
latency=$(tail -1 /tmp/s/heard | cut -d' ' -f3)
(as_user stdbuf -oL jack_iodelay) >/tmp/s/iodelay 2>&1 &
iodelay=$!
wait_for connects jack_delay:out system:playback_1
connects system:capture_1 jack_delay:in
wait_for grep -q 'total roundtrip' /tmp/s/iodelay
sleep 2
kill $iodelay
measured=$(awk '/total roundtrip/ {print $1}' /tmp/s/iodelay | tail -1)
is "jack_iodelay measures the same latency on the same loop, within a frame ($latency and $measured)" \
    "$(awk -v a="$latency" -v b="$measured" 'BEGIN {print (a - b <= 1 && b - a <= 1 && b > 0)}')" 1
hears jack
is "within the graph each forced glitch is heard, too" "$(heard)" "$(wanted)"
ok "at its place" test "$(spread)" -le 2
is "and none of $stops stops of the server" "$(losses)" 0
[ "$tap_failed" -eq 0 ] || tap_note </tmp/s/heard

export PATH=/usr/local/bin:$PATH HOME=/tmp/s
sleeptune listen --signal /tmp/s/music.wav -d 180s
kill $server
wait $server

# a program whose own buffer runs empty: another process hands over what it plays; the loop's other half is recorded
(as_user jackd -n guest -r -d alsa -P hw:Loopback,0 -o 2 -r 48000 -p 512 -n 3) >>/tmp/s/jackd.log 2>&1 &
server=$!
runs() { (as_user jack_lsp) >/dev/null 2>&1; }
wait_for runs
arecord -q -D hw:Loopback,1 -f FLOAT_LE -r 48000 -c 2 /tmp/s/out.wav 2>>/tmp/s/log &
recorder=$!
(as_user /share/tests/play_jack /tmp/s/music.wav fed) >/tmp/s/feeder &
player=$!
wait_for test -s /tmp/s/feeder
sleep 9
for _ in $(seq "$stops"); do
    kill -STOP "$(cat /tmp/s/feeder)"
    sleep 0.2
    kill -CONT "$(cat /tmp/s/feeder)"
    sleep 0.4
done
kill $recorder
wait $recorder
kill $player
sleeptune listen --input /tmp/s/out.wav --json >/tmp/s/empty.json
is "$stops times a program's buffer is empty: $stops silences" "$(jq -r '[.path_class, .valid, .losses_n, (.losses | map(.kind) | unique[])] | join(" ")' /tmp/s/empty.json)" "bit-exact true $stops zeroed"
/share/tests/read_capture /tmp/s/out.wav >/tmp/s/seen
is "each with the place and length that a comparison of all samples finds" "$(awk '$1 == "damage" && ++n > 9 {print $2, $3}' /tmp/s/seen)" "$(jq -r '.losses[] | "\(.at_frame) \(.frames)"' /tmp/s/empty.json)"
[ "$tap_failed" -eq 0 ] || { jq -c . /tmp/s/empty.json; cat /tmp/s/seen /tmp/s/log; tail -30 /tmp/s/jackd.log; } | tap_note
kill $server
tap_done
