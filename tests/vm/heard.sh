# shellcheck shell=bash
# Sourced by 43-listen-aloop.sh and 44-listen-server.sh: of $heard, what read_capture prints of a run.
heard=/tmp/s/heard
# of the nine glitches, in the words of read_capture: as they were forced, and as they were heard
wanted() { awk '$2 == "forced" {print $5 == "lost" ? "0 " $4 : $5 == "repeated" ? "0 -" $4 : $4 " 0"}' $heard; }
heard() { awk '$1 == "damage" && ++n <= 9 {print $3, $4}' $heard; }
# how far their places differ, in frames: a sample may be equal to the one that it took the place of
spread() { awk '$2 == "forced" {at[n++] = $3} $1 == "damage" && m < 9 {d = $2 - at[m++]; if (m == 1 || d < least) least = d; if (m == 1 || d > most) most = d} END {print most - least}' $heard; }
# of the rest: losses are one if they are less than 12000 frames apart
losses() { awk '$1 == "damage" && ++n > 9 && ($2 > end + 12000) {losses++} $1 == "damage" {end = $2 + $3} END {print losses + 0}' $heard; }
