# shellcheck shell=bash disable=SC2016,SC2154
# The part of scripts/test that types the README's commands on new machines as people have them. tests/parts.sh sources this file.

# as_musician ROOT FOLDER COMMAND: an ordinary user without sudo
as_musician() { inside "$1" "cd '$2' && setpriv --reuid musician --regid musician --clear-groups env HOME=/srv/musician $3"; }

# offline: the same with the loopback network only
offline() {
    local namespaces=("${namespaces[@]}" --net)
    as_musician "$@"
}

# fresh SUITE: the steps build on each other: packages of step 2 are there in step 3
fresh() {
    local root=$work/fresh-$1 out=$work/fresh-$1.out own='/srv/musician/my music/sleeptune' fixed='/opt/read only/sleeptune' command status=0
    bare_system "$root" "$1" || return
    inside "$root" "{ command -v useradd >/dev/null || { apt-get update -qq; apt-get install -qq -y passwd; } >/dev/null; } && useradd -m -d /srv/musician musician && mkdir -p '${own%/*}' '${fixed%/*}' && cp -a . '$own' && cp -a . '$fixed' && chown -R musician: '${own%/*}' && touch /made" || return

    echo "at: $1, nothing installed"
    as_musician "$root" "$own" scripts/run >"$out" 2>&1
    [ $? -eq 1 ] || status=1
    cat "$out"
    command=$(sed -n "s/^  su -c '\(.*\)'\$/\1/p" "$out")
    [ -n "$command" ] || status=1
    verdict $status "$1: an ordinary user without sudo gets the command that installs what is missing" || return

    echo "at: $1, that command"
    inside "$root" "$command >/dev/null" || status=1
    verdict $status "$1: the command does it when root types it" || return

    echo "at: $1, an ordinary user"
    as_musician "$root" "$own" scripts/run || status=1
    verdict $status "$1: then scripts/run works, in a path with a space" || return

    # as if cloned again: what an optional part needs has gone, and cannot be fetched
    echo "at: $1, no network"
    inside "$root" 'dpkg --remove --force-depends libmicrohttpd-dev >/dev/null' || status=1
    offline "$root" "$fixed" scripts/run >"$out" 2>&1 || status=1
    cat "$out"
    grep -q '^run: going on with what is installed' "$out" || status=1
    verdict $status "$1: and without network and one optional package, from a tree that cannot be written to"

    echo "at: $1, tests"
    status=0
    inside "$root" 'scripts/setup --test >/dev/null' || status=1
    offline "$root" "$fixed" 'scripts/run 1' >"$out" 2>&1 && grep -q '^sudo meson install' "$out" && ! grep -q 'built without' "$out" || status=1
    verdict $status "$1: what was installed since then is in the next scripts/run"
    status=0
    offline "$root" "$fixed" 'scripts/test unit' || status=1
    verdict $status "$1: scripts/test unit, the same way"
    [ -z "$(find "$root$fixed" -newer "$root/made")" ] || status=1
    verdict $status "$1: nothing was written there"
    again "$1: scripts/test" fresh_tests "$root" "$1" "$own"
}

# scripts/test; what fails in there once and passes when it is tried again is no failure
fresh_tests() { # ROOT SUITE FOLDER
    # shellcheck disable=SC2034  # inside looks at it
    local minutes=90 status=0
    as_musician "$1" "$3" scripts/test || status=1
    verdict $status "$2: scripts/test, an ordinary user"
    status=0
    inside "$1" scripts/test || status=1
    verdict $status "$2: scripts/test, root"
    grep -q '^not ok' "$work/log/fresh.tap" || rm -rf "$1" "$1"[.-]*
}

# unstable moves: its failures are those of the day. $SUITES: only these
part_fresh() {
    local suite
    for suite in ${SUITES:-bookworm trixie sid}; do fresh "$suite"; done
}
