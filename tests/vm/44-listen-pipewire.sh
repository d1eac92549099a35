#!/usr/bin/env bash
# vm: -k rt -q -i -c aloop
# release: takes four minutes; 43-listen-aloop has the card, tests/integration/listen-pipewire.sh the server
# PipeWire with snd-aloop as its card, as over a cable: it plays into one half and records the other. Nothing is lost undisturbed; 20 stops (STOPS: fewer)
# of the program that plays, and of the server, are 20 losses each, but those of the server none in the monitor; and at last with a volume, and converted
# to another rate and back.
# shellcheck source=tests/tap.sh
. /share/tests/tap.sh
cp -a /share/usr /share/etc / 2>/dev/null
ldconfig
stops=${STOPS:-20}
# shellcheck source=tests/vm/graph.sh
. /share/tests/graph.sh
# without headroom a half that follows the other, in steps of 4 ms, may be put in step in every third cycle
configure 2048 "$(adapter loop-out sink Loopback,0 2000 S32LE 1024) $(adapter loop-in source Loopback,1 1000 S32LE 1024)"
begin

# listens VICTIM OPTION...: $stops stops of VICTIM ("player": the program that plays; "": none) after the forced glitches, and what listen says
listens() {
    local victim=$1 command TIMEFORMAT='%U %S'
    seconds=$((12 + stops * 7 / 10))
    { time "${as_user[@]}" sleeptune listen "${@:2}" -d ${seconds}s --json >listen.json 2>listen.log; } 2>cost &
    command=$!
    sleep 10
    [ "$victim" != player ] || victim=$(pgrep -P "$(pgrep -o sleeptune-liste)")
    for _ in $(seq "$stops"); do
        [ -z "$victim" ] || { kill -STOP "$victim"; sleep 0.2; kill -CONT "$victim"; sleep 0.5; }
    done
    wait $command
    jq -c . listen.json | tap_note
}
heard() { jq -r "$1" listen.json; }
found() { heard '[.path_class, .valid, .losses_n] | join(" ")'; }
listens '' --back cable
is "PipeWire plays into the loop and records it: bit-exact, and nothing lost" "$(found) $(heard '.plays + " " + .records')" "bit-exact true 0 loop-out loop-in"
# of the three programs: the guest's clock counts 500 million a second. 180 are 3 % of a core of 3 GHz that does two a cycle
rate=$(awk -v s=$seconds '{print int(($1 + $2) * 500 / s)}' cost)
ok "for at most 180 million instructions a second ($rate)" test "$rate" -le 180
is "this way hears each kind of loss" "$(heard '.cannot_hear[]')" ""
listens player --back cable
is "$stops stops of the program that plays are $stops losses" "$(found)" "bit-exact true $stops"
is "each with its reason" "$(heard '[.losses[].reason] | unique[]')" player-late
listens "$server" --back cable
is "$stops stops of the server are $stops losses" "$(found)" "bit-exact true $stops"
listens "$server" --back monitor --play loop-out
is "but none in the monitor of the same sink: no cycle ran; it says that it cannot hear that" "$(found) $(heard '.cannot_hear | index("graph-late") != null')" "bit-exact true 0 true"
is "and takes the time that is missing for no clock's rate" "$(heard .rate_ppm)" null

"${as_user[@]}" pw-cli set-param loop-out Props '{ channelVolumes: [ 0.5, 0.5 ] }' >/dev/null
listens player --back cable
is "$stops stops of the program that plays at -6 dB are $stops losses" "$(found) $(heard '.gain_db * 10 | round')" "linear-gain true $stops -60"

# both halves at another rate than the graph
kill "$server"
wait
sed -i 's/audio.rate = 48000/audio.rate = 44100/g' pipewire.conf
begin
listens player --back cable
is "$stops stops of the program that plays, converted to 44.1 kHz and back, are $stops losses" "$(found)" "converted true $stops"
listens "$server" --back cable
is "$stops stops of the server, too" "$(found)" "converted true $stops"
[ "$tap_failed" -eq 0 ] || cat listen.log server.log | tail -40 | tap_note
tap_done
