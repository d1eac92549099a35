#!/usr/bin/env bash
# tune without rights: the plan, the JSON, a session that Ctrl-C ends. What root may do is tried in guests (tests/vm/48-tune.sh).
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp

before=$(cat /sys/kernel/mm/transparent_hugepage/enabled /proc/sys/vm/swappiness 2>/dev/null)
ends 0 "a dry run ends with 0" "$SLEEPTUNE" tune --dry-run --json --frames 32
mv "$tmp/out" "$tmp/dry.json"
valid "its JSON is what the schema says" "$tmp/dry.json"
is "it measured nothing" "$(key "$tmp/dry.json" '"end" in d')" False
"$SLEEPTUNE" tune --dry-run --frames 32 >"$tmp/dry"
n=$(sed -n '1s/^\([0-9]*\) .*/\1/p' "$tmp/dry")
is "the first line says how many are tried" "${n:-0}" "$(key "$tmp/dry.json" 'sum(c["why"] is None for c in d["candidates"])')"
is "each has a line" "$(for id in $(key "$tmp/dry.json" '" ".join(c["id"] for c in d["candidates"] if c["why"] is None)'); do grep -q "^ *$id: " "$tmp/dry" || echo "$id"; done)" ""
[ "$(id -u)" -ne 0 ] || like "the last line has sudo as this one had it" "$(SUDO_USER=root "$SLEEPTUNE" tune --dry-run --frames 32 2>/dev/null | tail -n 1)" \
    '^Next: (sudo sleeptune tune --ask|sleeptune check)'
each_refused 3 tune '--only linux-hz,freebsd-hz --frames 32' '--budget 10s --frames 32' '--profile phone' '--only linux-nothing' --ask

if can_be_nobody || cannot "without rights" "needs root and setpriv to become another user"; then
    powerless() { as_nobody --bounding-set=-all --inh-caps=-all "$@"; }
    powerless "$SLEEPTUNE" tune --dry-run --json --frames 32 >"$tmp/powerless.json"
    valid "without rights: JSON" "$tmp/powerless.json"
    is "what needs root says so" "$(key "$tmp/powerless.json" 'all(c["why"] in (None, "needs root") or ":" in c["why"] or "slack" in c["why"] for c in d["candidates"]) and all("own test" in c["setting"] for c in d["candidates"] if "slack" in c["id"])')" True
    if [ "$(key "$tmp/powerless.json" '"linux-timer-slack" in [c["id"] for c in d["candidates"] if c["why"] is None]')" = True ] || cannot "Ctrl-C ends a session" "nothing can be tried without rights here"; then
        powerless sh -c 'echo $$ >&2; exec "$@"' sh "$SLEEPTUNE" tune --json --frames 32 --only linux-timer-slack >"$tmp/cut.json" 2>"$tmp/err" </dev/null &
        job=$!
        wait_for grep -q '^[0-9]' "$tmp/err"
        pid=$(head -n 1 "$tmp/err")
        wait_for catches "$pid"
        sleep 1
        kill -INT "$pid"
        wait "$job"
        is "Ctrl-C ends a session with 0, which says that it was stopped" "$? $(key "$tmp/cut.json" 'd["end"], d["why"], [c["outcome"] for c in d["candidates"]]')" "0 ('stopped', 'stopped', ['not-tried'])"
        valid "and prints its JSON" "$tmp/cut.json"
    fi
fi
is "nothing has changed" "$(cat /sys/kernel/mm/transparent_hugepage/enabled /proc/sys/vm/swappiness 2>/dev/null)" "$before"
tap_done
