#!/usr/bin/env bash
# vm: -k generic -c dummy -t 2700
# release: takes ten minutes; the readers of what it brings about have unit tests from captures of it
# Causes that only a whole system has: a program that never sleeps at a higher priority, rtkit that takes real-time priority
# away from PipeWire, programs whose memory was swapped out, a card whose position moves in steps. Each is named, with what to do.
# shellcheck source=tests/vm/session.sh disable=SC2317
. /share/tests/session.sh
one_line() { tr '\n' ' ' | tr -s ' '; }
status_is() { status | one_line | grep -qE "$1"; } # called by wait_for

# --- a program that never sleeps, above the loop ---
mkdir -p /tmp/s
printf '%s\n' 'socket = { path = "/tmp/s/sock"; };' 'loop = { cpu = 0; };' 'audio = { backend = "none"; };' >/tmp/s/conf
status() { sleeptune status --socket /tmp/s/sock; }
STATE_DIRECTORY=/tmp/s sleeptuned -a -f -c /tmp/s/conf 2>/tmp/s/log &
daemon=$!
ok "the loop runs" in_time 60 status_is 'timing: (OK|not OK)'
/share/tests/hog 0 80 120000000 1 10 >/dev/null & # two minutes
hog=$!
ok "the program that keeps its CPU is named" in_time 90 status_is "hog/$hog with real-time priority 80 keeps CPU 0 busy"
screen=$(status)
tap_note <<<"$screen"
is "the next step takes its priority" "$(sed -n 's/^Next *//p' <<<"$screen")" "sudo chrt --other --all-tasks --pid 0 $hog"
ok "which works" chrt --other --all-tasks --pid 0 $hog
runs_again() { [ "$(sleeptune status --json --socket /tmp/s/sock | jq .overdue_ns)" = 0 ]; }
ok "and the loop runs again" in_time 60 runs_again
kill -9 $hog
ended_by TERM $daemon

# --- a session with PipeWire ---
loginctl enable-linger musician
ok "the user has a session" in_time 60 test -S "/run/user/$id/bus"
rights() { runuser -u musician -- env HOME="$home" XDG_RUNTIME_DIR="/run/user/$id" sleeptune report "$1" 2>&1; }
# says RULE REGEX: the screen stays in $screen
says() { screen=$(rights "$1"); one_line <<<"$screen" | grep -qE "$2"; }
# shellcheck disable=SC2009
has_rt() { ps -eLo user,cls,comm | grep -E '^musician +(RR|FF) +(pipewire|data-loop)'; }
if [ -x /usr/libexec/rtkit-daemon ]; then
    mkdir -p /etc/polkit-1/rules.d # the session of this test is not on a seat
    echo 'polkit.addRule(function(a, s) { if (a.id.indexOf("org.freedesktop.RealtimeKit1") == 0) return "yes"; });' >/etc/polkit-1/rules.d/49-test.rules
    systemctl restart polkit rtkit-daemon
    musician systemctl --user start pipewire.service wireplumber.service
    ok "rtkit gives PipeWire real-time priority" in_time 60 has_rt
    like "which the report finds" "$(rights linux-rt-lost | one_line)" 'Here: (ok|advice) PipeWire has'
    # a machine that stands still for 10 s is taken for one that such a thread blocks, and rtkit takes it away by itself
    [ -n "$(has_rt)" ] || { musician systemctl --user restart pipewire wireplumber && in_time 60 has_rt; }
    busctl call org.freedesktop.RealtimeKit1 /org/freedesktop/RealtimeKit1 org.freedesktop.RealtimeKit1 ResetKnown
    journalctl -b -u rtkit-daemon -o cat | tail -3 | tap_note
    is "rtkit takes it away" "$(has_rt)" ""
    screen=$(rights linux-rt-lost)
    tap_note <<<"$screen"
    # an emulated machine may be too slow to be asked at the first time
    lost='Here: problem PipeWire.* lost its real-time priority: rtkit took it away.*systemctl --user restart pipewire'
    in_time 60 says linux-rt-lost "$lost"
    if grep -q 'demoted_n could not be read: Connection timed out' <<<"$screen"; then
        skip "the report names it, and what to do" "this machine takes longer than 1 s to read its journal"
    else
        like "the report names it, and what to do" "$(one_line <<<"$screen")" "$lost"
        like "and the finding about the server leaves it to that one" "$(rights linux-server-priority | one_line)" \
            'Here: not-applicable PipeWire runs without real-time priority: see .sleeptune report linux-rt-lost'
    fi
else
    skip "rtkit takes real-time priority away" "rtkit is not in this image"
    musician systemctl --user start pipewire.service wireplumber.service
fi

# --- memory of a program that plays is swapped out ---
ok "PipeWire finds the card" in_time 60 musician sh -c 'pw-cli ls Node | grep -q alsa_output'
dd if=/dev/zero of=/swap bs=1M count=96 status=none
chmod 600 /swap
mkswap -q /swap
ok "there is swap" swapon /swap
musician systemctl --user start sleeptuned
status() { musician sleeptune status; }
musician pw-metadata -n settings 0 clock.force-quantum 1024 >/dev/null 2>&1
mkfifo /tmp/end
exec 9<>/tmp/end
# only its own pages are swapped out, not those of PipeWire, and each read from the disk takes 50 ms, however fast the disk is
sampler() { exec systemd-run --quiet --scope --unit=sampler -p IOReadIOPSMax="/dev/vda 20" \
    runuser -u musician -- env XDG_RUNTIME_DIR="/run/user/$id" /share/tests/stall_pipewire 0 BigSampler 5 5 1 "$home/big.log"; }
sampler </tmp/end >/dev/null 2>&1 &
ok "a program plays" in_time 60 status_is 'BigSampler|No dropout'
sleep 10
swapped() {
    echo 400M >/sys/fs/cgroup/system.slice/sampler.scope/memory.reclaim
    sleep 3
    [ "$(musician sleeptune status --json | jq '[.observe[]?.clients[]?.rows[] | select(.reason == "swapped-out").dropouts] | add > 0')" = true ]
}
ok "its pages are swapped out, and that is the reason of its dropouts" in_time 90 swapped
status | tap_note
musician sleeptune status --json | jq -c '[.. | objects | select(has("rows") and has("name")) | {name, rows}]' | tap_note
echo >&9

# --- a card whose position moves with the kernel's tick, each 4 ms ---
musician systemctl --user stop sleeptuned wireplumber pipewire.socket pipewire
modprobe -r snd-dummy
ok "a card without a timer of its own" modprobe snd-dummy hrtimer=0
musician mkdir -p "$home/.config/wireplumber/main.lua.d"
musician tee "$home/.config/wireplumber/main.lua.d/99-headroom.lua" >/dev/null <<'EOF'
table.insert(alsa_monitor.rules, { matches = {{{ "node.name", "matches", "alsa_output.*" }}}, apply_properties = { ["api.alsa.headroom"] = 0 } })
EOF
musician systemctl --user start pipewire wireplumber
ok "PipeWire finds it" in_time 60 musician sh -c 'pw-cli ls Node | grep -q alsa_output'
# 4 ms are 192 frames; the slower this machine looks, the less of them is seen
steps='Here: advice the card alsa_output.*snd_dummy.* reports its play position in jumps of [0-9]{2,3} frames or more, and PipeWire keeps only 96 frames and a reserve of 0 ready'
runs() { musician sh -c 'pw-dump | grep -q "\"state\": \"running\""'; }
quantum() { musician sh -c "pw-metadata -n settings 0 clock.force-quantum $1; pw-metadata -n settings | grep -q 'force-quantum.*$1'"; }
# a program that plays at the wrong moment, while the slow machine still looks for its sound server, is not linked
mkfifo /tmp/stay
exec 8<>/tmp/stay
screen="the program was not linked to the card"
for _ in 1 2 3; do
    pkill -f stall_pipewire
    in_time 60 quantum 1024
    musician /share/tests/stall_pipewire 0 Player 5 5 1 "$home/player.log" </tmp/stay >/dev/null 2>&1 &
    in_time 60 runs && in_time 60 quantum 96 && in_time 30 says linux-device-headroom "$steps" && break
    tap_note <<<"again: $(musician pw-dump | jq -c '[.[].info? | select(.state) | [.props["node.name"], .state]]')"
done
tap_note <<<"$screen"
seen=$(musician sleeptune snapshot --no-servers | jq '[.facts[] | select(.key | endswith(".step_frames")) | .value] | max // 0')
if grep -q 'Connection timed out' <<<"$screen"; then
    skip "its steps are measured, and longer than PipeWire's cycle" "this machine is too slow for pw-dump at 96 frames"
elif [ "$seen" -gt 0 ] && [ "$seen" -le 96 ]; then
    skip "its steps are measured, and longer than PipeWire's cycle" "this machine is so slow that it sees $seen of 192 frames only"
else
    like "its steps are measured ($seen frames), and longer than PipeWire's cycle" "$(one_line <<<"$screen")" "$steps"
fi
echo >&8
tap_done
