# shellcheck shell=bash disable=SC2154
# The part of scripts/test that types the README's commands on new machines as people have them. tests/parts.sh sources this file.

# as_musician ROOT FOLDER COMMAND: an ordinary user without sudo
as_musician() { inside "$1" "cd '$2' && setpriv --reuid musician --regid musician --clear-groups env HOME=/srv/musician $3"; }

# offline: the same with the loopback network only
offline() {
    local namespaces=("${namespaces[@]}" --net)
    as_musician "$@"
}

# what README says is typed
readme_commands() { sed -n '/^## Try it/,/^## /s/^\(scripts\/[^#]*[^# ]\) *#.*/\1/p' README.md; }

# fresh SUITE: the steps build on each other: packages of step 2 are there in step 3
fresh() {
    local root=$work/fresh-$1 out=$work/fresh-$1.out own='/srv/musician/my music/sleeptune' fixed='/opt/read only/sleeptune' command status=0 typed=()
    mapfile -t typed < <(readme_commands)
    [ ${#typed[@]} -eq 2 ] || { verdict 1 "README has two commands: ${typed[*]}"; return; }
    bare_system "$root" "$1" || return
    rm -rf "$root-root"
    cp -a "$root" "$root-root"
    inside "$root" "{ command -v useradd >/dev/null || { apt-get update -qq; apt-get install -qq -y passwd; } >/dev/null; } && useradd -m -d /srv/musician musician && mkdir -p '${own%/*}' '${fixed%/*}' && cp -a . '$own' && cp -a . '$fixed' && chown -R musician: '${own%/*}' && touch /made" || return

    echo "at: $1, nothing installed"
    passes "$1: an ordinary user without sudo gets the command that installs what is missing, and it does when root types it" lets_root_install "$root" "$own" "${typed[0]}" || return

    echo "at: $1, an ordinary user"
    passes "$1: then ${typed[0]} works, in a path with a space" as_musician "$root" "$own" "${typed[0]}" || return

    # as if cloned again: what an optional part needs has gone, and cannot be fetched
    echo "at: $1, no network"
    inside "$root" 'dpkg --remove --force-depends libmicrohttpd-dev >/dev/null' || status=1
    offline "$root" "$fixed" scripts/run >"$out" 2>&1 || status=1
    cat "$out"
    grep -q '^run: going on with what is installed' "$out" || status=1
    verdict $status "$1: and without network and one optional package, from a tree that cannot be written to"

    echo "at: $1, what tests need"
    # as scripts/test asks, which would go on without
    passes "$1: the same for what ${typed[1]} needs" lets_root_install "$root" "$own" 'scripts/setup --test'
    status=0
    offline "$root" "$fixed" 'scripts/run 1' >"$out" 2>&1 && grep -q '^sudo meson install' "$out" && ! grep -q 'built without' "$out" || status=1
    verdict $status "$1: what was installed since then is in the next scripts/run"
    passes "$1: scripts/test unit, the same way" offline "$root" "$fixed" 'scripts/test unit'
    passes "$1: nothing was written there" test -z "$(find "$root$fixed" -newer "$root/made")"
    again "$1: ${typed[1]}" fresh_tests "$root" "$1" "$own" "${typed[@]}"
}

# lets_root_install ROOT FOLDER COMMAND: an ordinary user types COMMAND, which fails and says what root has to type
lets_root_install() {
    local out=$1.out command
    as_musician "$1" "$2" "$3" >"$out" 2>&1 && return 1
    cat "$out"
    command=$(sed -n "s/^  su -c '\(.*\)'\$/\1/p" "$out")
    [ -n "$command" ] && inside "$1" "$command >/dev/null"
}

# what takes long: scripts/test as the user, and both commands as root in a system where nothing is installed. What fails in there once and
# passes when it is tried again is no failure; what cannot run (a user's guests) is skipped
fresh_tests() { # ROOT SUITE FOLDER COMMAND...
    # shellcheck disable=SC2034  # inside looks at it
    local minutes=240 command
    passes "$2: $5, an ordinary user" as_musician "$1" "$3" "$5"
    for command in "${@:4}"; do
        passes "$2: $command, root" inside "$1-root" "$command"
    done
    grep -q '^not ok' "$work/log/fresh.tap" || rm -rf "$1" "$1"[.-]*
}

# unstable moves: its failures are those of the day. $SUITES: only these
part_fresh() {
    local suite
    for suite in ${SUITES:-bookworm trixie sid}; do fresh "$suite"; done
}
