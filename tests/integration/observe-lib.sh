# shellcheck shell=bash disable=SC2154
# What the tests of the sources of xruns share. Source after daemon-lib.sh; set $source first.
observer=$SLEEPTUNE_BUILD/xruns/helpers/sleeptune-observe-$source
export HOME=$tmp XDG_RUNTIME_DIR=$tmp/run
mkdir -m 700 "$XDG_RUNTIME_DIR"
mkfifo "$tmp/no-end" # as standard input: never ends
unset PIPEWIRE_REMOTE PIPEWIRE_RUNTIME_DIR PULSE_SERVER PULSE_RUNTIME_PATH SLEEPTUNE_OBSERVE_DIR DISPLAY

# only SETTING...: the configuration with no other source
only() {
    local all='' name
    for name in alsa pipewire jack pulseaudio; do [ "$name" = "$source" ] || all="$all $name = \"off\";"; done
    config "observe: {$all $* };"
}

# Of the status: this source's KEY
of() { value "[s for s in d['observe'] if s['source'] == '$source'][0]['$1']"; }
of_is() { [ "$(of "$1" 2>/dev/null)" = "$2" ]; }
of_like() { of "$1" 2>/dev/null | grep -Eq -- "$2"; }
counts() { echo "$(of device_dropouts) $(of client_dropouts)"; }
counts_are() { [ "$(counts 2>/dev/null)" = "$1" ]; }
# quiet: nothing is counted for three seconds; a machine that was too busy for the server has another try
quiet() {
    local before
    for _ in 1 2 3 4 5; do
        before=$(counts)
        sleep 3
        [ "$(counts)" != "$before" ] || return 0
    done
    return 1
}

# server COMMAND...: a sound server; sets $server
server() { "$@" >>"$tmp/server.log" 2>&1 & server=$!; pids+=("$server"); }
end_server() { kill -CONT "$server" 2>/dev/null; kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; }

# does NAME COMMAND...: ok, but in this shell

# client COMMAND...: a program that stalls once for each line it is sent (stall_*.c)
client() {
    mkfifo "$tmp/to-client" "$tmp/from-client"
    "$@" <"$tmp/to-client" >"$tmp/from-client" 2>>"$tmp/client.log" &
    client_pid=$!
    pids+=("$client_pid")
    exec {client_in}>"$tmp/to-client" {client_out}<"$tmp/from-client"
    rm "$tmp/to-client" "$tmp/from-client"
    local said=''
    read -r -t 60 said <&"$client_out"
    [ "$said" = playing ]
}
stall() {
    local said=''
    echo >&"$client_in"
    read -r -t 60 said <&"$client_out"
    case $said in stalled*) return 0 ;; *) return 1 ;; esac
}
end_client() { exec {client_in}>&- {client_out}<&-; wait "$client_pid" 2>/dev/null; }

# traced: a mark is kept, and what its file has is in $traced, a track a line
# shellcheck disable=SC2317
kept_mark() { [ "$(find "$tmp/state/traces" -name '*heard.cycles' 2>/dev/null | grep -c .)" = 1 ]; }
# shellcheck disable=SC2034
traced() {
    "$SLEEPTUNE" heard --key --quiet --socket "$sock" && wait_for kept_mark && "$SLEEPTUNE" history --trace last -o "$tmp/trace" --socket "$sock" 2>"$tmp/said" &&
        traced=$("$PYTHON" "$SLEEPTUNE_SRC/tests/integration/trace_tracks.py" "$tmp/trace" none --list)
}

watchers=()
# watch NAME OPTION...: the program alone, what it says in $tmp/NAME; returns when it watches
watch() {
    "$observer" "${@:2}" <>"$tmp/no-end" >"$tmp/$1" 2>&1 &
    pids+=("$!")
    watchers+=("$!")
    wait_for grep -q ^ready "$tmp/$1"
}

end_watchers() { kill "${watchers[@]}"; wait "${watchers[@]}" 2>/dev/null; }

# The program alone
is "an argument is a usage error" "$("$observer" nonsense >/dev/null 2>&1; echo $?)" 3
is "so is what is no process id" "$("$observer" -p 12x 2>&1 >/dev/null; echo $?)" "$observer: -p: '12x' is not a process id
3"
is "so is an unknown option" "$("$observer" -x >/dev/null 2>&1; echo $?)" 3
