#!/usr/bin/env bash
# check, and the bare command.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp

# table COMMAND...: the answer and the table; what comes below is about this machine
table() { "$@" | sed -nE '1s/ Mea(sured without real-time priority|nwhile the host of) .*//;1p;/^ *frames /,/ 2048 /p'; } # so is who has no right to real-time priority, and a host that takes CPUs
# shape FILE: a screen without what this computer decides: the first sentence, each row's mark and result (*, RESULT), which settings are
# advised, whether a sound server runs, and the next step. Their sentences are in tests/screens/sizes.
shape() {
    sed -E -e '1,/^$/{H;/^$/!d;x;s/\n/ /g;s/^.*(Measured for )[0-9.]+ s\..*/VERDICT \1TIME./;s/^ .*/VERDICT/;s/$/\n/}' \
        -e 's/^[✔✘!+x] (( *[0-9]+ +[0-9.]+ ms  )|([a-z]+) .*).*/* \2\3 RESULT/' -e '/^(problem|advice|note) /,/^$/d' -e '/^Next: /,$c Next: ...' "$1"
}
# --- check ---------------------------------------------------------------------------------------------------------------
COLUMNS=80 "$SLEEPTUNE" check --duration 4s --frames 256 >"$tmp/out" 2>"$tmp/err"
like "check ends with a status of report's" "$?" '^[012]$'
screen_is rows shape "$tmp/out"
is "the time that was measured is said once, one next step, and no row has a time of its own" \
    "$(sed '/^$/Q' "$tmp/out" | grep -oE '[0-9.]+ s\.( |$)' | wc -l) $(grep -c '^Next: ' "$tmp/out") $(grep -c "none in" "$tmp/out")" "1 1 0"
is "it fits 80x24" "$(grep -cE '^.{81}' "$tmp/out") $(tail -n +24 "$tmp/out")" "0 "
is "a first verdict came after two seconds: one, where stderr is no terminal" "$(wc -l <"$tmp/err")" 1
COLUMNS=40 LC_ALL=C "$SLEEPTUNE" check --duration 2s --quiet >"$tmp/narrow.txt" 2>"$tmp/err"
screen_is narrow shape "$tmp/narrow.txt"
# a command is one line
is "40 columns of ASCII" "$(LC_ALL=C sed 's/^Next: [ -~]*$//' "$tmp/narrow.txt" | LC_ALL=C grep -cE '^.{41}|[^ -~]')" 0
"$SLEEPTUNE" check --frames 32 --duration 3s --quiet --json >"$tmp/out" 2>"$tmp/err"
is "--quiet is quiet, and the JSON is a report with rows" "$(cat "$tmp/err"; key "$tmp/out" 'd["schema"], [r["frames"] for r in d["rows"]], d["stress"], all(r["at_most_per_hour"] > 0 for r in d["rows"])')" \
    "('sleeptune-report/1', [32, 64, 128, 256, 512, 1024, 2048], None, True)"
screen_is -m too-short table "$SLEEPTUNE" check --duration 500ms --frames 256 --quiet

# --- a normal thread ----------------------------------------------------------------------------------------------------------
if can_be_nobody || cannot "a normal thread" "nobody cannot run programs here"; then
    # nobody has no right to real-time priority, and other programs have this CPU
    cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
    hogs=()
    for _ in 1 2; do
        taskset -c "$cpu" nice -n -5 sh -c 'while :; do :; done' &
        hogs+=("$!")
    done
    as_nobody env DBUS_SYSTEM_BUS_ADDRESS="unix:path=$tmp/no-bus" COLUMNS=1000 taskset -c "$cpu" "$SLEEPTUNE" check --duration 3s --frames 16 --quiet >"$tmp/normal.txt" 2>"$tmp/err"
    kill "${hogs[@]}"
    screen_is normal-thread grep -o 'Measured without real-time priority[^.]*\.' "$tmp/normal.txt"
    if ! grep -q '^✔ *16 ' "$tmp/normal.txt" || cannot "the next step is a command" "16 frames were enough beside two programs that compute"; then
        like "the next step is a command" "$(cat "$tmp/normal.txt")" '^Next: sudo sleeptune apply linux-rt-permission'
    fi
fi

# --- loads ------------------------------------------------------------------------------------------------------------------
"$SLEEPTUNE" check --stress --duration 3s --quiet --json >"$tmp/stress.json" 2>"$tmp/err"
like "with loads it ends with a status of report's, too" "$? $(cat "$tmp/err")" '^[012] $'
is "a row for each load, and the worst is named" "$(key "$tmp/stress.json" '[r["load"] for r in d["stress"]], len(d["rows"]), repr(max(d["stress"], key=lambda r: r["lateness_max_ns"])["load"]) in d["verdict"]')" \
    "(['idle', 'cpu', 'memory', 'disk', 'programs'], 7, True)"
mkdir "$tmp/none"
TMPDIR=$tmp/none/missing COLUMNS=80 ends 4 "a load that cannot be made: a failure" "$SLEEPTUNE" check --stress --frames 128 --duration 1200ms --quiet
screen_is no-load-disk grep -h disk "$tmp/out" "$tmp/err"
screen_is loads shape "$tmp/out"
if command -v ps >/dev/null || cannot "what check --stress starts" "ps is not installed"; then
    setsid "$SLEEPTUNE" check --stress --duration 5s --no-servers >"$tmp/out" 2>"$tmp/err" &
    pid=$!
    # called by wait_for
    computes() { [ "$(ps -o pid= --ppid "$pid" | wc -l)" -ge "$(nproc)" ]; }
    ok "below load" wait_for computes
    children=$(ps -o pid= --ppid "$pid")
    ended_by INT "$pid"
    like "interrupted, it prints what it has" "$? $(tr '\n' ' ' <"$tmp/out")" '^[012] .*idle' # how many loads it had come to is chance
    # shellcheck disable=SC2046,SC2086 # a list
    is "and no load is left" "$(ps -o pid= -p $(tr -s ' \n' ',' <<<"$children" | sed 's/^,//; s/,$//') | wc -l)" 0
fi

refused "a duration that is none" 3 check --duration soon
refused "no snapshots: it is about this machine" 3 check --snapshot x

# --- the bare command -------------------------------------------------------------------------------------------------------
is "options alone are those of check, which measures" "$("$SLEEPTUNE" --frames 256 --duration 300ms --json 2>"$tmp/err" | key - 'len(d["rows"]), d["period"]["frames"]')" "(4, 256)"
# it starts, terminal or not: interrupted, it prints what it has
COLUMNS=80 timeout --preserve-status -s INT 4 "$SLEEPTUNE" >"$tmp/out" 2>"$tmp/err"
like "without a terminal the bare command is check" "$?" '^[012]$'
screen_is bare shape "$tmp/out"
# on a terminal: interrupted when it has shown a verdict, it prints what was measured
on_terminal "so far" env COLUMNS=80 TERM=dumb "$SLEEPTUNE" >"$tmp/pty.txt"
like "on a terminal it is check, which shows the verdict so far, and ends with its status" "$(tr '\n' '|' <"$tmp/pty.txt")" 'so far.*\|  frames  *lasts .*\|status [012]\|$'
tap_done
