#!/usr/bin/env bash
# sleeptune listen: the signal as a file, and what is said of recordings of it that were damaged in known ways.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp

ok "the signal as a file" "$SLEEPTUNE" listen --signal "$tmp/signal.wav" -d 12s
is "as long as asked for" "$(stat -c %s "$tmp/signal.wav")" $((44 + 12 * 48000 * 4))
is "on standard output it is the same" "$("$SLEEPTUNE" listen --signal - -d 12s | cksum)" "$(cksum <"$tmp/signal.wav")"
is "Ctrl-C removes what is not complete" "$(timeout -s INT 0.2 "$SLEEPTUNE" listen --signal "$tmp/long.wav" -d 6h 2>/dev/null; find "$tmp" -name "long*")" ""

# damage NAME CODE: what a path makes of the signal: `s` has one list a channel, of steps of 16 bits
damage() {
    "$PYTHON" - "$tmp/signal.wav" "$tmp/$1.wav" "$2" <<'PY'
import array, sys, wave
w = wave.open(sys.argv[1])
a = array.array("h", w.readframes(w.getnframes()))
s, rate, width = [list(a[0::2]), list(a[1::2])], 48000, 2
exec(sys.argv[3])
w = wave.open(sys.argv[2], "w")
w.setparams((len(s), width, rate, 0, "NONE", ""))
out = array.array("h", (max(-32768, min(32767, round(v))) for f in zip(*s) for v in f))
w.writeframes(out.tobytes())
PY
}
said() { "$SLEEPTUNE" listen --input "$tmp/$1.wav" --json |
    key - '[d[k] for k in ("path_class", "valid", "forced_glitches", "forced_glitches_found", "remarks")] + [[l[k] for k in ("kind", "at_frame", "within_frames", "frames")] for l in d["losses"]]'; }

screen_is undamaged "$SLEEPTUNE" listen --input "$tmp/signal.wav"

damage four 's = [c[:400000] + c[400100:420000] + c[419000:450000] + [0] * 480 + c[450480:500000] + [5] + c[500001:] for c in s]'
is "each kind, exactly" "$(said four)" \
    "['bit-exact', True, 9, True, [], ['lost', 400000, 0, 100], ['repeated', 419900, 0, 1000], ['zeroed', 450900, 0, 480], ['corrupted', 500900, 0, 1]]"
screen_is losses "$SLEEPTUNE" listen --input "$tmp/four.wav"

damage soft 's = [[v * 0.5 for v in c] for c in s]'
screen_is softer "$SLEEPTUNE" listen --input "$tmp/soft.wav"

damage late 's = [[0] * 100000 + c[:300000] + c[300010:] + [0] * 60000 for c in s]'
is "a recording that begins before and ends after it" "$(said late)" "['bit-exact', True, 9, True, [], ['lost', 400000, 0, 10]]"

damage converted '
rate = 44100
s = [[c[int(t)] + (t - int(t)) * (c[int(t) + 1] - c[int(t)]) for t in (i * 48000 / 44100 for i in range(500000))] for c in s]'
screen_is converted "$SLEEPTUNE" listen --input "$tmp/converted.wav"

damage silent 's = [[0] * len(c) for c in s]'
screen_is silent "$SLEEPTUNE" listen --input "$tmp/silent.wav"
damage limited '
gain, out = 1, []
for f in zip(*s):
    gain = min(1, gain + (1 - gain) / 2400, 200 / max(1, *map(abs, f)))
    out.append([v * gain for v in f])
s = list(zip(*out))'
like "behind a limiter it is invalid, and never 0" "$("$SLEEPTUNE" listen --input "$tmp/limited.wav" | tr -s ' \n' ' ')" '^! Invalid: only 8 of the 9 glitches that the test signal has on purpose were found, so losses may have been missed\.'
damage overdriven 's = [[32767 if 480000 <= i < 528000 else v for i, v in enumerate(c)] for c in s]'
like "of a second at full scale nothing is left: a loss" "$("$SLEEPTUNE" listen --input "$tmp/overdriven.wav")" ' at 10\.000 s: 1\.00 s other sound in its place$'
like "and the path says so" "$("$SLEEPTUNE" listen --input "$tmp/overdriven.wav" | tr -s ' \n' ' ')" 'is overdriven, which hides losses: turn the volume'
damage mono 's = [[(a + b) / 2 for a, b in zip(*s)][:60000]]'
screen_is mono "$SLEEPTUNE" listen --input "$tmp/mono.wav"
damage early 's = [c[:200000] for c in s]'
screen_is not-all-forced "$SLEEPTUNE" listen --input "$tmp/early.wav"

head -c 1500000 "$tmp/signal.wav" >"$tmp/cut.wav"
screen_is cut "$SLEEPTUNE" listen --input "$tmp/cut.wav"
is "from standard input" "$("$SLEEPTUNE" listen --json --input - <"$tmp/four.wav" | cksum)" "$("$SLEEPTUNE" listen --json --input "$tmp/four.wav" | cksum)"

damage hiss '
import random
random.seed(55)
rate = 192000
s = [[random.randint(-3000, 3000) for _ in range(rate // 10)] for _ in s]'
like "noise at the highest rate ends" "$(timeout 100 "$SLEEPTUNE" listen --input "$tmp/hiss.wav" | tr -s ' \n' ' ')" 'The test signal is not in the recording'
damage fast 'rate = 768000'
refused "a rate that takes hours" 3 listen --input "$tmp/fast.wav"
refused "no file" 4 listen --input "$tmp/none.wav"
refused "a folder" 4 listen --input "$tmp"
refused "two things at once" 3 listen --input "$tmp/four.wav" --signal "$tmp/x.wav"
refused "too short a time" 3 listen -d 9s
refused "cannot be written" 4 listen --signal "$tmp/none/x.wav"
tap_done
