#!/usr/bin/env bash
# vm: -k generic -c none
# The first day of a musician: `meson install`, `systemctl --user enable --now sleeptuned` in a session of his own with PipeWire, a program
# that computes too long; then `sleeptune status` names it. Beside it the system's service, with the drop-in that switches the tracer on.
# shellcheck source=tests/tap.sh
. /share/tests/tap.sh
cp -a /share/usr /share/etc / 2>/dev/null
ldconfig
systemctl daemon-reload
systemd-sysusers

# wait_for SECONDS COMMAND...: longer where the command is slow
wait_for() {
    local tries=$(($1 * 5))
    shift
    until "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || return 1
        sleep 0.2
    done
}
useradd -m -u 1000 musician
loginctl enable-linger musician
wait_for 60 test -S /run/user/1000/bus
# as COMMAND...: as he types it in his session
as() { runuser -u musician -- env XDG_RUNTIME_DIR=/run/user/1000 DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus COLUMNS=160 "$@"; }
status() { as sleeptune status "$@" 2>&1; }
shows() { status | grep -Eq -- "$1"; }

like "before it runs, status has the command that starts it" "$(status)" "Run 'systemctl --user enable --now sleeptuned'"
ok "systemctl --user enable --now sleeptuned" as systemctl --user enable --now sleeptuned
ok "sleeptune status reaches it" wait_for 30 shows '^Shown +your own sleeptuned$'
is "its history is in his home" "$(find ~musician -name history.db | wc -l)" 1

# a sink without hardware, and cycles of 171 ms: this guest's own noise makes no dropout
as systemctl --user start pipewire wireplumber
ok "PipeWire runs" wait_for 30 as pw-cli info 0
as pw-cli create-node adapter '{ factory.name=support.null-audio-sink node.name=nul media.class=Audio/Sink object.linger=true audio.position=[FL FR] }' >/dev/null
as pw-metadata -n settings 0 clock.force-quantum 8192 >/dev/null
watched() { status --json | jq -e '.observe[] | select(.source == "pipewire" and .state == "watching")'; }
ok "his daemon watches it" wait_for 60 watched
mkfifo /tmp/to
as /share/tests/stall_pipewire 400 HeavyReverb </tmp/to >/tmp/from 2>/tmp/client.log &
as /share/tests/stall_pipewire 0 GoodSynth < <(sleep 600) >/tmp/good 2>&1 &
exec 5>/tmp/to
ok "two programs play" wait_for 60 grep -q playing /tmp/from /tmp/good
for _ in 1 2 3 4 5; do
    sleep 2
    echo >&5
done
ok "one of them stalled five times" wait_for 60 grep -q 'stalled 5' /tmp/from
ok "status names it, and why" wait_for 8 shows '^HeavyReverb +[0-9]+ +computed too long'
status | sed 's/^/# /'

ok "the system's service starts beside it" systemctl start sleeptuned
like "status shows his own first, and how to see the other" "$(status)" "^Shown +your own sleeptuned; the system's runs, too: add --system"
like "which admits him not: he gets the command" "$(status --system)" 'sudo usermod -aG sleeptune .USER'
usermod -aG sleeptune musician
like "with it he is admitted" "$(status --system)" "^Shown +the system's sleeptuned; yours runs, too"

install -D -m 644 -t /etc/systemd/system/sleeptuned.service.d /usr/share/sleeptune/systemd/trace.conf
systemctl daemon-reload
echo 'loop: { cpu = 0; };' >/etc/sleeptune/sleeptuned.conf # else it goes where the hog is not
systemctl restart sleeptuned
traces() { [ "$(cat /sys/kernel/tracing/instances/sleeptune/tracing_on)" = 1 ]; }
ok "with the drop-in the system's daemon traces" wait_for 30 traces
is "as root without a capability" "$(sed -n 's/^CapEff:\t*//p' "/proc/$(systemctl show -P MainPID sleeptuned)/status")" 0000000000000000
# started by chrt, which is its name before exec
cp /share/tests/hog /tmp/audiohog
named() { sleeptune history --system --causes --json | jq -e '.rows[] | select(.culprit // "" | startswith("audiohog/"))'; }
chrt -f 80 /tmp/audiohog 0 80 30000 200 300 >/dev/null &
hog=$!
ok "and names a program as it is called now" wait_for 20 named
kill "$hog"
sleeptune history --system --causes 2>&1 | head -20 | sed 's/^/# /'
systemctl stop sleeptuned
is "its end removes the trace" "$(ls /sys/kernel/tracing/instances)" ""
journalctl -u sleeptuned -o short-precise --no-pager | grep -v -e 'event: ' -e observe: | tail -14 | sed 's/^/# /'
tap_done
