# shellcheck shell=bash disable=SC2154
# What the tests of the sources of xruns share. Source after daemon-lib.sh; set $source first.
observer=$SLEEPTUNE_BUILD/xruns/helpers/sleeptune-observe-$source
own_session

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
kept_mark() { [ "$(find "$tmp/state/traces" -name '*heard.cycles' 2>/dev/null | grep -c .)" = 1 ]; }
# shellcheck disable=SC2034
traced() {
    "$SLEEPTUNE" heard --key --quiet --socket "$sock" && wait_for kept_mark && "$SLEEPTUNE" history --trace last -o "$tmp/trace" --socket "$sock" 2>"$tmp/said" &&
        traced=$("$PYTHON" "$SLEEPTUNE_SRC/tests/integration/trace_tracks.py" "$tmp/trace" none --list)
}

watchers=()
# watch NAME OPTION...: the program alone, what it says in $tmp/NAME; returns when it watches
watch() {
    behind "$observer" "${@:2}" <>"$tmp/no-end" >"$tmp/$1" 2>&1
    watchers+=("$!")
    wait_for grep -q ^ready "$tmp/$1"
}

end_watchers() { kill "${watchers[@]}"; wait "${watchers[@]}" 2>/dev/null; }

# says: what the program alone says, and its status
says() { "$observer" "$@" <>"$tmp/no-end" 2>&1; echo "status $?"; }

# the_end WORDS: a server that hangs, and a daemon that is killed
the_end() {
    local helper
    kill -STOP "$server"
    is "a server that hangs is said" "$(timeout 30 "$observer" <>"$tmp/no-end" 2>&1; echo "$?")" "absent $1
2"
    kill -CONT "$server"
    helper=$(pgrep -P "$daemon" -x sleeptune-obser)
    ok "it is watched still" test -n "$helper"
    kill -KILL "$daemon"
    ok "the helper ends with a daemon that is killed" wait_for eval "! kill -0 $helper"
    ok "the server has lived through it all" kill -0 "$server"
    end_server
    tap_done
}
