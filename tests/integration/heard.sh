#!/usr/bin/env bash
# sleeptune heard: a mark of the listener, what it finds, and what may be written that way.
. "$SLEEPTUNE_SRC/tests/tap.sh"
go_on_as_nobody
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
if ! ask_for=$("$SLEEPTUNE" --version) || [[ $ask_for != *"http yes"* ]]; then skip_all "needs the HTTP server"; fi

# heard KEY...: of the document, each a Python expression on d
heard() { "$SLEEPTUNE" history --heard --json --socket "$sock" | key - "$1"; }
post() { curl -s -o "$tmp/body" -w '%{http_code}' --unix-socket "$sock" -X POST "http://localhost$1"; }

like "no daemon: it says so" "$("$SLEEPTUNE" heard --socket "$tmp/none" 2>&1; echo $?)" 'the click was not saved: no sleeptuned is listening' # and what starts one for this user
refused "a note that is too long" 3 heard --socket "$sock" "$(printf %0161d 0)"

# --- nothing happened: no loop, nothing plays ---
config "loop: { when = \"playing\"; };" "history: { path = \"$tmp/history.db\"; };"
behind "$SLEEPTUNED" -f -c "$conf" 2>"$log"
daemon=$!
ok "the daemon answers" wait_for value_is 'd["schema"]' sleeptune-status/1
screen_is no-marks-yet "$SLEEPTUNE" history --heard --socket "$sock"
screen_is -t kept "$SLEEPTUNE" heard --socket "$sock" in the second verse, left: 50%
is "the note is whole" "$(heard 'd["marks"][0]["note"], d["marks"][0]["by"], d["marks"][0]["cause"]')" "('in the second verse, left: 50%', 'typed', None)"
screen_is quiet "$SLEEPTUNE" heard --key --quiet --socket "$sock"
is "a key has a short window" "$(heard 'd["marks"][1]["window_ns"], d["marks"][1]["note"]')" "(2500000000, None)"
screen_is -t few-marks "$SLEEPTUNE" history --heard --socket "$sock"
is "they are events, too, without the note" "$("$SLEEPTUNE" history --events --kind heard --json --socket "$sock" | key - '[e["text"] for e in d["events"]]')" "['a click was marked (sleeptune heard)', 'a click was marked (sleeptune heard)']"
is "the file says the same without the daemon" "$("$SLEEPTUNE" history --heard --json --db "$tmp/history.db" | key - 'len(d["marks"])')" 2

# --- what may be written ---
is "a key; by what: only what is known; no other parameter" "$(post '/v1/heard?by=key') $(post '/v1/heard?by=nobody') $(post '/v1/heard?since=1h')" "200 400 400"
for _ in 1 2 3 4 5 6 7; do post /v1/heard >/dev/null; done
is "ten a minute are enough" "$(post /v1/heard)" 429
screen_is ten-a-minute "$SLEEPTUNE" heard --socket "$sock"
is "hostile notes cannot reach the terminal" "$("$SLEEPTUNE" history --heard --socket "$sock" | LC_ALL=C grep -c $'\033')" 0
stop

# --- something happened: the loop was stopped ---
config "history: { path = \"$tmp/history2.db\"; };"
starts "a daemon with a loop"
wait_for value_is 'd["loop"]["cycles"] > 1000' True
stop_for 0.5 "$daemon"
stopped() { "$SLEEPTUNE" history --events --kind late-wake --socket "$sock" | grep -q 'stopped'; }
ok "the stop is an event" wait_for stopped
sleep 1 # nobody reacts in less than half a second
like "which the mark finds" "$("$SLEEPTUNE" heard --socket "$sock" | tr '\n' ' ')" 's before the click: .*stopped' # and what else was late on this computer
is "with its cause; without music a mark is none for chance" "$(heard 'd["marks"][0]["cause"], d["marks_that_count"]')" "('stopped', 0)"
kill -STOP "$daemon"
screen_is stopped "$SLEEPTUNE" heard --socket "$sock" # it waits 5 s
kill -CONT "$daemon"
two_marks() { [ "$(heard 'len(d["marks"])')" = 2 ]; }
ok "a daemon that goes on keeps the mark" wait_for two_marks
stop

# --- a program plays, and the buffer between it and PipeWire is not watched ---
helper_is pipewire <<'SH'
#!/bin/sh
echo ready a server
echo load cycles_n=469 busy_median_ns=1 busy_p99_ns=1 busy_max_ns=1 wait_median_ns=1 wait_p99_ns=1 wait_max_ns=1 period_ns=21333333 between=2 device=card client=mpv
exec cat
SH
# the timing test runs while it plays: with periods of 2 s, a busy machine does not make it late
config 'loop: { when = "playing"; rate_hz = 8000; frames = 16000; };' "history: { path = \"$tmp/history3.db\"; };" 'audio: { backend = "none"; };'
starts "a daemon and a program that plays"
ok "its buffer is not watched" wait_for value_is 'len([c for s in d["observe"] for c in s["clients"]])' 1
"$SLEEPTUNE" heard --key --quiet --socket "$sock"
is "a mark that nothing fits names it" "$("$SLEEPTUNE" history --heard --socket "$sock" | paste -sd " " | tr -s " " | sed 's/.*before the click: //')" \
    "sleeptune noticed nothing; sleeptune does not notice sound that mpv sends too late"
stop
unset SLEEPTUNE_OBSERVE_DIR

# --- a history that was damaged, and cannot be read in part ---
LC_ALL=C sed -i 's/playing INTEGER/playinh INTEGER/' "$tmp/history2.db"
config "history: { path = \"$tmp/history2.db\"; };"
starts "a daemon whose history is damaged"
is "the answer to a mark is that it is kept" "$(post /v1/heard)" 200
like "and the command says so" "$("$SLEEPTUNE" heard --socket "$sock" 2>&1 | tr '\n' ' '; echo "${PIPESTATUS[0]}")" '^sleeptuned has this mark in its memory\. Dropouts before this click are unknown: the history cannot be read: no such column: playing.* 0$'
stop
is "which it is" "$(sql "$tmp/history2.db" "SELECT count(*) FROM event WHERE kind = 'heard'")" 4

# --- a history that cannot be read: the mark waits in memory ---
echo "the database of another program" >"$tmp/foreign.db"
config "history: { path = \"$tmp/foreign.db\"; };"
starts "a daemon whose history is a foreign file"
like "a mark is kept, which is said, and what before it is not known" "$("$SLEEPTUNE" heard --socket "$sock" 2>&1 | tr '\n' ' '; echo "${PIPESTATUS[0]}")" '^sleeptuned has this mark in its memory\. Dropouts before this click are unknown: the history cannot be read: .*\. 0$'
is "it is an event" "$(value '[e["event"] for e in d["events"]].count("heard")')" 1
stop

# --- no history: nothing is kept, not even for a while ---
config 'history: { enabled = "off"; };'
starts "a daemon without a history"
screen_is no-history "$SLEEPTUNE" heard --socket "$sock"
is "nor listed" "$(value 'any(e["event"] == "heard" for e in d["events"])')" False
tap_done
