#!/usr/bin/env bash
# vm: -k generic -q -i -c none -t 3600
# release: takes thirteen minutes; tests/integration/tune.sh and tune-keep.sh have the command, part laws what it decides
# tune on a real kernel: a slack of 5 ms that costs, a setting that does harm, one that helps and is kept or not, a program that writes the
# same setting, noise, and kill -9 at random moments (200 of them: tests/bench/tune-kills.sh). The guest's clock counts instructions: how
# fast the host is does not matter. This guest has no idle states, so /dev/cpu_dma_latency is not tried.
# shellcheck source=tests/tap.sh
. /share/tests/tap.sh
# shellcheck source=tests/vm/tune.sh
. /share/tests/tune.sh

sleeptune tune --dry-run --json --frames 1024 >/tmp/out
jq -c '.candidates[]' /tmp/out | tap_note
is "swap and huge pages can be tried" "$(field '[.candidates[] | select(.why == null) | .id] | sort | join(" ")')" "linux-huge-pages linux-swap"
ends 3 "too short for two settings: status 3" "${tune[@]}" --budget 5m
like "which it says, with the budget that is enough" "$(cat /tmp/err)" '^sleeptune tune: --budget: 5.0 min is too short to prove that a setting makes late wake-ups 3 times rarer. Use --budget 6m or more, or name fewer settings with --only'
like "for one of the two it is enough" "$(sleeptune tune --frames 1024 --budget 6m --dry-run | one_line)" 'In this time tune can prove only for 1 of them that late wake-ups get 3 times rarer; it chooses those after a few trials. To prove it for all: --budget 10m'

# --- a setting that costs: the slack of a normal thread ---
ends 0 "a slack of 5 ms: status 0" "${slow[@]}" "${tune[@]}" --only linux-timer-slack --json
jq -c '.candidates[]' /tmp/out | tap_note
is "without it the thread is less often late" "$(field '.candidates[0] | .id, .outcome, .fold.low > 1' | tr '\n' ' ')" "linux-timer-slack helps true "
is "nothing is on standard error" "$(tr '\r' '\n' </tmp/err | grep '^sleeptune')" ""
like "the report knows it" "$("${slow[@]}" sleeptune report --frames 1024 --only linux-timer-slack | one_line)" '\(tried: [0-9.]+ times fewer late\)'

# --- nothing to improve ---
ends 0 "a quiet machine: status 0" "${tune[@]}"
like "nothing to improve" "$(cat /tmp/out)" '^Nothing to improve with 1024 frames: no wake-up was late'

# --- a setting that does harm: this program takes the CPU while swappiness is what tune tries ---
(
    while :; do
        if value_is 10; then /share/tests/hog 0 80 60000 3 100 >/dev/null; else sleep 0.2; fi
    done
) &
other=$!
ends 0 "a setting that does harm: status 0" "${slow[@]}" "${tune[@]}" --only linux-swap
tap_note </tmp/out
ended_by TERM $other
like "it is found" "$(one_line </tmp/out)" 'linux-swap: harmful; [0-9]+ late wake-ups with this setting, [0-9]+ without it \(tried [0-9]+ time of blocks\)'
is "and undone" "$(value)" 60

# --- a setting that helps, and the question at the end: this program takes the CPU as long as swappiness is not what tune tries ---
mkdir -p /dev/pts
mountpoint -q /dev/pts || mount -t devpts devpts /dev/pts
helped() { # ANSWER
    : >/tmp/screen
    (
        while :; do
            if value_is 60; then /share/tests/hog 0 80 45000 1 900 >/dev/null; else sleep 0.5; fi
        done
    ) &
    other=$!
    # what is typed arrives when the question is on the terminal
    (
        until pgrep -x sleeptune; do sleep 1; done >/dev/null
        until grep -q 'y/N' /tmp/screen || ended >/dev/null; do sleep 3; done
        echo "$1"
        until ended >/dev/null; do sleep 1; done
    ) | script -qefc "$(printf '%q ' "${tune[@]}" --only linux-swap --ask)" /tmp/screen >/dev/null
    status=$?
    ended_by TERM $other
    tr -d '\r' </tmp/screen | grep -vE '\[K|^Script' | tap_note
}
helped n
is "a no: status 0" "$status" 0
like "it helps" "$(one_line </tmp/screen)" 'linux-swap: helps; [0-9.]+ times fewer late wake-ups'
ok "after a no all is as it was, byte for byte" eval 'state | diff /tmp/before -'
helped y
is "a yes: status 0" "$status" 0
like "the last line says how to undo it" "$(one_line </tmp/screen)" "Next: 'sleeptune verify' checks the changes, 'sleeptune revert --all' undoes them"
is "nothing else is to be run before the question, and report does not promise it again" \
    "$(grep -c 'Next: .*sleeptune apply' /tmp/screen) $(sleeptune report --frames 1024 | grep -c 'tried: .* times fewer late')" "0 0"
is "it is kept now, and for the next boot" "$(value) $(grep -rhx 'vm.swappiness *= *10' /etc/sysctl.d | tr -d ' ')" "10 vm.swappiness=10"
ok "revert" sleeptune revert --all
ok "takes it back, byte for byte" eval 'state | diff /tmp/before -'

# --- another program writes the setting during its trial ---
cp /bin/bash /tmp/tuned
/tmp/tuned -c 'until [ "$(<'"$swappiness"')" = 10 ]; do sleep 0.2; done; echo 33 >'"$swappiness"'; sleep 600; :' &
other=$!
ends 0 "a fight: status 0" "${slow[@]}" "${tune[@]}" --only linux-swap --json
is "the other program is named" "$(field '.candidates[0] | .outcome, .why' | tr '\n' ' ')" "failed another program changed vm.swappiness (running here: tuned) "
is "its value stays" "$(value)" 33
ok "also after revert" sleeptune revert --all
is "which changes nothing" "$(value)" 33
ended_by TERM $other
echo 60 >"$swappiness"

# --- noise: stalls of 0.3 s on average, every 5 s on average ---
/share/tests/stalls 0 80 300000 5000 600 0 7 150 >/dev/null &
other=$!
ends 2 "a noisy machine: status 2" "${tune[@]}"
tap_note </tmp/out
like "which it says" "$(cat /tmp/out)" '^This machine is too noisy now for a budget of 6 min: [1-9][0-9]* late'
ended_by TERM $other
ok "all is as it was" eval 'state | diff /tmp/before -'

# --- what other commands say while a setting is on, and kill -9 with the disk of the journal full ---
mkdir -p /var/lib/sleeptune-changes
mount -t tmpfs -o size=64k,mode=711 none /var/lib/sleeptune-changes
"${slow[@]}" "${tune[@]}" --only linux-swap >/tmp/out 2>/tmp/err &
tuner=$!
is_on() { until value_is 10; do kill -0 "$tuner" || return 1; sleep 0.5; done; }
ok "a setting is on" is_on
for command in "apply --yes" "apply --dry-run" "revert --all" verify tune; do
    # shellcheck disable=SC2086 # words
    is "$command while tune has a setting on" "$(sleeptune $command 2>&1 </dev/null)" \
        "sleeptune ${command%% *}: another sleeptune is changing settings (process $tuner tune). Wait for it, or stop it with Ctrl-C there."
done
like "a user is told the same" "$(setpriv --reuid 65534 --regid 65534 --clear-groups sleeptune verify 2>&1)" "\(process $tuner tune\)"
dd if=/dev/zero of=/var/lib/sleeptune-changes/filler bs=1k status=none 2>/dev/null
is_on
ended_by 9 $tuner
wait_for ended
is "kill -9 with the disk of the journal full: set back" "$(value)" 60
ok "and nothing is left to revert" test ! -e /var/lib/sleeptune-changes/journal
umount /var/lib/sleeptune-changes

kill_at_random_moments "${KILLS:-10}"
tap_done
