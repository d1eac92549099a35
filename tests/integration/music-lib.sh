# shellcheck shell=bash
# What the tests of listen --music play. Source after daemon-lib.sh.
# music_to FILE: notes of plucked strings, none twice within 4 s
music_to() {
    local note left right length notes=()
    for note in C3,G4,0.31 E3,A4,0.42 D3,B4,0.27 G2,D5,0.55 A2,E4,0.36 F3,C5,0.44 C4,G3,0.29 B2,F4,0.51 E4,C3,0.33 A3,D4,0.47; do
        IFS=, read -r left right length <<<"$note"
        notes+=("|sox -R -n -r 48000 -p synth $length pluck $left pluck $right")
    done
    sox -R "${notes[@]}" -b 16 "$1" gain -n -6 repeat "${2:-40}" || skip_all "sox made no music"
}
