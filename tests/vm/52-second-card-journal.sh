#!/usr/bin/env bash
# vm: -k rt -i -c none
# release: takes four minutes, as guest 51, which has the whole log
# A second card in a user's session: two cards of snd-aloop, of which one is made too fast or too slow. What the user's sleeptuned reports is what
# PipeWire's journal has.
# shellcheck source=tests/vm/session.sh
. /share/tests/session.sh
# shellcheck source=tests/vm/second-card.sh
. /share/tests/second-card.sh
steps=${STEPS:-10}
modprobe snd-aloop enable=1,1 id=First,Second
install -d -o musician -g musician "$home/.config" "$home/.config/systemd" "$home/.config/systemd/user" "$home/.config/systemd/user/pipewire.service.d"
printf '[Service]\nEnvironment=PIPEWIRE_DEBUG=2,spa.alsa:4\n' >"$home/.config/systemd/user/pipewire.service.d/log.conf"
install -d /etc/systemd/system/user@.service.d
printf '[Service]\nLimitRTPRIO=95\nLimitMEMLOCK=infinity\n' >/etc/systemd/system/user@.service.d/rt.conf
systemctl daemon-reload
loginctl enable-linger musician
ok "the user has a session" wait_for 120 test -S "/run/user/$id/bus"
ok "with PipeWire" musician systemctl --user start pipewire.service wireplumber.service
sinks() { musician pw-link -i | grep -o '^alsa_output[^:]*' | sort -u; }
both() { [ "$(sinks | wc -l)" -eq 2 ]; }
ok "which finds both cards" wait_for 120 both
sinks | tap_note
ok "the service starts" musician systemctl --user start sleeptuned
ok "and answers" wait_for 60 musician sleeptune status --json
mkfifo -m 666 /tmp/end
exec 9<>/tmp/end
musician /share/tests/stall_pipewire 0 Synth 1 1 20 "$home/synth.log" -1 filter </tmp/end >/tmp/synth 2>&1 &
for sink in $(sinks); do
    wait_for 60 musician pw-link Synth:out "$(musician pw-link -i | grep "^$sink:" | head -n 1)" || fail "$sink is linked"
done
status() { musician sleeptune status --json; }
why() { status | jq -r '.observe[] | select(.source == "pipewire") | .why'; }
clocks=1 level=debug
! why | grep -q 'PipeWire 0\.' || clocks='' level=warning
why | tap_note
# of cards that were put in step or have a drift
second() { status | jq -r "[.observe[] | select(.source == \"pipewire\") | .clients[] | select(.places.resync or .drift_ppb) | $1 // 0] | add // 0"; }
lines() { journalctl --quiet --priority="$level" --output=short-unix _SYSTEMD_USER_UNIT=pipewire.service | grep -a ': follower .*resync ('; }
fields() { sed -E 's/^([0-9.]+) .* delay:(-?[0-9]+) target:([0-9]+) .*resync \((-?[0-9]+).*/\1 \2 \3 \4/'; }
show() { # COMMAND...
    echo "\$ $*" | tap_note
    musician "$@" 2>&1 | tap_note
}
same() { # what was just logged is reported later
    wait_for 30 caught_up
    n=$(logged n) seen=$(($(second .places.resync) - before))
}
# shellcheck disable=SC2317
caught_up() { near "$(second .places.resync) - $before" "$(logged n)" 0; }
shift_to 99990
sleep 5
begun=$(lines | wc -l) before=$(second .places.resync)
sleep 30
same
lines | tail -n 3 | tap_note
ok "a card that is 100 ppm too fast is put in step no more often than the log has it ($n; $seen)" near "$seen" "$n" "$((1 + n / 20))"
begun=$(lines | wc -l) before=$(second .places.resync)
take_steps
same
ok "a card that is 6 % too fast or too slow is put in step ($n times, $steps such times)" [ "$n" -ge "$steps" ]
ok "sleeptuned reports each that the journal has, within 5 % and one ($seen)" near "$seen" "$n" "$((1 + n / 20))"
show sleeptune status
show sleeptune status --details
[ "$tap_failed" -eq 0 ] || lines | tail -40 | tap_note
tap_done
