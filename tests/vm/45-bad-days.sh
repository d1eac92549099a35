#!/usr/bin/env bash
# vm: -k generic -q -i -c aloop
# release: 43-listen-aloop has that card; tests/integration/daemon-bad-days.sh has what else goes wrong
# Bad days that need a machine of its own, which has one CPU: the sound card that the own stream plays on is unplugged
# and comes back, somebody sets the clock back, the daemon's cgroup has no CPU controller.
# shellcheck source=tests/vm/guest.sh
. /share/tests/guest.sh
mountpoint -q /sys/fs/cgroup || mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir -p /tmp/s
export STATE_DIRECTORY=/tmp/s
# goes_on NAME: the loop cycles, and its books balance
goes_on() { ok "$1: the loop goes on, and the books balance" until_is ".loop | .cycles > $(status .loop.cycles) and .books_balance" true; }

is "the machine has one CPU" "$(nproc)" 1
echo -cpu >/sys/fs/cgroup/cgroup.subtree_control 2>/dev/null
mkdir /sys/fs/cgroup/plain
is "a cgroup without CPU controller" "$(grep -cw cpu /sys/fs/cgroup/plain/cgroup.controllers)" 0
echo $$ >/sys/fs/cgroup/plain/cgroup.procs
daemon_with 'audio = { backend = "alsa"; device = "hw:0,0"; };'
ok "it plays on the card" until_is .audio.state playing
goes_on "in such a cgroup"
ok "its thread is real-time" until_is .audio.policy fifo
before=$(status .audio.own_dropouts)
stop_for 0.6 "$daemon"
ok "a stall is at least one own dropout more" until_is ".audio.own_dropouts > ${before:-0}" true

cd /sys/bus/platform/drivers/snd_aloop || fail "snd-aloop is there"
echo snd_aloop.0 >unbind
ok "the card is unplugged: the stream is not called playing" until_is '.audio.state != "playing"' true
like "and why is said, and the status says degraded" "$(status '.state, .audio.error' | xargs)" '^degraded .'
goes_on "without the card"
echo snd_aloop.0 >bind
ok "the card is back: the stream plays again" until_is .audio.state playing
is "opened anew" "$([ "$(status .audio.opened)" -ge 2 ] && echo yes)" yes
goes_on "with the card"

date -s "$(date -d '-1 hour' '+%F %T')" >/dev/null
ok "the clock is set back: one event" until_is '[.events[] | select(.event == "clock-jump")] | length' 1
like "that says by how much" "$(status '.events[] | select(.event == "clock-jump") | .text')" 'set (60\.[0-9]|59\.9) min back'
is "and no suspend" "$(status '[.events[] | select(.event == "suspend")] | length')" 0
goes_on "after it"
daemon_ends
tap_done
