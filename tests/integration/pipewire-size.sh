#!/usr/bin/env bash
# apply sets the size of a user's own PipeWire: with a real server, as an ordinary user.
. "$SLEEPTUNE_SRC/tests/tap.sh"
# the least size is PipeWire's default: shown is that of 0.3, also with 1.4, where it is 32
size() {
    local said status=0
    said=$("$SLEEPTUNE" apply --yes "linux-pipewire-quantum=$1" 2>&1 </dev/null) || status=$?
    echo "${said/(and 32 to/(and 16 to}"
    return "$status"
}
if [ "$(id -u)" -eq 0 ]; then
    let_nobody_in
    as_nobody test -w "${TMPDIR:-/tmp}" || unset TMPDIR
    home=$(mktemp -d)
    like "root writes into no one's home" "$(HOME=$home XDG_CONFIG_HOME=$home size 128; echo "status $?")" 'as that user, not as root'
    is "and nothing is there" "$(ls -A "$home")" ""
    rmdir "$home"
    SLEEPTUNE_TESTS_BEFORE=$tap_n as_nobody "$0"
    exit
fi
tap_n=${SLEEPTUNE_TESTS_BEFORE:-0}
own_tmp
trap 'exit 1' INT TERM
for program in pipewire pw-metadata pw-cli; do command -v "$program" >/dev/null || skip_rest "a size of PipeWire" "$program is not installed"; done
export HOME="$tmp/the home" XDG_RUNTIME_DIR=$tmp/run
unset XDG_CONFIG_HOME XDG_STATE_HOME STATE_DIRECTORY PIPEWIRE_REMOTE PIPEWIRE_RUNTIME_DIR
drop_ins=$HOME/.config/pipewire/pipewire.conf.d
file=$drop_ins/90-sleeptune-linux-pipewire-quantum.conf
mkdir -m 700 "$XDG_RUNTIME_DIR" "$HOME"
here() { # what depends on the machine: the name of a card's file, whether root applied something, too
    local out status=0
    out=$("$@" 2>&1) || status=$?
    grep -v '^These are your own settings' <<<"${out//"${rule:-/none}"/FILE}"
    return "$status"
}
verify() { here "$SLEEPTUNE" verify; }
revert() { "$SLEEPTUNE" revert linux-pipewire-quantum </dev/null 2>&1; }
start() {
    behind pipewire >>"$tmp/server.log" 2>&1
    server=$!
    in_time 10 pw-cli info 0
}
again() { # in this shell: it sets $server
    kill "$server"
    wait "$server" 2>/dev/null
    if start; then pass "PipeWire starts again"; else fail "PipeWire starts again" "$(tail -1 "$tmp/server.log")"; fi
}
runs() { pw-metadata -n settings 2>/dev/null | sed -n "s/.*'clock\.\(min-\|max-\|\)quantum' value:'\([0-9]*\)'.*/\2/p" | xargs; }

like "without PipeWire there is nothing to set" "$(size 128; echo "status $?")" 'PipeWire does not run here|the running PipeWire'
start || skip_rest "a size of PipeWire" "pipewire does not run here: $(tail -1 "$tmp/server.log")"
before=$(runs)
made=$SLEEPTUNE_BUILD/tests/integration/make_history
if [ -x "$made" ]; then # 256 frames were enough for days
    "$made" "$tmp/h.db" 1795190400 60 120 5 >/dev/null
    # of a jackd beside PipeWire it names the size; other tests start one
    next_is() { "$SLEEPTUNE" predict --history "$tmp/h.db" 2>&1 | tr -s '\n ' ' ' | tee "$tmp/predict" | grep -q "$1"; }
    wait_for next_is 'Next pw-metadata -n settings 0 clock\.force-quantum 256 (to keep it: sleeptune apply linux-pipewire-quantum=256; '
    is "predict names what sets the size here" "$? $(grep -o 'Next jack.*' "$tmp/predict")" "0 "
fi
screen_is -m a-shorter-cycle "$SLEEPTUNE" apply --dry-run linux-pipewire-quantum=128
screen_is -m a-longer-one "$SLEEPTUNE" apply --dry-run linux-pipewire-quantum=2048
is "and writes nothing" "$(ls -A "$HOME")" ""
deep() ( # the journal could not be read when it counted more than 8 new folders
    export XDG_CONFIG_HOME=$tmp/1/2/3/4/5/6/7/8/9
    size 128 >/dev/null
    find "$tmp/1" -type f | wc -l
    revert >/dev/null
    echo "$? $(find "$tmp/1" -type f | wc -l)"
)
is "a file below many new folders is reverted, too" "$(deep)" $'1\n0 0'
screen_is -m applied size 128
like "with that size" "$(cat "$file")" 'quantum[^0-9]*128'
is "the file is the user's own" "$(stat -c '%U %a' "$file")" "$(id -un) 644"
screen_is -m before-it-starts-again verify
pw-metadata -n settings 0 clock.force-quantum 128 >/dev/null
screen_is -m in-effect-until-it-ends verify
pw-metadata -n settings 0 clock.force-quantum 64 >/dev/null
screen_is -m another-size verify
again
is "with that size for all programs" "$(runs)" "128 128 128"
screen_is -t in-effect verify
screen_is -t a-second-size size 256
echo 'context.properties = { "default.clock.quantum": 512 }' >"$drop_ins/99-mine.conf"
screen_is -t another-file-names-it verify
rm "$drop_ins/99-mine.conf"
screen_is -t reverted revert
is "file and folders are gone" "$(ls -A "$HOME/.config" 2>/dev/null)" ""
again
is "as it was" "$(runs)" "$before"

mkdir -p "$drop_ins"
printf '# mine\ncontext.properties = { log.level = 2 }' >"$file"
cp "$file" "$tmp/mine"
screen_is -t a-file-of-the-users-own size 64
ok "it is as it was" cmp "$tmp/mine" "$file"
rm "$file"
ln -s "$tmp/mine" "$file"
screen_is -t a-link size 32
ok "and what it points to is as before" cmp "$tmp/mine" "$file"
rm "$file"

for wanted in 100 x 16384; do refused "linux-pipewire-quantum=$wanted" 3 apply --yes "linux-pipewire-quantum=$wanted"; done
refused "measured, which shows nothing" 3 apply --yes --measure 3s linux-pipewire-quantum=64
refused "beside another rule" 3 apply linux-pipewire-quantum=64 linux-memlock
like "a home that is none" "$(HOME=$'/x\n}' size 32; echo "status $?")" 'status [14]$'
is "nothing is left" "$(find "$HOME" -type f)" ""

# more reserve for a card: of a null sink that is called so, as pw-dump knows it
card() { # PROPERTY...
    pw-cli create-node adapter "{ factory.name=support.null-audio-sink media.class=Audio/Sink object.linger=true audio.position=[FL FR] $* }" >/dev/null 2>&1
}
reserve() { "$SLEEPTUNE" apply --yes "linux-device-headroom=$1" 2>&1 </dev/null; }
command -v pw-dump >/dev/null || skip_rest "the reserve of a card" "pw-dump is not installed"
screen_is -t a-card-that-is-not-there reserve alsa_output.usb-ACME
is "a name that would end the quotes: nothing is written" "$(reserve 'alsa_x" } ]' >/dev/null; echo "$? $(find "$HOME" -type f)")" "1 "
card node.name=alsa_output.pci-0000_00_1f.3.analog-stereo
card node.name=alsa_output.usb-ACME_Box_2-00.analog-stereo
wait_for grep -q ACME_Box <(pw-dump)
if [ -d /usr/share/wireplumber/main.lua.d ]; then
    rule=$HOME/.config/wireplumber/main.lua.d/51-sleeptune-linux-device-headroom.lua
elif [ -d /usr/share/wireplumber/wireplumber.conf.d ]; then
    rule=$HOME/.config/wireplumber/wireplumber.conf.d/90-sleeptune-linux-device-headroom.conf
else
    skip_rest "a rule of WirePlumber" "it is not installed"
fi
out=$(reserve alsa_output.usb-ACME_Box_2-00)
is "a reserve for a card: apply ends with 0" "$? $(find "$HOME/.config" -type f)" "0 $rule"
like "which names it" "$(cat "$rule")" 'node\.name.*"~?alsa_output\.usb-ACME_Box_2-00\.?\*".*headroom"?\]? = 512'
if [ "${rule##*.}" = lua ] && command -v luac >/dev/null; then ok "it is a script of Lua" luac -p "$rule"; fi
screen_is -t reserve-not-yet verify
again
card node.name=alsa_output.usb-ACME_Box_2-00.analog-stereo api.alsa.headroom=512
screen_is -t reserve-in-effect verify
screen_is -t reserve-reverted here "$SLEEPTUNE" revert linux-device-headroom
is "nothing is left of it" "$(find "$HOME" -type f)" ""
tap_done
