#!/usr/bin/env bash
# vm: -k rt -q -i -c usb -w 43-listen-usb.wav
# release: takes four minutes; 43-listen-aloop and 41-observe-alsa have real ALSA devices, the judge of what came back has unit tests
# What came out of a USB sound card, recorded outside of the machine by QEMU: 20 stops each (STOPS: fewer) of a program that plays
# through dmix, of one on the bare card, of one in JACK's graph, and of the graph. What is lost on the bus is time, which QEMU's file has not: `listen`
# says so, and the system's service counts it.
# shellcheck source=tests/vm/guest.sh
. /share/tests/guest.sh
stops=${STOPS:-20}
recording=/share/43-listen-usb.wav
# shellcheck source=tests/vm/recording.sh
. /share/tests/recording.sh
amixer -q -c 0 sset 'Audio Output Volume Control' 256

plays '' aplay -q -D hw:0,0 --buffer-time=500000 whole.wav
is "undisturbed: bit-exact, and nothing lost" "$(found)" "bit-exact true 0"
is "a recording has no gaps in time: it says so" "$(heard '.cannot_hear[]')" gaps
plays 0 aplay -q -D mixed test.wav
is "$stops stops of the program that plays are $stops losses" "$(found)" "bit-exact true $stops"
is "each with the place and length that a comparison of all samples finds" "$(agree)" "$stops $stops"
wait_for closed # by dmix

modprobe usbmon
daemon_with 'audio = { backend = "none"; };' 'observe = { usb = "on"; alsa = "off"; };'
usb() { sleeptune status --json | jq -r ".observe[] | select(.source == \"usb\") | $1"; }
counts() { test "$(usb "$1")" "${@:2}"; }
wait_for counts .state = watching
takes_processor() { /share/tests/hog 0 90 100000 1 10 >/dev/null; }
stop=takes_processor plays 0 aplay -q -D hw:0,0 --buffer-time=500000 test.wav
ok "$stops losses on the bus, of 0.1 s, are seen by the system's service" wait_for counts .device_dropouts -ge "$stops"
is "and no more" "$(usb .device_dropouts)" "$stops"
is "and are none in the recording, where no sample is missing" "$(found)" "bit-exact true 0"
ended_by TERM "$daemon"
plays 0 aplay -q -D hw:0,0 --buffer-time=40000 test.wav
is "$stops stops of a program on the bare card are $stops losses" "$(found)" "bit-exact true $stops"
is "each with its place and length" "$(agree)" "$stops $stops"
is "of what was on its way to the card: 1 ms" "$(heard '[.losses[].frames] | unique | join(" ")')" 48

in_jack "$stops"
[ "$tap_failed" -eq 0 ] || cat log jackd.log all | tail -60 | tap_note
tap_done
