#!/usr/bin/env bash
# Each command explains itself, and manual and completion know what it knows.
# shellcheck disable=SC2013  # options are words
. "$SLEEPTUNE_SRC/tests/tap.sh"
bash_words=$SLEEPTUNE_SRC/conf/completion/sleeptune.bash zsh_words=$SLEEPTUNE_SRC/conf/completion/_sleeptune

own_tmp

each_refused 3 '' nonsense measrue 'help reporrt' 'report --framse=3' '--framse 3' 'report --details=3'
refused "a recording that is none" 3 listen --input "$SLEEPTUNE_SRC/README.md"
lab() { "$SLEEPTUNE_LAB" "$@"; "$SLEEPTUNE_LAB"; }
screen_is of-the-laboratory lab sleeep
for option in --version --help help "report --list" "report --help"; do
    # shellcheck disable=SC2086
    is "sleeptune $option to a full disk" "$("$SLEEPTUNE" $option 2>&1 >/dev/full; echo $?)" "sleeptune: writing to standard output failed
4"
done
is "sleeptuned --version and sleeptune-lab --version, too" "$("$SLEEPTUNED" --version 2>/dev/null >/dev/full; echo $?) $("$SLEEPTUNE_LAB" --version 2>/dev/null >/dev/full; echo $?)" "4 4"
ends 0 "--help ends with 0" "$SLEEPTUNE" --help
like "--version names the version" "$("$SLEEPTUNE" --version)" '^sleeptune [0-9]+\.[0-9]+'
parts=" $("$SLEEPTUNE" --version | sed 1d | tr ',\n' '  ' | tr -s ' ')" missing=''
while read -r name value; do
    name=${name,,}
    case $name in soundio) name=libsoundio ;; pulse) name=pulseaudio ;; oss) continue ;; esac # oss: of FreeBSD's libc
    case $value in 1) name+=" yes" ;; *) name+=" no" ;; esac
    case $parts in *" $name "*) ;; *) missing+=" $name" ;; esac
done < <(sed -n 's/^#define ST_HAVE_\([A-Z]*\) \([01]\)$/\1 \2/p' "$SLEEPTUNE_BUILD/st_config.h")
is "and of each optional part whether this build has it" "$missing" ""
like "the tracer is one" "$parts" ' trace (yes|no) '

kinds=$("$SLEEPTUNE" history --events --kind none 2>&1 | sed -n 's/.*the kinds are //p' | tr -d ,)
is "kinds of events are listed" "$(wc -w <<<"$kinds") ${kinds%% *}" "$(sed -n '/define ST_EVENT_KIND_LIST/,/^$/p' "$SLEEPTUNE_SRC/core/event.h" | grep -cE '^ *(FIRST|NEXT)\(') late-wake"
rows=$(sed -n '/^\.Sh DIAGNOSTICS/,/^\.El/s/^\.It Sy //p' "$SLEEPTUNE_SRC/man/sleeptuned.8")
is "sleeptuned(8) has all of them, and the journal's minute" "$(tr -d '\n' <<<"${rows//$'\n'/ }" | sed 's/ , Sy / /g; s/ minute / /')" "$kinds"
is "bash and zsh completion have them" "$(grep -cF "words='$kinds'" "$bash_words") $(grep -cF ":kind:($kinds)" "$zsh_words")" "1 1"

"$SLEEPTUNE" listen --help >"$tmp/listen --help"
ways=$(sed -n 's/^ *\.name = "\([a-z_]*\)".*/\1/p' "$SLEEPTUNE_SRC/ears/way.c" | grep -vx device | sort -u)
like "the ways of listen are found" "$(tr '\n' ' ' <<<"$ways")" '^aloop cable jack monitor '
for where in "$bash_words" "$zsh_words" "$SLEEPTUNE_SRC/man/sleeptune-listen.1" "$tmp/listen --help"; do
    words=$(grep -E -- '--back|^\.Cm |virtual_oss' "$where" | tr -c 'a-z_\n' ' ')
    is "and all are in ${where##*/}" "$(for way in $ways; do grep -qw "$way" <<<"$words" || echo "$way"; done)" ""
done

if command -v fish >/dev/null || cannot "fish completes commands and options" "fish is not installed"; then
    like "fish completes commands and options" "$(PATH=${SLEEPTUNE%/*}:$PATH HOME=$tmp fish --no-config -c "source '$SLEEPTUNE_SRC/conf/completion/sleeptune.fish'; complete -C 'sleeptune stat'; complete -C 'sleeptune status --wa'" | tr '\n' ' ')" \
        '^status.show what sleeptuned measures now --watch.redraw each second'
    of_lab() { PATH=${SLEEPTUNE_LAB%/*}:$PATH HOME=$tmp fish --no-config -c "source '$SLEEPTUNE_SRC/conf/completion/sleeptune-lab.fish'; complete -C '$1'" | tr '\n' ' '; }
    like "and those of the laboratory" "$(of_lab 'sleeptune-lab sim') $(of_lab 'sleeptune-lab exec --time') $(of_lab 'sleeptune-lab series --sl') $(of_lab 'sleeptune-lab analyse --ra')" \
        '^simulate.how late .* --time-unit.* --sleepers.N threads .* --rate'
    is "with their values" "$(of_lab 'sleeptune-lab plot --kind l')$(of_lab 'sleeptune-lab wake --mechanisms condv')$(of_lab 'sleeptune-lab table --time-unit m')" "line condvar ms "
fi
: >"$tmp/the-file"

# after COMMAND OPTION: what bash completes there
after() (
    cd "$tmp" || exit
    # shellcheck disable=SC1090
    . "$bash_words"
    COMP_WORDS=("$name" "$1" "$2" the) COMP_CWORD=3
    "_${name//-/_}" "$name" the "$2"
    echo "${COMPREPLY[*]}"
)

# options_of PAGE SECTION: the options that a manual page lists, or its section of this name (.Ss), if one is given; without "--"
options_of() {
    awk -v section="$2" '
        BEGIN {inside = section == ""}
        section != "" && /^\.S[hs] / {inside = $0 == ".Ss " section}
        /^\.Sh / {synopsis = $2 == "SYNOPSIS"}
        inside && ($1 == ".It" || synopsis && section == "") {
            flag = 0
            for (i = 1; i <= NF; i++) {
                if ($i ~ /^\.?[A-Z][a-z]$/) flag = $i ~ /Fl$/
                else if (flag && $i ~ /^-?[A-Za-z][a-z-]*$/) print $i
            }
        }' "$1" | sort -u
}

# not_in_help PAGE SECTION HELP: options of the manual that the help does not have
not_in_help() {
    local option missing=''
    for option in $(options_of "$1" "$2"); do
        grep -qE -- "(^|[ ,|[-])-$option([][ ,=|]|\$)" <<<"$3" || missing+=" -$option"
    done
    echo "$missing"
}
is "an option of the manual that a command does not have is noticed" \
    "$(not_in_help <(printf '.It Fl -old Ar file , Fl q\n.It Fl -new\n') '' '  -n, --new FILE  text --older')" " --old -q"

# explains PROGRAM: each of its commands
explains() {
    local program=$1 name=${1##*/} commands command out status missing option of_zsh
    local man bash_words=$SLEEPTUNE_SRC/conf/completion/$name.bash zsh_words=$SLEEPTUNE_SRC/conf/completion/_$name
    mapfile -t commands < <(sed -n '/^Examples/q; s/^  \([a-z]*\) .*/\1/p' <<<"$("$program" --help)")
    is "the overview of $name lists commands" "$([ ${#commands[@]} -ge 6 ] && echo yes)" yes
    for command in "${commands[@]}"; do
        grep -q "$command" "$bash_words" || fail "bash completion knows $command"
        grep -q "$command" "$zsh_words" || fail "zsh completion knows $command"
        out=$("$program" "$command" --help 2>&1)
        status=$?
        if grep -q 'the module [a-z.-]* is not installed' <<<"$out"; then
            skip "$name $command --help" "this build is without it"
            continue
        fi
        is "$name $command --help ends with 0" "$status" 0
        like "$name $command --help begins with its usage" "$(head -n 1 <<<"$out")" "^Usage: $name $command"
        [ "$name" != sleeptune ] || is "$name $command --help names its manual page" "$(tail -n 1 <<<"$out")" "Manual: man sleeptune-$command"
        is "$name $command --help fits 80 columns" "$(awk 'length > 80' <<<"$out")" ""
        ends 3 "$name $command: an unknown option is a usage error" "$program" "$command" --no-such-option
        man=$SLEEPTUNE_SRC/man/$name-$command.1
        [ -e "$man" ] || man=$(grep -l "^\.Ss $command\$" "$SLEEPTUNE_SRC/man/$name"*.1)
        ok "a manual page describes $name $command" [ -e "$man" ]
        missing=''
        for option in $(grep -oE -- '(^|[ ,|[])--[a-z][a-z-]+' <<<"$(grep -vE '^  (sudo )?sleeptune' <<<"$out" | sed "s/'[^']*'//g")" | grep -oE -- '--[a-z-]+' | sort -u); do
            [ "$option" = --help ] || grep -qE -- "(Fl|,|\|) -${option#--}( |\$)" "$man" || missing="$missing man:$option"
            grep -q -- "$option" "$bash_words" || missing="$missing bash:$option"
            grep -q -- "$option" "$zsh_words" || missing="$missing zsh:$option"
        done
        is "manual and completion have the options of $command" "$missing" ""
        is "which has all that its manual lists" "$(not_in_help "$man" "$([ "${man##*/}" = "$name-$command.1" ] || echo "$command")" "$out")" ""
        missing=''
        for option in $(grep -oE -- '(^|[ ,|[])--?[a-z][a-z-]* (FILE|PATH|DIR)' <<<"$out" | grep -oE -- '--?[a-z-]+' | sort -u); do
            [ "$(after "$command" "$option")" = the-file ] || missing+=" bash:$option"
            case $option in --*) ;; *) continue ;; esac
            of_zsh=$(grep -oE -- "$option(=-|})?'?\[[^']*" "$zsh_words")
            ! grep -qvE ':_files( -/)?$' <<<"$of_zsh" || missing+=" zsh:$option"
        done
        is "completion of $command has files where it takes one" "$missing" ""
    done
}
explains "$SLEEPTUNE"
is "the overview has at most 14 commands in three groups, and fits 80 columns" \
    "$("$SLEEPTUNE" help | awk 'length > 80; /^Examples/ {done = 1} !done && /^[A-Z].*:$/ {groups++} !done && /^  [a-z]/ {n++} END {print (n <= 14), groups}')" "1 3"
explains "$SLEEPTUNE_LAB"

out=$("$SLEEPTUNED" --help)
is "sleeptuned has the options of its manual" "$(not_in_help "$SLEEPTUNE_SRC/man/sleeptuned.8" '' "$out" | sed 's/ --help//; s/ --version//; s/ -adfn//')" ""
is "and its manual has them all" "$(comm -13 <(options_of "$SLEEPTUNE_SRC/man/sleeptuned.8" '') <(sed -n 's/^  -\([a-zA-Z]\) .*/\1/p' <<<"$out" | sort))" ""

# --- sleeptune lab: another program, which may be absent
screen_is laboratory-not-installed "$SLEEPTUNE" lab sleep
cp "$SLEEPTUNE" "$SLEEPTUNE_LAB" "$tmp"
is "beside sleeptune it is found, with its arguments and status" "$("$tmp/sleeptune" lab analyse 2>&1 | head -n 1)" "sleeptune-lab analyse: give a file"
tap_done
