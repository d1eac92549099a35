#!/usr/bin/env bash
# vm: -k rt -q -i -c aloop
# The way over snd-aloop: each forced glitch comes back at its place and with its length, and nothing else; then 20 stops (STOPS: fewer) of the
# program, with a ring of 43 ms, are 20 losses.
# shellcheck source=tests/vm/guest.sh
. /share/tests/guest.sh
listener=$(find /usr -path '*/libexec/*' -name sleeptune-listen-alsa)
stops=${STOPS:-20}
slow_s=20 two_s=45
[ -z "${STOPS:-}" ] || { slow_s=10 two_s=20; }
# of what read_capture prints of a run, $heard:
heard=/tmp/s/heard
# of the nine glitches, in the words of read_capture: as they were forced, and as they were heard
wanted() { awk '$2 == "forced" {print $5 == "lost" ? "0 " $4 : $5 == "repeated" ? "0 -" $4 : $4 " 0"}' $heard; }
heard() { awk '$1 == "damage" && ++n <= 9 {print $3, $4}' $heard; }
# how far their places differ, in frames: a sample may be equal to the one that it took the place of
spread() { awk '$2 == "forced" {at[n++] = $3} $1 == "damage" && m < 9 {d = $2 - at[m++]; if (m == 1 || d < least) least = d; if (m == 1 || d > most) most = d} END {print most - least}' $heard; }
# of the rest: losses are one if they are less than 12000 frames apart
losses() { awk '$1 == "damage" && ++n > 9 && ($2 > end + 12000) {losses++} $1 == "damage" {end = $2 + $3} END {print losses + 0}' $heard; }
mkdir -p /tmp/s
mkfifo /tmp/s/go
"$listener" -w aloop </tmp/s/go >/tmp/s/stream &
listening=$!
exec 7>/tmp/s/go
wait_for test -s /tmp/s/stream
echo g >&7
sleep 9
for _ in $(seq "$stops"); do
    stop_for 0.3 $listening
    sleep 0.7
done
exec 7>&-
wait $listening
/share/tests/read_capture </tmp/s/stream >/tmp/s/heard
like "it goes over the two halves of the loop" "$(head -1 /tmp/s/heard)" '^head aloop 48000 2 512$'
is "nine glitches were forced" "$(grep -c '^event forced' /tmp/s/heard)" 9
is "each is heard with its length, and nothing else before the stops" "$(heard)" "$(wanted)"
ok "and at its place" test "$(spread)" -le 2
is "$stops stops are $stops losses" "$(losses)" "$stops"
is "the device counted them" "$(($(grep -c '^event xrun' /tmp/s/heard) >= stops))" 1
tap_note <<<"latency: $(tail -1 /tmp/s/heard)"

# a card that is 0.2 % slow: loopback.c makes 100000 / 100200 of the rate
export PATH=/usr/local/bin:$PATH
shift_of() { amixer -q -c "$1" cset "iface=PCM,name='PCM Rate Shift 100000',device=1" "$2"; }
facts() { sleeptune report --input "$1" linux-card-clocks | grep -o 'runs .* too [a-z]*\|differ by [0-9]* ppm\|keeps its sample rate'; }
is_near() { awk -v a="$1" -v b="$2" -v by="$3" 'BEGIN {exit !(a != "null" && a - b < by && b - a < by)}'; }
shift_of Loopback 100200
sleeptune listen --back aloop -d ${slow_s}s --json >/tmp/s/slow.json
ok "a card that is 0.2 % slow is measured ($(jq .rate_ppm /tmp/s/slow.json) ppm)" is_near "$(jq .rate_ppm /tmp/s/slow.json)" -1996 100 # the guest's own ticks are 50 ppm off
like "and is advice" "$(facts /tmp/s/slow.json)" '^runs 0\.(19|20) % too slow$'

# A second card, whose clock is 900 ppm slow, records what the first one plays, as over an analogue cable. Both clocks are the kernel's timer. A
# program that writes as many frames as it records would run dry after 36 s, where STOPS is not given.
modprobe -r snd-aloop
modprobe snd-aloop enable=1,1 id=Loopback,Second
shift_of Second 100090
raw() { "$@" -q -f FLOAT_LE -r 48000 -c 2 -t raw; }
raw arecord -D hw:Loopback,1 | /share/tests/other_clock 1.0009 | raw aplay -D hw:Second,0 &
sleep 1
sleeptune listen --play hw:Loopback,0 --back hw:Second,1 -d ${two_s}s --json >/tmp/s/two.json
is "two cards: nothing is lost" "$(jq -r '[.path_class, .valid, .losses_n, .plays, .records] | join(" ")' /tmp/s/two.json)" "converted true 0 hw:Loopback,0 hw:Second,1"
ok "their drift is measured ($(jq .drift_ppm /tmp/s/two.json) ppm)" is_near "$(jq .drift_ppm /tmp/s/two.json)" 900 10
ok "so is the rate of the one that records ($(jq .rate_ppm /tmp/s/two.json) ppm)" is_near "$(jq .rate_ppm /tmp/s/two.json)" -899 100
like "and is advice" "$(facts /tmp/s/two.json)" '^differ by (89[0-9]|90[0-9]|910) ppm$'
like "the screen says so" "$(sleeptune listen --play hw:Loopback,0 --back hw:Second,1 -d 10s 2>&1 | tr -s ' \n' ' ')" 'Clocks two clocks: the card that records is (89[0-9]|90[0-9]|910) ppm slower than the one that plays'
[ "$tap_failed" -eq 0 ] || tap_note </tmp/s/heard
tap_done
