#!/usr/bin/env bash
# Other programs' xruns through a helper program, which is a script here: told, dying, hanging at its end, missing, flooding.
# The real servers are in observe-*.sh, ALSA in tests/vm/41-observe-alsa.sh.
. "$SLEEPTUNE_SRC/tests/tap.sh"
go_on_as_nobody
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
source_is() { value_is "[s for s in d['observe'] if s['source'] == '$1'][0]['$2']" "$3"; }
quiet="audio: { backend = \"none\"; };"

for helper in "$SLEEPTUNE_BUILD"/xruns/helpers/sleeptune-observe-*; do
    [ -f "$helper" ] && [ -x "$helper" ] || continue
    is "${helper##*/} does not work for another version" "$( (exec -a "${helper##*/}" "$helper" -V0.1 </dev/null 2>&1); echo "$?")" \
        "absent ${helper##*/} has version $("$SLEEPTUNE" --version | sed -n '1s/.* //p'), but the program that started it has 0.1. Restart sleeptuned.
2"
    is "an argument is a usage error, an unknown option and what is no process id, too" \
        "$(for arg in nonsense -x -p12x; do "$helper" "$arg" 2>&1 >/dev/null; echo "$?"; done | grep -xc -e 3 -e "$helper: -p: '12x' is not a process id")" 4
done

helper_is jack <<'SH'
#!/bin/sh
echo "ready server ${2#*=}"
echo 'device-dropout count_n=2 certainty=exact device=system'
echo 'client-dropout count_n=3 certainty=probable device=system client=Carla%20Host%0a'
echo $$ >"${0%/*}/../jack.pid"
exec cat # ends with its standard input
SH
config "$quiet" 'observe: { jack = "on"; jack_server = "studio"; pipewire = "off"; };'
starts "the daemon starts"
ok "a source that is there is watched" wait_for source_is jack state watching
is "its server is the configured one" "$(value '[s for s in d["observe"] if s["source"] == "jack"][0]["why"]')" "server studio"
ok "dropouts of devices and of clients are counted apart" value_is \
    '[(s["device_dropouts"], s["client_dropouts"]) for s in d["observe"] if s["source"] == "jack"]' '[(2, 3)]'
ok "those of a client have its name" value_is \
    '[(c["name"], c["device"], c["dropouts"]) for s in d["observe"] if s["source"] == "jack" for c in s["clients"] if c["name"]]' "[('Carla Host?', 'system', 3)]"
ok "events have source, device, client, certainty and count" wait_for value_is \
    'sorted((e["event"], e["source"], e["device"], e.get("client"), e["certainty"], e["count_n"]) for e in d["events"] if "certainty" in e)' \
    "[('client-dropout', 'jack', 'system', 'Carla Host?', 'probable', 3), ('device-dropout', 'jack', 'system', None, 'exact', 2)]"
ok "and a cause each: the loop's of that time" wait_for value_is 'all(e.get("cause") and "; " in e["text"] for e in d["events"] if "certainty" in e)' True
ok "one that is off is not started" source_is pipewire state off
ok "one that is not installed says so, and has no counts, not zero" \
    value_is "[(s['why'], s['device_dropouts']) for s in d['observe'] if s['source'] == 'pulseaudio']" "[('sleeptune-observe-pulseaudio is not installed', None)]"
is "the log says nothing of another system's source" "$(logged 'does not watch the dropouts of (sound4|alsa): only' && echo said)" ""
is "metrics: dropouts by source, and none of what is not watched" "$(ask /metrics | grep -E '^sleeptune_(device_)?dropouts_total\{source="(jack|pulseaudio)"\}' | sort)" \
    'sleeptune_device_dropouts_total{source="jack"} 2
sleeptune_dropouts_total{source="jack"} 3'
is "no line is longer than 80 columns" "$("$SLEEPTUNE" status --details --socket "$sock" | grep -E '^.{81}')" ""
screen_is -t carla status_rows Carla
screen_is -m watched status_rows Watched

kill -KILL "$(cat "$tmp/jack.pid")"
ok "a program that is killed is reported" wait_for value_is '[e["text"] for e in d["events"] if e["event"] == "observe-lost"]' \
    "['sleeptuned no longer watches the dropouts of jack: signal 9 ended the helper program sleeptune-observe-jack']"
ok "and started again; counts go on" wait_for value_is \
    '[(s["state"], s["device_dropouts"], s["opened"]) for s in d["observe"] if s["source"] == "jack"]' "[('watching', 4, 2)]"

# how long it was stopped is not counted as watched
kill -STOP "$(pgrep -P "$daemon")"
ok "a program that is stopped is reported" wait_for value_is '[e["text"] for e in d["events"] if e["event"] == "observe-lost"][0]' \
    'sleeptuned no longer watches the dropouts of jack: the helper program sleeptune-observe-jack was stopped (SIGSTOP)'
ok "and started again" wait_for source_is jack state watching
screen_is -t watched-again value '[e["text"] for e in d["events"] if e["event"] == "observe"][0]'

helper_is jack <<'SH'
#!/bin/sh
echo absent no server of that name runs
SH
kill -KILL "$(cat "$tmp/jack.pid")"
ok "a server that is gone is absent with its reason" wait_for source_is jack why 'no server of that name runs'
ok "a source that is \"on\" and absent is degraded" value_is '[x["why"] for x in d["degraded"] if x["what"] == "observe"]' \
    "['sleeptuned does not watch the dropouts of jack: no server of that name runs']"
reload "$quiet" 'observe: { jack = "auto"; };'
ok "\"auto\" is not" wait_for value_is '[x for x in d["degraded"] if x["what"] == "observe"]' '[]'

helper_is jack <<'SH'
#!/bin/sh
echo "Segmentation fault (core dumped)"
exec cat
SH
ok "rubbish is quoted, not counted" wait_for source_is jack why \
    'the helper program sleeptune-observe-jack printed a line that sleeptuned does not know: "Segmentation fault (core dumped)"'

helper_is jack <<'SH'
#!/bin/sh
echo ready a flood
while :; do echo device-dropout count_n=1 certainty=exact device=system client=flood; done
SH
ok "a flood is watched" wait_for source_is jack why 'a flood'
cycles=$(value 'd["loop"]["cycles"]')
ok "while it lasts, the loop goes on" wait_for value_is "d['loop']['cycles'] > $cycles" True
is "and it becomes few events" "$(value 'sum(e.get("client") == "flood" for e in d["events"]) < 10')" True

helper_is jack <<'SH'
#!/bin/sh
trap '' TERM
echo ready I stay
echo $$ >"${0%/*}/../jack.pid"
while :; do sleep 0.1; done
SH
reload "$quiet" 'observe: { jack = "off"; };'
ok "switched off by SIGHUP" wait_for source_is jack state off
rm -f "$tmp/jack.pid"
reload "$quiet"
ok "and on again" wait_for source_is jack why 'I stay'
stops "a clean end"
gone() { ! kill -0 "$(cat "$tmp/jack.pid")" 2>/dev/null; } # killed, it may be a zombie of init's for a moment
ok "a program that ignores SIGTERM does not outlive it" wait_for gone

helper_is jack <<'SH'
#!/bin/sh
echo ready until the end
echo $$ >"${0%/*}/../jack.pid"
exec cat
SH
rm -f "$tmp/jack.pid"
starts "once more"
ok "it is watched" wait_for source_is jack state watching
killed
ok "a daemon that is killed takes its programs along" wait_for gone

# --- clients: who made the dropouts, why, and how long each one computes ---
helper_is pipewire <<'SH'
#!/bin/sh
echo ready a server
echo load cycles_n=469 busy_median_ns=0 busy_p99_ns=0 busy_max_ns=0 wait_median_ns=0 wait_p99_ns=0 wait_max_ns=0 period_ns=21333333 frames=1024 rate_hz=48000 device=card
echo load cycles_n=469 busy_median_ns=2560000 busy_p99_ns=24000000 busy_max_ns=25000000 wait_median_ns=30000 wait_p99_ns=90000 wait_max_ns=400000 period_ns=21333333 device=card client=HeavyReverb
echo load cycles_n=469 busy_median_ns=640000 busy_p99_ns=700000 busy_max_ns=900000 wait_median_ns=30000 wait_p99_ns=90000 wait_max_ns=400000 period_ns=21333333 device=card 'client=Good%22Synth'
echo client-dropout count_n=24 certainty=exact reason=too-slow busy_ns=25000000 error_ns=250000 wait_ns=30000 period_ns=21333333 device=card client=HeavyReverb
echo client-dropout count_n=1 certainty=exact reason=woken-late busy_ns=700000 wait_ns=4100000 period_ns=21333333 culprit=kworker/1:0 device=card 'client=Good%22Synth'
exec cat
SH
config "$quiet" 'observe: { pipewire = "on"; jack = "off"; pulseaudio = "off"; };'
starts "clients: it starts"
ok "each has its dropouts by reason" wait_for value_is '[(c["name"], c["dropouts"], [(r["reason"], r["dropouts"]) for r in c["rows"]], c["playing"]) for s in d["observe"] for c in s["clients"]]' \
    "[('HeavyReverb', 24, [('too-slow', 24)], True), ('Good\"Synth', 1, [('woken-late', 1)], True)]"
is "the worst cycle and the load are there" "$(value '[(r["worst_busy_ns"], r["worst_busy_error_ns"], r["worst_period_ns"], c["load"]["busy_ns"]["median"]) for s in d["observe"] for c in s["clients"][:1] for r in c["rows"]]')" \
    "[(25000000, 250000, 21333333, 2560000)]"
is "and the buffer of the server" "$(value '[s["in_use"] for s in d["observe"] if s["source"] == "pipewire"]')" \
    "[{'device': 'card', 'frames': 1024, 'rate_hz': 48000, 'period_ns': 21333333}]"
is "at most 20 lines" "$(($("$SLEEPTUNE" status --socket "$sock" | wc -l) <= 20))" 1
clients() { other_rows "This computer" PipeWire Warning | sed "s/; for this computer's timing: .*//"; }
screen_is -t clients clients
screen_is clients-event value '[e["text"] for e in d["events"] if e.get("client") == "HeavyReverb"][0]'
metrics=$(ask /metrics)
like "metrics: by reason" "$metrics" '^sleeptune_dropouts_by_reason_total\{source="pipewire",reason="too-slow"\} 24$'
like "metrics: by client, whose name cannot end its label" "$metrics" '^sleeptune_client_dropouts_total\{source="pipewire",client="Good\\"Synth",device=""\} 1$'
like "metrics: load" "$metrics" '^sleeptune_client_busy_ratio\{source="pipewire",client="HeavyReverb",device="",stat="median"\} 0\.12$'
stop

config 'observe: { jack = "perhaps"; };'
refused
is "another word is refused" "$status" 3
screen_is another-word cat "$log"
tap_done
