#!/usr/bin/env bash
# share: what it prints names no one, and report finds the same in it, wherever it was pasted.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp

share() { "$SLEEPTUNE" share "$@" 2>"$tmp/said"; }
# "ID STATUS" of each rule
findings() { "$SLEEPTUNE" report --json "$@" 2>/dev/null | key - '"\n".join(sorted(f["id"] + " " + f["status"] for f in d["findings"]))' 2>/dev/null; }
# ASCII, at most 40 lines of 76 columns, none of which a forum takes for something else
is_plain() { [ "$(wc -l <"$1")" -le 40 ] && ! LC_ALL=C grep -nE '.{77}|^[][#*> -]|[^ -~]|^$' "$1"; }

# --- there and back -----------------------------------------------------------------------------------------------
for machine in "$captures"/*/; do
    name=$(basename "$machine")
    share --root "$machine" >"$tmp/text"
    is "$name: its findings" "$(findings "$tmp/text")" "$(findings --root "$machine")"
    ok "$name: plain text" is_plain "$tmp/text"
done
share --root "$captures/linux-laptop" >"$tmp/text"
is "nothing was sent" "$(cat "$tmp/said")" "sleeptune sent nothing. Paste these lines where you ask for help."
findings "$tmp/text" >"$tmp/wanted"
pasted() { is "pasted $1" "$(findings --input -)" "$(cat "$tmp/wanted")"; }
pasted "as a quotation" < <(sed 's/^/> > /' "$tmp/text")
pasted "between other lines" < <(printf 'My clicks:\n\n```\n'; cat "$tmp/text"; printf '```\nThanks, all!\n')
pasted "wrapped, with CRLF" < <(fold -s -w 50 "$tmp/text" | sed 's/^/| /; s/$/\r/')
pasted "as one line" < <(tr '\n' ' ' <"$tmp/text")
screen_is report "$SLEEPTUNE" report "$tmp/text"
dateless() { "$SLEEPTUNE" share --root "$1" 2>/dev/null | sed 1d; }
screen_is share dateless "$captures/linux-laptop"

# a finding that was cut off is unknown, never ok; nor is one of which a part is there
never_false() { findings "$1" | grep -v ' unknown$' | comm -23 - "$tmp/wanted"; }
for ((n = 1; n < $(wc -l <"$tmp/text"); n++)); do head -n "$n" "$tmp/text" >"$tmp/cut.$n"; done
for columns in 31 47 60; do fold -w "$columns" "$tmp/text" >"$tmp/cut.folded-$columns"; done
sed 's/linux-threaded-irqs,//' "$tmp/text" >"$tmp/cut.without-one"
is "cut after any line, or within words: nothing false" "$(for cut in "$tmp"/cut.*; do never_false "$cut"; done)" ""
like "a part is one" "$("$SLEEPTUNE" report "$tmp/cut.without-one")" 'a part of sleeptune share'
sed 's/=50000/=50000000/; s/^system .*/&\nfinding linux-hz advice, linux.cmdline=1, user.uid=5./' "$tmp/text" >"$tmp/other"
is "a share has only numbers of its rules" "$("$SLEEPTUNE" report --json "$tmp/other" | grep -cE 'linux.cmdline"|user.uid')" 0

# who made the dropouts, also quoted and wrapped; not of a part
with() { sed "s/^dropouts .*/dropouts dropouts=12, in a day of which 3 h 0 min were watched; $2/" "$tmp/text" | sed 's/^/> /' >"$tmp/$1"; }
first() { "$SLEEPTUNE" report "$tmp/$1" | head -n 2 | tr -s '\n ' ' '; }
with named 'mpv was woken late 8, was\n not ready, reason unknown 1;\n a program computed too long 4.'
like "dropouts by program" "$(first named)" 'counted 12 dropouts in the last day: mpv was woken late 8, was not ready, reason unknown 1; a program computed too long 4\.'
with cut 'mpv was woken late 8;'
like "not those of a cut text" "$(first cut)" 'counted 12 dropouts in the last day\.'
with foreign 'mpv was $(reboot) 8.'
like "no command" "$(first foreign)" 'counted 12 dropouts in the last day\.'

# --- no names -----------------------------------------------------------------------------------------------------
cp -r "$captures/linux-studio" "$tmp/marked"
mkdir -p "$tmp/marked/etc/security/limits.d" "$tmp/marked/sys/class/dmi/id" "$tmp/marked/proc/sys/kernel"
echo 'PRETTY_NAME="Debian GNU/Linux 12 (zzmark)"' >"$tmp/marked/etc/os-release"
echo 'zzmark - rtprio 95' >"$tmp/marked/etc/security/limits.d/zzmark.conf"
echo 'root=UUID=0badcafe-zzmark quiet' >"$tmp/marked/proc/cmdline"
printf 'model name : zzmark CPU 3000\n' >"$tmp/marked/proc/cpuinfo"
sed -i 's/$/-zzmark/' "$tmp/marked/proc/sys/kernel/osrelease"
find "$tmp/marked/proc" -name stat -exec sed -i 's/(pipewire)/(zzmark)/' {} +
sed -i 's/: [A-Za-z-]* - .*/: zzmark - zzmark/' "$tmp/marked/proc/asound/cards"
share --root "$tmp/marked" >"$tmp/text"
is "of marked names none is there" "$(grep -ci zzmark "$tmp/text")" 0
like "but what is not one" "$(cat "$tmp/text")" '^system Linux 6\.1\.0-37-amd64, distribution Debian/Linux 12,'

# each file of a machine in turn, all its words marked
for machine in linux-studio freebsd-15.1-usb; do
    (cd "$captures/$machine" && find . -type f) | while read -r file; do
        rm -rf "$tmp/marked" && cp -r "$captures/$machine" "$tmp/marked"
        sed -Ei 's/[A-Za-z][A-Za-z0-9_.:-]{2,}/&zzmark/g' "$tmp/marked/$file"
        share --root "$tmp/marked" >"$tmp/text"
        { grep -q zzmark "$tmp/marked/$file" || ! grep -q '[A-Za-z][A-Za-z0-9_.:-]\{2\}' "$tmp/marked/$file"; } && grep -q '^sleeptune share 1,' "$tmp/text" || echo "$machine/$file: not tried"
        grep -qi zzmark "$tmp/text" && echo "$machine/$file"
    done >"$tmp/marks"
    is "$machine: no word of any file is there" "$(cat "$tmp/marks")" ""
done

refused "an argument" 3 share file
refused "no such tree" 4 share --root "$tmp/none"
tap_done
