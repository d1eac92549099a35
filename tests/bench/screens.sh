#!/usr/bin/env bash
# Writes docs/screens.md: a program that computes too long plays in a session of an ordinary user. Whether the screens answer a musician's
# ten questions: tests/vm/35-user-session.sh. The pictures of the README and of the site's first page are of the same minute.
#
#   tests/bench/screens.sh BUILD USER >docs/screens.md     as root; three minutes; needs pipewire, wireplumber, dbus-run-session, curl and chromium
set -u
build=$(realpath "$1") user=$2 folder=${3:-}

if [ -z "$folder" ]; then
    folder=$(mktemp -d)
    chown "$user" "$folder"
    trap 'rm -rf "$folder"' EXIT
    runuser -u "$user" -- env -i PATH="$PATH" HOME="$folder" dbus-run-session -- bash "$0" "$build" "$user" "$folder"
    status=$?
    cp "$folder/click.svg" "$folder/page.png" "$(dirname "$0")/../../docs/pictures/" || status=1
    exit $status
fi

# --- within the session ---
export XDG_RUNTIME_DIR=$folder STATE_DIRECTORY=$folder/state LANG=C.UTF-8 COLUMNS=80
cd "$folder" || exit
mkdir "$STATE_DIRECTORY"
mkfifo end
exec 9<>end
started=()
begin() { "$@" <end >>log 2>&1 & started+=($!); }
sleeptune() { "$build/cli/sleeptune" "$@"; }
begin pipewire
sleep 1
begin wireplumber
sleep 2
pw-cli create-node adapter '{ factory.name=support.null-audio-sink node.name=studio media.class=Audio/Sink object.linger=true audio.position=[FL FR] }' >>log 2>&1
pw-metadata -n settings 0 clock.force-quantum 1024 >>log 2>&1
printf 'http: { listen = "127.0.0.1:8077"; };\n' >conf
begin "$build/daemon/sleeptuned" -f -c conf
sleep 2
sleeptune status >rest.txt
begin "$build/tests/integration/stall_pipewire" 0 GoodSynth 5 5 1 good.log -1
begin "$build/tests/integration/stall_pipewire" 0 HeavyReverb 5 130 20 heavy.log -1
heavy=$!
sleep 40
load=$(cut -d' ' -f1-3 /proc/loadavg)
sleeptune status >status.txt
COLUMNS=40 sleeptune status >narrow.txt
curl -s http://127.0.0.1:8077/v1/cycle.svg >click.svg
python3 "$build/../tests/integration/browser.py" chromium http://127.0.0.1:8077/ --width 900 --height 620 --wait 'document.querySelector("rect.loss") !== null' --screenshot page.png
sleeptune check >check.txt 2>&1
sleeptune check --stress >stress.txt 2>/dev/null
sleep 25
sleeptune history >history.txt
kill "$heavy"
sleep 35
sleeptune status >after.txt
kill "${started[@]}" 2>>log
wait

# --- the document ---
screen() { printf '\n## %s\n\n%s\n\n```\n$ %s\n%s\n```\n' "$1" "$2" "$3" "$(cat "$4.txt")"; }

cat <<TEXT
# The first screens

Captured by \`tests/bench/screens.sh\`, not edited. $(date -u +%Y-%m-%d), Linux $(uname -r), PipeWire $(pipewire --version | sed -n 's/^Compiled.* //p'), $(nproc) CPUs
without a sound card (a null sink), load $load, no right to real-time priority. Two programs play at 1024 frames: *GoodSynth* computes 5 % of
each period, *HeavyReverb* as much, and 130 % in each twentieth one.
TEXT
screen "status: while it clicks" "Which program, which buffer, since when, is it my computer, what now." "sleeptune status" status
screen "check: is it this computer?" "Ten seconds; the first line appears while it measures." "sleeptune check" check
screen "check --stress: and while the computer is busy?" "Fifty seconds: ten under each load." "sleeptune check --stress" stress
screen "history: what was" "The last day." "sleeptune history" history
screen "after: the program has ended" "It makes no dropouts any more." "sleeptune status" after
screen "rest: before anything plays" "The timing test rests." "sleeptune status" rest
screen "40 columns" "As on a phone." "COLUMNS=40 sleeptune status" narrow
