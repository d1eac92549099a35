#!/usr/bin/env bash
# The threads of the programs that play and record over PipeWire have the priority of other players: by a right of the user's own, or from rtkit.
# shellcheck disable=SC2154
. "$SLEEPTUNE_SRC/tests/tap.sh"
need setpriv prlimit chrt
right=(--inh-caps +sys_nice --ambient-caps +sys_nice)
if [ "$(id -u)" -eq 0 ]; then # root is refused
    let_nobody_in
    "${nobody[@]}" "${right[@]}" chrt -f 83 true 2>/dev/null || skip_all "real-time priority is not to be had here"
    exec "${nobody[@]}" "${right[@]}" "${homeless[@]}" "$0"
fi
chrt -f 83 true 2>/dev/null || skip_all "needs root, or the right to real-time priority 83"
. "$SLEEPTUNE_SRC/tests/integration/pipewire-lib.sh" ps
export SLEEPTUNE_OBSERVE_DIR=$SLEEPTUNE_BUILD/ears/helpers
export DBUS_SYSTEM_BUS_ADDRESS=unix:path=$tmp/none # not the machine's rtkit
sound || skip_all "pipewire does not run here: $(tail -1 "$tmp/server.log")"

# listens [COMMAND...]: until both programs run
listens() {
    behind "$@" "$SLEEPTUNE" listen --back monitor -d 60s >"$tmp/out" 2>"$tmp/err"
    command=$!
    wait_for helpers_run
}
helpers_run() { helper=$(pgrep -P "$command" -f "^([^ ]*/)?sleeptune-listen-pipewire") && player=$(pgrep -P "$helper"); }
# both_have POLICY PRIORITY: one thread of each
both_have() {
    local pid
    for pid in "$helper" "$player"; do ps -L -o cls=,rtprio= -p "$pid" | grep -qE "^ *$1 +$2\$" || return 1; done
}
all_normal() { [[ $(ps -L -o cls= -p "$helper,$player" | tr -d ' \n') =~ ^(TS|B)+$ ]]; }
# of each, so that memory that cannot be read fails
no_dbus() {
    local pid
    for pid in "$helper" "$player"; do grep -q libpipewire "/proc/$pid/maps" && ! grep -q libdbus "/proc/$pid/maps" || return 1; done
}
# shared pages by the share of each that has them
memory_kb() { cat /proc/{"$command","$helper","$player"}/smaps_rollup | awk '$1 == "Pss:" {n++; kb += $2} END {if (n == 3) print kb}'; }
stops() { kill -INT "$command"; wait "$command"; }

listens
does "with the right to it they take real-time priority" wait_for both_have FF 83
ok "and need no library of D-Bus for it" no_dbus
sleep 3
kb=$(memory_kb)
ok "the three programs have at most 16 MB ($kb kB)" test "$kb" -le 16000
stops

rtkit=$SLEEPTUNE_BUILD/tests/integration/fake_rtkit
without=(prlimit --rtprio=0:0 setpriv --inh-caps -all --ambient-caps -all)
if [ ! -x "$rtkit" ]; then
    skip "without it rtkit gives it" "built without systemd"
elif ! prlimit --rtprio=0:0 chrt -f 20 true 2>/dev/null; then
    skip "without it rtkit gives it" "the stand-in for rtkit needs CAP_SYS_NICE"
else
    bus=DBUS_SYSTEM_BUS_ADDRESS=$DBUS_SESSION_BUS_ADDRESS
    behind env "$bus" "$rtkit" >"$tmp/rtkit.log" 2>&1
    wait_for grep -q ready "$tmp/rtkit.log"
    listens env "$bus" "${without[@]}"
    does "without it rtkit gives it" wait_for both_have RR 20
    sleep 3
    kb=$(memory_kb)
    ok "and they have at most 16 MB ($kb kB)" test "$kb" -le 16000
    stops
fi

listens "${without[@]}"
ok "without rtkit they play all the same" wait_for grep ^Playing "$tmp/err"
does "at normal priority" all_normal
stops
echo "pcm_type.clocked { lib \"$SLEEPTUNE_BUILD/tests/integration/clocked_card.so\" } pcm.card { type clocked file /dev/null }" >"$tmp/asound.conf"
head_of() { ALSA_CONFIG_PATH=$tmp/asound.conf "$SLEEPTUNE_OBSERVE_DIR/sleeptune-listen-alsa" -w device -p card -r card </dev/null | "$SLEEPTUNE_BUILD/tests/integration/read_capture" | head -n 1; }
[ ! -e "$SLEEPTUNE_BUILD/tests/integration/clocked_card.so" ] || is "a card of ALSA is played in the only format that it has" "$(head_of)" "head device 48000 2 512"
tap_done
