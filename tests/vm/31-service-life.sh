#!/usr/bin/env bash
# vm: -k generic -c dummy
# release: minutes of emulation; tests/integration/daemon-service.sh reads the unit, 80-reboot applies to one below systemd
# The life of the service on one machine: installed, started, playing, killed, restarted, stopped, removed; and all of it without one
# system call that its unit does not allow: here such a call would end the daemon instead of being refused.
# shellcheck source=tests/tap.sh
. /share/tests/tap.sh
find / -xdev -name '*sleeptune*' | sort >/tmp/before
(cd /share && find usr etc ! -type d) >/tmp/installed
cp -a /share/usr /share/etc / 2>/dev/null
ldconfig
systemd-sysusers
systemd-tmpfiles --create sleeptune.conf
mkdir -p /etc/systemd/system/sleeptuned.service.d
printf '[Service]\nSystemCallErrorNumber=kill\n' >/etc/systemd/system/sleeptuned.service.d/kill.conf
systemctl daemon-reload

state() { systemctl show -P "$1" sleeptuned.service; }
status() { sleeptune status --json | jq -r "$1"; }
says() { [ "$(status "$1")" = "$2" ]; } # called by wait_for
restarted() { [ "$(state NRestarts)" = 1 ] && [ "$(state ActiveState)" = active ] && sleeptune status; }

is "the state folder is the service's, and its group may read it" "$(stat -c '%U %G %a' /var/lib/sleeptune)" "sleeptune sleeptune 750"
cat >/etc/sleeptune/sleeptuned.conf <<'CONF'
audio: { backend = "alsa"; device = "hw:0,0"; };
observe: { alsa = "on"; };
http: { listen = "127.0.0.1:9733"; };
socket: { group = "audio"; };
CONF
ok "it is a right configuration" sleeptuned -n
# a JACK server of the service's user, as only that may be watched
systemd-run --quiet --unit=jackd --uid=sleeptune -p LimitMEMLOCK=infinity jackd --no-realtime -d dummy
ok "JACK runs before sleeptuned looks for it" in_time 60 test -S "/dev/shm/jack_default_$(id -u sleeptune)_0"
ok "installed, it starts" systemctl start sleeptuned.service
ok "it measures" in_time 20 says '.loop.cycles > 0' true
is "with SCHED_FIFO, by its limits alone, and locked memory" "$(status '.loop.conditions | .policy, (.memory_locked | . != null and . != "none")' | xargs)" "fifo true"
is "the socket has the group of socket.group" "$(stat -c '%U %G %a' /run/sleeptune/sleeptuned.sock)" "sleeptune audio 660"
ok "own stream: it plays on a real ALSA device" in_time 30 says .audio.state playing
is "its device is the raw one" "$(status .audio.raw)" true
ok "JACK is watched from inside the unit" in_time 30 says '.observe[] | select(.source == "jack") | .state' watching
timeout 60 aplay -q -D hw:0,0 -f S16_LE -r 48000 -c 2 /dev/zero &
player=$!
ok "other programs' streams are watched while one plays" in_time 20 says '.observe[] | select(.source == "alsa") | .state' watching
kill $player
ok "TCP on loopback answers" in_time 10 curl -sf -o /tmp/metrics http://127.0.0.1:9733/metrics
like "with the metrics" "$(cat /tmp/metrics)" '^sleeptune_degraded\{what="audio"\} 0$'
is "nothing is degraded, and the history is written to" "$(status '.degraded == [], .history.state' | xargs)" "true writing"
wait

pid=$(state MainPID)
kill -9 "$pid"
ok "killed, it is started again" in_time 30 restarted
ok "and knows that it did not end by itself" in_time 30 says 'any(.events[]; .event == "unclean-end")' true
ok "its stream plays again" in_time 30 says .audio.state playing
is "the history goes on in its file" "$(status .history.aside)" null
is "it was started again once only: no call of it was refused" "$(state NRestarts)" 1

pid=$(state MainPID)
kill -STOP "$pid"
ok "a daemon that does not cycle is killed by the watchdog and started again" \
    in_time 90 bash -c "[ \"\$(systemctl show -P MainPID sleeptuned.service)\" != $pid ] && systemctl is-active sleeptuned.service"
systemctl kill -s HUP sleeptuned.service
ok "SIGHUP is answered in the journal" in_time 20 bash -c 'journalctl -u sleeptuned.service -o cat | grep -qi reload'
like "whose entries have fields of their own" "$(journalctl -u sleeptuned.service -o json --no-pager)" 'SLEEPTUNE_'

ok "stopped" systemctl stop sleeptuned.service
is "cleanly, and the kernel tells of no refused call" "$(state Result) $(journalctl -k -o cat | grep -c 'type=1326')" "success 0"
is "nothing is left in /run" "$(find /run -xdev -path '*sleeptune*' ! -path '/run/systemd/*')" ""

mkdir -p /var/lib/prometheus/node-exporter
ok "the report for node_exporter is written" systemctl start sleeptune-report.service
like "and has findings" "$(cat /var/lib/prometheus/node-exporter/sleeptune.prom)" '^sleeptune_report_findings\{status="ok"\} [1-9]'
is "whole, with nothing beside it" "$(stat -c '%n %a' /var/lib/prometheus/node-exporter/*)" "/var/lib/prometheus/node-exporter/sleeptune.prom 644"
is "beside the whole report, of the same reading" \
    "$(jq '[.findings[] | select(.set_aside | not) | .status] | map(select(. == "ok")) | length' /var/lib/sleeptune-report/report.json)" \
    "$(sed -n 's/^sleeptune_report_findings{status="ok"} //p' /var/lib/prometheus/node-exporter/sleeptune.prom)"
# another user's rights are those of a login, by PAM, of a group: not root's
useradd -m -G audio -s /bin/bash musician
useradd -m -s /bin/bash listener
printf '@audio - rtprio 93\n@audio - memlock 123456\n' >/etc/security/limits.d/audio.conf
limits_in() { jq -r '[.findings[] | select(.id == "linux-rt-permission" or .id == "linux-memlock") | .evidence[] | select(.key | test("^linux.rt.(rtprio|memlock)_limit"))] | map(.value) | unique | join(" ")' "$1"; }
for user in musician listener; do
    su - "$user" -c true # the first login starts a manager of the user, which takes an emulated machine most of the ten seconds
    sleeptune report --user "$user" --only linux-rt-permission,linux-memlock --json -o "/tmp/$user.json" 2>/tmp/err
    echo "# $user: report $(limits_in "/tmp/$user.json"), login $(su - "$user" -c 'ulimit -r; ulimit -l' | xargs), root $(ulimit -r; ulimit -l) $(cat /tmp/err)" | xargs
done
is "report --user has the limits that a login has, of a group; who is not in the group has none" "$(limits_in /tmp/musician.json) $(limits_in /tmp/listener.json | cut -d' ' -f1)" "93 126418944 0"
is "as a login says itself" "$(su - musician -c 'ulimit -r; ulimit -l' | xargs)" "93 123456"
mkdir -p /etc/systemd/system/sleeptune-report.service.d
printf '[Service]\nEnvironment="OPTIONS=--user musician"\n' >/etc/systemd/system/sleeptune-report.service.d/user.conf
systemctl daemon-reload
su - musician -c true
ok "the report of the service is for a user, too" systemctl start sleeptune-report.service
is "with that login's limits" "$(limits_in /var/lib/sleeptune-report/report.json)" "93 126418944"
rm -r /etc/systemd/system/sleeptune-report.service.d /var/lib/prometheus

systemctl stop jackd 2>/dev/null
rm -r /etc/systemd/system/sleeptuned.service.d
sed 's|^|/|' /tmp/installed | tr '\n' '\0' | xargs -0 rm -f
systemctl daemon-reload
find / -xdev -name '*sleeptune*' ! -type d ! -path '/proc/*' | sort | comm -13 /tmp/before - >/tmp/left
is "removed, only state is left" "$(grep -v -E '^/var/lib/sleeptune(-report)?/' /tmp/left)" ""
tap_done
