#!/usr/bin/env bash
# vm: -k generic -c dummy
# release: six minutes of emulation; tests of integration ask the same of a real PipeWire, each alone
# The first day of a musician: sleeptune is installed as README has it, a user session with PipeWire plays on a sound card, one
# program computes too long, and `sleeptune status` as that user names it. Ten questions, each answered on a first screen.
# shellcheck source=tests/vm/session.sh
. /share/tests/session.sh
# show NAME COMMAND...: a screen, kept for whoever looks; its text in $screen
show() {
    screen=$(musician "${@:2}" 2>&1)
    printf '%s\n' "\$ ${*:2}" "$screen" "" >>/share/screens
    while IFS= read -r line; do echo "# $1: $line"; done <<<"$screen"
}
# says PATTERN: the first line of the status, which may be two
says() { musician sleeptune status 2>&1 | head -2 | tr '\n' ' ' | grep -qE "$1"; } # called by wait_for
rm -f /share/screens

loginctl enable-linger musician
ok "the user has a session" in_time 60 test -S "/run/user/$id/bus"
ok "with PipeWire" musician systemctl --user start pipewire.service wireplumber.service
ok "which finds the card" in_time 60 musician sh -c 'pw-cli ls Node | grep -q alsa_output'
ok "the service starts as README has it" musician systemctl --user start sleeptuned
ok "and answers" in_time 60 musician sleeptune status --json
ok "while nothing plays it says so" in_time 60 says 'Nothing plays'
show "nothing plays" sleeptune status

# one program that is well, and one that needs one and a half of the period in each 20th cycle
musician pw-metadata -n settings 0 clock.force-quantum 1024 >/dev/null 2>&1
mkfifo /tmp/end
exec 9<>/tmp/end
for client in "GoodSynth 5 5 1" "HeavyReverb 10 150 20"; do
    read -r name base peak each <<<"$client"
    musician /share/tests/stall_pipewire 0 "$name" "$base" "$peak" "$each" "$home/$name.log" </tmp/end >/dev/null 2>&1 &
done
# who else has dropouts is the host's doing
made='^HeavyReverb lost sound (once|[0-9]+ times) \(watched since [0-9:]+'
ok "a program that computes too long makes dropouts, and the first line names it" in_time 120 says "$made"
sleep 20
in_time 60 says "$made.*computed too long"
show "which program, which buffer, since when, is it my computer, what now" sleeptune status
like "which program, and why" "$(head -2 <<<"$screen" | tr '\n' ' ')" "$made.*computed too long"
for answer in '1024 frames' '^This computer ' '^Next '; do like "which buffer, is it my computer, what now: $answer" "$screen" "$answer"; done
is "at most 20 lines of 80 columns" "$(($(wc -l <<<"$screen") <= 20 && $(wc -L <<<"$screen") <= 80))" 1
like "who else uses the card" "$screen" 'GoodSynth|^[0-9]+ more: --details' # a screen full of warnings names one program
show "how sure is that" sleeptune status --details
# called by wait_for: a minute is written when it has ended
recorded() { musician sleeptune history | head -2 | tr '\n' ' ' | grep -q 'HeavyReverb lost sound'; }
ok "the history's first line names it, too" in_time 150 recorded
show "which of them, in the last day" sleeptune history
show "is it my computer, which setting" sleeptune check --duration 3s --no-servers
show "which setting" sleeptune report
# who helps reads what the user pastes: it names no one, and report finds the same in it
findings() { musician sleeptune report --json "$@" 2>/dev/null | jq -r '.findings[] | select(.status == "problem" or .status == "advice") | "\(.id) \(.status)"' | sort; }
show "what to paste" sleeptune share
printf '> %s\n' "${screen//$'\n'/$'\n> '}" >"$home/pasted"
like "what is pasted has the card" "$screen" '^card .*driver'
is "and no name" "$(grep -ciE "musician|$(hostname)|HeavyReverb\.log|/home" <<<"$screen")" 0
is "report finds the same in it" "$(findings "$home/pasted")" "$(findings)"
show "and what a helper sees" sleeptune report "$home/pasted"
# under sudo the user's server is watched by a program that runs as that user
SUDO_USER=musician sleeptune check --duration 10s --json >/tmp/check.json 2>/tmp/check.err &
ok "check as root starts the helper program for the server" in_time 60 pgrep -u "$id" -P "$!" sleeptune-obs
helper=$(pgrep -P "$!" sleeptune-obs)
is "it has become the user, with no way back" "$(awk '/^(Uid|Gid|Groups|CapPrm):/ {$1 = ""; print}' "/proc/$helper/status" | tr '\n' ';')" " $id $id $id $id; $(id -g musician) $(id -g musician) $(id -g musician) $(id -g musician); $(id -g musician); 0000000000000000;"
wait $!
names_it() { jq -r .music.answer /tmp/check.json | grep -q '^In .*: HeavyReverb lost sound'; }
# ten seconds are few on a machine that delays others more often than this program is too slow
names_it || SUDO_USER=musician sleeptune check --duration 30s --json >/tmp/check.json 2>/tmp/check.err
ok "and check names the program" names_it
ok "the program that makes dropouts ends" pkill -f HeavyReverb
sleep 15
show "did it stop" sleeptune status

# the system's service beside it, with the drop-in that switches the tracer on
ok "the system's service starts beside it" systemctl start sleeptuned
like "status shows your own first, and how to see the other one" "$(musician sleeptune status 2>&1 | tr '\n' ' ')" 'your own sleeptuned\. The system.s runs, too'
like "who has no right to the other one gets the command" "$(musician sleeptune status --system 2>&1 | tr '\n' ' ')" 'sudo usermod -aG sleeptune .USER'
usermod -aG sleeptune musician
like "with it he has the right" "$(musician sleeptune status --system 2>&1 | tr '\n' ' ')" "the system's sleeptuned"
musician systemctl --user stop sleeptuned
pkill -f GoodSynth
install -D -m 644 -t /etc/systemd/system/sleeptuned.service.d /usr/share/sleeptune/systemd/trace.conf
systemctl daemon-reload
systemctl restart sleeptuned
# called by wait_for
traces() { [ "$(cat /sys/kernel/tracing/instances/sleeptune/tracing_on)" = 1 ]; }
ok "with the drop-in the system's daemon traces" in_time 60 traces
is "as root without a capability" "$(sed -n 's/^CapEff:\t*//p' "/proc/$(systemctl show -P MainPID sleeptuned)/status")" 0000000000000000
systemctl stop sleeptuned
is "its end removes the trace" "$(ls /sys/kernel/tracing/instances)" ""

tap_done
