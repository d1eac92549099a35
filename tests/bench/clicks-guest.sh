#!/usr/bin/env bash
# In the instruction-counted guest: tests/vm/vm-boot.sh -k generic -q -i -c dummy -s SHARE -- 'bash /share/tests/clicks-guest.sh'. SHARE is the
# installed tree, with tests/ as scripts/test makes it. Three minutes.
# Clicks of known cause, as a musician meets them: a session with PipeWire and a card on one CPU, with rtkit and without any right, six
# causes, two sizes of buffer: are the first line of `sleeptune status` and its next step what the table below says? The guest's clock
# counts instructions: its host adds nothing. Loads are in CPU time of the period. Passes with 11 of 12.
#   LONG=1: both sizes with and without rights, 24 clicks, and what `check` says; CLICKS="SIZE SIZE": other sizes;
#   ONLY="slow none|taken": those that this regular expression finds in "CAUSE RIGHTS SIZE"
# shellcheck source=tests/vm/guest.sh
. /share/tests/guest.sh
useradd -m -s /bin/bash musician
id=$(id -u musician) home=~musician
export COLUMNS=400 # one sentence, one line

# --- the table ---

rights='sudo sleeptune apply linux-rt-permission' buffer='pw-metadata -n settings 0 clock.force-quantum'
# expect CAUSE RIGHTS FRAMES: what is right. $first: the first line; $next: the next step of status, and $leads: what that prints, if
# it is a command that only looks; $check_next: of check; $never: of either
expect() {
    local ms about
    # GoodSynth is a victim in each of them
    leads='' never='GoodSynth lost sound|No program here has real-time rights' # the hog of SCHED_FIFO has them
    [ "$2" = none ] || never+='|No program that plays has real-time priority'
    [ "$1" = slow ] || never+="|Next:? *$buffer"
    case $1 in
    slow)
        ms=$(awk -v n="$3" 'BEGIN { t = n / 48; printf(t < 10 ? "%.2f" : "%.1f", t) }')
        about=$(awk -v n="$3" 'BEGIN { t = n / 48 * 1.5; printf("%d|%d|%d", t - 0.5, t, t + 1) }') # CPU time of 150 %
        first="HeavyReverb lost sound .*it computed too long, (about )?($about)(\\.[0-9]+)? ms in a buffer of $ms ms"
        next="^$buffer $(($3 * 2)) " check_next="Next: $buffer $(($3 * 2)) "
        ;;
    waits)
        first="LockedSynth lost sound .*it waited for a lock, disk or program"
        next='a setting of LockedSynth, such as reading sounds ahead' check_next=''
        ;;
    pages)
        first="Sampler lost sound .*it waited for its memory, which had to be read from disk"
        next='^sleeptune report .*memory' check_next=''
        ;;
    stopped)
        first="Looper lost sound .*it was stopped or frozen"
        next='exclude Looper from power saving' check_next=''
        ;;
    taken)
        first="Guitar lost sound .*it lost the CPU to (ffmpeg|another program, at least [0-9]+ times ffmpeg)"
        next="^$rights" check_next=$rights
        # the server has the right, and this program did not ask for it
        [ "$2" = none ] || next='^sleeptune report linux-client-priority' leads='Guitar.*PIPEWIRE_CONFIG_NAME=client-rt.conf' check_next='Next: sleeptune report linux-client-priority'
        ;;
    server)
        first="[A-Z][A-Za-z]+ lost sound .*(lost the CPU to hog|hog had the CPU|at least [0-9]+ times hog)"
        never=${never#'GoodSynth lost sound|'} # it may have lost most
        next="^$rights" check_next=$rights
        # it is above all that rtkit gives
        [ "$2" = none ] || next='^sudo chrt --other --all-tasks --pid 0 .*hog' check_next='Next: sudo chrt --other --all-tasks --pid 0 .*hog'
        ;;
    esac
}

# --- the session ---

user=(setpriv --reuid musician --regid musician --clear-groups --inh-caps=-all prlimit --rtprio=0 -- env HOME="$home"
    XDG_RUNTIME_DIR="/run/user/$id" DBUS_SESSION_BUS_ADDRESS="unix:path=/run/user/$id/bus" STATE_DIRECTORY=/var/tmp/state)
as() { "${user[@]}" "$@"; }
started=()
begin() { "$@" </tmp/end >>/tmp/log 2>&1 & started+=($!); }
stop() { # PID...: those that this script has started
    ended_by TERM "$@"
}
mkfifo /tmp/end
exec 9<>/tmp/end
mkdir -p /run/dbus /run/systemd/{seats,sessions,users,machines} /run/user/"$id" /var/tmp/state /etc/polkit-1/rules.d
chown musician "/run/user/$id" /var/tmp/state
echo 'polkit.addRule(function(a, s) { if (a.id.indexOf("org.freedesktop.RealtimeKit1") == 0) return "yes"; });' >/etc/polkit-1/rules.d/49-test.rules
dbus-daemon --system --fork
/usr/lib/polkit-1/polkitd --no-debug >>/tmp/log 2>&1 &
cp /bin/bash /tmp/ffmpeg

# a card runs dry when it gets its data late; a null sink waits. No udev here: WirePlumber finds no card by itself
chmod 666 /dev/snd/*
sink='{ factory.name=api.alsa.pcm.sink api.alsa.path="hw:0" node.name=card media.class=Audio/Sink object.linger=true audio.position=[FL FR] }'
session() { # RIGHTS
    rm -f /usr/share/dbus-1/system-services/org.freedesktop.RealtimeKit1.service # started here, or not at all
    [ "$1" != rtkit ] || begin /usr/libexec/rtkit-daemon
    sleep 1
    begin "${user[@]}" dbus-daemon --session --nofork --address="unix:path=/run/user/$id/bus"
    wait_for test -S "/run/user/$id/bus"
    begin "${user[@]}" pipewire
    wait_for as pw-cli info 0
    begin "${user[@]}" wireplumber
    sleep 1
    as pw-cli create-node adapter "$sink" >/dev/null
    wait_for as sh -c 'pw-cli info card | grep -q node.name'
}
end_session() {
    stop "${started[@]}"
    started=()
    rm -f "/run/user/$id"/{bus,pipewire-0*}
}

# --- the clicks ---

# plays NAME BASE PEAK [MODE]: a program
plays() {
    local conf=client-rt.conf
    [ "$1" != Guitar ] || conf=client.conf # PipeWire before 1.4: it does not ask
    "${user[@]}" PIPEWIRE_CONFIG_NAME=$conf /share/tests/stall_pipewire 0 "$1" "$2" "$3" 20 "/var/tmp/state/$1.log" -1 "${4:-}" </tmp/end >"/tmp/$1.out" 2>&1 &
    players+=($!)
    wait_for grep -q playing "/tmp/$1.out"
}
us() { echo "$(($1 * 1000000 / 48000))"; } # of a buffer of so many frames
pulses='while :; do for ((end_us = ${EPOCHREALTIME/./} + 1200000; ${EPOCHREALTIME/./} < end_us; )); do :; done; sleep 0.4; done'
# click CAUSE RIGHTS FRAMES: until it is stopped
click() {
    local process
    case $1 in
    stopped)
        process=$(pgrep -n -x stall_pipewire)
        while sleep 0.5; do
            stop_for "$(awk -v us="$(us "$3")" 'BEGIN { print 0.03 + 2.2 * us / 1e6 }')" "$process"
        done
        ;;
    taken) # two programs that compute three quarters of the time: with the 40 % of the one that plays, more than there is
        trap 'kill $(jobs -p); exit' TERM
        for _ in 1 2; do "${user[@]}" /tmp/ffmpeg -c "$pulses" & done
        wait
        ;;
    server) exec /share/tests/hog 0 "$([ "$2" = rtkit ] && echo 95 || echo 30)" "$(($(us "$3") * 22 / 10))" 100000 400 ;;
    *) exec sleep 1000 ;; # the program itself
    esac
}

# one_line: a screen's lines as one
one_line() { tr -s '\n ' ' '; }
# judge PROGRAM CAUSE RIGHTS FRAMES FIRST WANTED NEXT: as the table has it, or not
judge() {
    local wrong=''
    grep -qE -- "^(In [^:]*: )?$first" <<<"$5" || wrong+=' first line'
    grep -qE -- "$6" <<<"$7" || wrong+=' next step'
    ! grep -qE -- "$never" <<<"$5 $7" || wrong+=' what is not true'
    n[$1]=$((${n[$1]:-0} + 1)) right[$1]=$((${right[$1]:-0} + (${#wrong} == 0)))
    table+=("$(printf '%-6s %-7s %-5s %4s frames: %s: %s' "$1" "$2" "$3" "$4" "${wrong:-right}" "$5")")
}
declare -A right n
table=()
# row CAUSE RIGHTS FRAMES
row() {
    local step check daemon clicker screen players=()
    [[ $* =~ ${ONLY:-} ]] || return 0
    expect "$@"
    as pw-metadata -n settings 0 clock.force-quantum "$3" >/dev/null
    plays GoodSynth 5 5
    case $1 in
    slow) plays HeavyReverb 10 150 ;;
    waits) plays LockedSynth 10 150 sleeps ;;
    pages) plays Sampler 10 150 pages ;;
    stopped) plays Looper 10 10 ;;
    taken) plays Guitar 40 40 ;;
    server) plays Synth 10 10 ;;
    esac
    "${user[@]}" sleeptuned -f >/tmp/daemon.log 2>&1 &
    daemon=$!
    wait_for as sleeptune status
    sleep 2
    click "$@" >/dev/null 2>&1 &
    clicker=$!
    sleep 6
    screen=$(as sleeptune status)
    step=$(sed -n '/^Next/,/^Running/{/^Running/d;s/^Next *//;p}' <<<"$screen" | one_line)
    if [ -n "$leads" ]; then
        screen+=$'\n'$(as sleeptune report linux-client-priority 2>&1)
        grep -qE -- "$leads" <<<"$(one_line <<<"$screen")" || step="leads nowhere: $step"
    fi
    judge status "$@" "$(head -1 <<<"$screen")" "$next" "$step"
    if [ -n "${LONG:-}" ]; then
        check=$(as sleeptune check --quiet 2>&1)
        judge check "$@" "$(head -1 <<<"$check")" "$check_next" "$(one_line <<<"$check")"
    fi
    tap_note <<<"--- $*
$screen
${check:-}"
    kill "$clicker"
    kill -CONT "${players[@]}"
    stop "$clicker" "$daemon" "${players[@]}"
}
read -r small large <<<"${CLICKS:-256 1024}"
for who in rtkit none; do
    session $who
    for cause in slow waits pages stopped taken server; do
        # without LONG each cause at one size with rtkit, at the other one without rights
        if [ -n "${LONG:-}" ] || [ $who = rtkit ]; then row $cause $who "$small"; fi
        if [ -n "${LONG:-}" ] || [ $who = none ]; then row $cause $who "$large"; fi
    done
    end_session
done
printf '# %s\n' "${table[@]}"
for program in "${!n[@]}"; do
    ok "$program: ${right[$program]} of ${n[$program]} as the table has it" test "$((12 * right[$program]))" -ge "$((11 * n[$program]))"
done
tap_done
