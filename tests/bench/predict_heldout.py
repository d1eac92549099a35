#!/usr/bin/env python3
"""Does `sleeptune predict` hold for the time after it? Rows from one recording beside the rows of a later one of the same machine.

    sleeptune measure --quiet --frames 32 --duration 10m --record first.strec
    sleeptune measure --quiet --frames 32 --duration 30m --record next.strec
    tests/bench/predict_heldout.py --sleeptune build/cli/sleeptune first.strec next.strec [FIRST NEXT ...]

"exceeded" where the later run's own rate is above the bound of the first. One row in twenty may be, for a machine that stays as it is.
Status 1: more exceed it, which chance makes in less than 1 % (binomial; rows of one pair depend on each other, so that chance does it more often).
In the guest: tests/bench/predict-heldout-guest.sh makes the recordings.
"""
import argparse
import json
import math
import subprocess
import sys


def rows(sleeptune, file):
    done = subprocess.run([sleeptune, "predict", file, "--json"], capture_output=True, text=True, check=False)
    if done.returncode > 1:
        sys.exit(f"predict_heldout.py: {file}: {done.stderr.strip()}")
    return {row["frames"]: row for row in json.loads(done.stdout)["rows"] if row["per_hour"] is not None}


def at_least(k, n, p):
    """Probability of k or more of n."""
    return sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sleeptune", default="build/cli/sleeptune")
    parser.add_argument("files", nargs="+", help="pairs: the first recording, the next one")
    args = parser.parse_args()
    if len(args.files) % 2:
        parser.error("files come in pairs")
    n = exceeded = 0
    print("| first | frames | seen | at most | counted in the next | |\n|---|---|---|---|---|---|")
    for first, following in zip(args.files[::2], args.files[1::2]):
        before, after = rows(args.sleeptune, first), rows(args.sleeptune, following)
        for frames, row in before.items():
            truth, bound = after[frames]["per_hour"], row["at_most_per_hour"]
            verdict = "exceeded" if truth > bound else ""
            n += 1
            exceeded += verdict == "exceeded"
            print(f"| {first} | {frames} | {row['per_hour']:.1f} | {bound:.1f} | {truth:.1f} | {verdict} |")
    chance = at_least(exceeded, n, 0.05)
    print(f"\n{exceeded} of {n} rows exceeded their bound; as many or more by chance: {100 * chance:.1f} %.")
    sys.exit(chance < 0.01)


if __name__ == "__main__":
    main()
