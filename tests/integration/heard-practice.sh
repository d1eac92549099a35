#!/usr/bin/env bash
# sleeptune heard --practice: a real sound in a PipeWire server with a null sink, and a listener who is a program.
# shellcheck disable=SC2317
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
[ "$(id -u)" -ne 0 ] || let_nobody_in
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
if [ "$(id -u)" -eq 0 ]; then
    like "root plays in no one's sound system" "$("$SLEEPTUNE" heard --practice </dev/null 2>&1)" 'not as root'
    chmod 755 "$tmp" # from here on as nobody
    mkdir "$tmp/nobody"
    chown 65534:65534 "$tmp/nobody"
fi
me=$tmp/nobody
mkdir -p "$me"
as=(env) # no function: what is killed must be the program
[ "$(id -u)" -ne 0 ] || as=("${nobody[@]}")
export HOME=$me XDG_RUNTIME_DIR=$me/run XDG_STATE_HOME=$me/state
"${as[@]}" mkdir -m 700 "$XDG_RUNTIME_DIR"
unset PIPEWIRE_REMOTE PIPEWIRE_RUNTIME_DIR PULSE_SERVER PULSE_RUNTIME_PATH DISPLAY
window=$me/state/sleeptune/heard-window-ms

heard() { "${as[@]}" "$SLEEPTUNE" heard "$@"; }
screen_is without-a-terminal heard --practice
screen_is it-keeps-no-mark heard --practice loud

# practice SOUND SHARE REACTION PATH: $said, in one line
practice() {
    said=$("${as[@]}" env PATH="$4" "$PYTHON" "$SLEEPTUNE_SRC/tests/integration/practice_listener.py" "$1" "$2" "$3" "$SLEEPTUNE" heard --practice 2>&1 |
        tee "$tmp/raw" | tr '\n' ' ')
    tap_note <<<"$said"
}
mkdir "$tmp/no-player"
chmod 755 "$tmp/no-player"
practice "$me/none" 8 0.3 "$tmp/no-player"
like "no program to play it" "$said" 'no program could play the sound: install pw-play.* status 4, holes 0'
ok "and no window" test ! -e "$window"
is "in lines of 80 columns" "$(grep -c . "$tmp/raw") $(awk 'length > 80' "$tmp/raw")" "5 "

missing=
for program in pipewire wireplumber pw-play pw-record pw-cli pw-metadata dbus-daemon; do
    command -v "$program" >/dev/null || missing+=" $program"
done
if [ -z "$missing" ]; then
    "${as[@]}" dbus-daemon --session --nofork --nopidfile --address="unix:path=$me/session" >"$tmp/bus.log" 2>&1 &
    pids+=("$!")
    wait_for test -S "$me/session"
    export DBUS_SESSION_BUS_ADDRESS=unix:path=$me/session
    "${as[@]}" pipewire >"$tmp/server.log" 2>&1 &
    pids+=("$!")
    wait_for "${as[@]}" pw-cli info 0
    "${as[@]}" wireplumber >>"$tmp/server.log" 2>&1 &
    manager=$!
    pids+=("$manager")
    "${as[@]}" pw-cli create-node adapter '{ factory.name=support.null-audio-sink node.name=nul media.class=Audio/Sink object.linger=true audio.position=[FL FR] }' >/dev/null
    "${as[@]}" pw-metadata -n settings 0 clock.force-quantum 1024 >/dev/null
    wait_for "${as[@]}" pw-cli info nul >/dev/null
    "${as[@]}" pw-record -P '{ stream.capture.sink=true }' --target nul --rate 48000 --channels 2 --format s16 "$me/all.wav" >"$tmp/record.log" 2>&1 &
    recorder=$!
    recorded() { [ "$(wc -c <"$me/all.wav")" -gt 4096 ]; } # pw-play fails before that
    pids+=("$recorder")
    recorded_or_ended() { recorded || ! kill -0 "$manager"; }
    wait_for recorded_or_ended
    if ! kill -0 "$manager" 2>/dev/null; then # as in pipewire-lib.sh
        skip "a real sound" "wireplumber has ended: $(tail -n 1 "$tmp/server.log")"
        tap_done
    fi
    ok "the session manager links: the recorder has sound" recorded
    practice "$me/all.wav" 8 0.3 "$PATH"
    kill "$recorder"
    like "eight real holes are heard by who listens" "$said" 'You heard 8 of 8 dropouts, after .*; 0 presses without one\. A mark by a key now means the last .* Next: a key of your desktop: .* status 0, holes 8 $'
    is "the window is twice the reaction and the way of the sound" \
        "$(awk '{print ($1 > 600 && $1 <= 2500)}' "$window")" 1
    before=$(cat "$window")
    practice "$me/none" -1 0 "$PATH"
    like "q ends it, and sets nothing" "$said" 'Ended early: nothing is set\. status 2, holes 0 $'
    is "the window stays" "$(cat "$window")" "$before"
else
    skip "a real sound" "not installed:$missing"
fi
tap_done
