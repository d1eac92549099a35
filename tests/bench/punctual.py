#!/usr/bin/env python3
"""What punctual mode is worth: sleeptune-lab punctual beside cyclictest, as a table with verdicts.

cyclictest runs on one CPU, sleeptune on another, at once, half a period out of phase; then with the CPUs swapped: one block. sleeptune's
ways of waiting take turns of 128 periods in the one run, so they are measured beside each other. Figures are geometric means over
the blocks with their 95 % interval (Student's t), shares are arithmetic ones. cyclictest beside itself comes first: where that is not
1 +- 0.03, the machine is too noisy, and the verdict says so.

A goal is "shown" where the whole interval is on its side, "open" where the interval has the limit in it, "missed" else.
An equal share means at most half a point lower: a margin below 125 us catches fewer wake-ups by what lies between.

Needs cyclictest (rt-tests), two CPUs and the right to SCHED_FIFO. On a quiet machine: --blocks 10 --seconds 30, some 25 minutes.
"""
import argparse
import importlib.util
import json
import math
import os
import pathlib
import sys
import tempfile
import time

spec = importlib.util.spec_from_file_location("beside", pathlib.Path(__file__).with_name("beside-cyclictest.py"))
beside = importlib.util.module_from_spec(spec)
spec.loader.exec_module(beside)

WAYS = "free,1.7,3,125us"
US = 1333

# (what, figure, at most or at least, limit)
GOALS = [
    ("free margin: median to cyclictest's", "free_median", "<=", 0.55),
    ("free margin: CPU a cycle to cyclictest's", "free_cpu", "<=", 1.00),
    ("budget 1.7: on time", "1.7_share", ">=", 0.97),
    ("budget 1.7: CPU a cycle to cyclictest's", "1.7_cpu", "<=", 1.70),
    ("budget 1.7: CPU a cycle to plain's", "1.7_to_plain", "<=", 1.70),
    ("budget 1.7: median to cyclictest's", "1.7_median", "<=", 0.005),
    ("budget 3: share on time less that of 125 us", "3_share_less_fixed", ">=", -0.005),
    ("budget 3: CPU a cycle to that of 125 us", "3_to_fixed", "<=", 0.5),
    ("budget 1.7: share on time less that of 125 us", "1.7_share_less_fixed", ">=", -0.03),
    ("budget 1.7: CPU a cycle to that of 125 us", "1.7_to_fixed", "<=", 0.2),
]


def figures(arms, cyclictest_median, cyclictest_cpu):
    """Of one half: what the goals are about."""
    arm = {a["name"]: a for a in arms}
    share = {name: a["on_time_share"] for name, a in arm.items()}
    cpu = {name: a["cpu_ns_per_cycle"] for name, a in arm.items()}
    found = {"plain_median": arm["plain"]["lateness_ns"]["median"] / cyclictest_median, "plain_cpu": cpu["plain"] / cyclictest_cpu,
             "125us_share": share["125us"], "125us_to_plain": cpu["125us"] / cpu["plain"]}
    for name in ("free", "1.7", "3"):
        # a median of 0 ns has no logarithm: a clock that moves in steps of a few ns is on time within one
        found[f"{name}_median"] = max(arm[name]["lateness_ns"]["median"], 1) / cyclictest_median
        found[f"{name}_cpu"] = cpu[name] / cyclictest_cpu
        found[f"{name}_to_plain"] = cpu[name] / cpu["plain"]
        found[f"{name}_to_fixed"] = cpu[name] / cpu["125us"]
        found[f"{name}_share"] = share[name]
        found[f"{name}_share_less_fixed"] = share[name] - share["125us"]
        found[f"{name}_margin_ns"] = arm[name]["margin_ns"]
    return found


def half(cpus, args, folder):
    """Both at once. (figures, share of time that was stolen, n)"""
    sleeptune, cyclictest = (beside.Program(name, folder, cpu) for name, cpu in zip(("sleeptune", "cyclictest"), cpus))
    sleeptune.words = ["punctual", WAYS]
    before = beside.cpu_line()
    # the ways have their turns before counting starts, twice: sleeptune runs longer
    sleeptune.start(US, args.seconds + 2, args.sleeptune, False)
    time.sleep(2 + US / 2e6)
    cyclictest.start(US, args.seconds, args.sleeptune, True)
    time.sleep(1.0)
    first = cyclictest.look()
    time.sleep(args.seconds - 2.0)
    cpu = cyclictest.cpu_per_cycle(US, first, cyclictest.look())[0]
    cyclictest.finish()
    sleeptune.finish()
    with open(sleeptune.out, encoding="utf-8") as file:
        document = json.load(file)
    return (figures(document["results"], cyclictest.quantiles()[0], cpu), beside.steal_share(before, beside.cpu_line()),
            document["cycles"])


def mean(values):
    """Arithmetic mean and 95 % interval."""
    n = len(values)
    middle = sum(values) / n
    sd = math.sqrt(sum((x - middle) ** 2 for x in values) / (n - 1))
    reach = beside.T975[min(n - 2, len(beside.T975) - 1)] * sd / math.sqrt(n)
    return {"value": round(middle, 5), "ci95": [round(middle - reach, 5), round(middle + reach, 5)], "n": n}


def over_blocks(blocks):
    """Each figure over the blocks: shares by their mean, ratios by their geometric mean."""
    result = {}
    for key in blocks[0]:
        values = [b[key] for b in blocks]
        if "share" in key or "margin" in key:
            result[key] = mean(values)
        else:
            ratio = beside.interval(values)
            result[key] = {"value": ratio["ratio"], "ci95": ratio["ci95"], "n": ratio["n"]}
    return result


def verdict(figure, relation, limit):
    low, high = figure["ci95"]
    if relation == ">=":
        low, high, limit = -high, -low, -limit
    return "shown" if high <= limit else "open" if low <= limit else "missed"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sleeptune", metavar="SLEEPTUNE_LAB", help="path of the program")
    parser.add_argument("--blocks", type=int, default=10, help="swapped blocks (10)")
    parser.add_argument("--aa-blocks", type=int, default=4, help="blocks of cyclictest beside itself (4)")
    parser.add_argument("--seconds", type=int, default=30, help="of each run (30)")
    parser.add_argument("--cpus", default="0,1", help="the two CPUs (0,1)")
    parser.add_argument("--equal-wakes", action="store_true", help="a normal thread wakes every 2 ms on both CPUs")
    parser.add_argument("--cpu-latency", type=int, metavar="US", help="hold /dev/cpu_dma_latency at that meanwhile (not asked for)")
    parser.add_argument("--json", metavar="FILE", help="all figures")
    args = parser.parse_args()
    args.cpus = [int(c) for c in args.cpus.split(",")]
    if args.blocks < 2 or args.aa_blocks < 2:
        parser.error("at least 2 blocks of each are needed")
    if args.seconds < 4 or len(args.cpus) != 2 or args.cpus[0] == args.cpus[1]:
        parser.error("two different CPUs and at least 4 seconds are needed")

    with beside.surroundings(args):
        report(args, *measure(args))


def measure(args):
    aa = beside.blocks(("cyclictest", "cyclictest2"), US, args.aa_blocks, args)
    blocks, steals, n = [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(args.blocks):
            halves = []
            for cpus in (args.cpus, args.cpus[::-1]) if i % 2 == 0 else (args.cpus[::-1], args.cpus):
                found, steal, cycles = half(cpus, args, folder)
                halves.append(found)
                steals.append(steal)
                n += cycles
            blocks.append({key: (halves[0][key] + halves[1][key]) / 2 if "share" in key or "margin" in key
                           else math.sqrt(halves[0][key] * halves[1][key]) for key in halves[0]})
            print(f"block {i + 1}/{args.blocks}: " + " ".join(f"{k} {v:.4g}" for k, v in blocks[-1].items()), file=sys.stderr)
    return aa, blocks, steals, n


def report(args, aa, blocks, steals, n):
    result = over_blocks(blocks)
    quiet = all(abs(aa[key]["ratio"] - 1) <= 0.03 for key in ("median", "cpu_thread"))
    print(f"{args.blocks} swapped blocks of 2 x {args.seconds} s at {US} us, {n} cycles of sleeptune; "
          f"{'with' if args.equal_wakes else 'without'} a normal thread that wakes every 2 ms on both CPUs; "
          f"/dev/cpu_dma_latency {'not asked for' if args.cpu_latency is None else f'held at {args.cpu_latency} us'}; kernel {' '.join(os.uname()[2:4])}")
    print(f"cyclictest beside itself: median {aa['median']['ratio']:.3f}, CPU {aa['cpu_thread']['ratio']:.3f}: "
          + ("quiet enough" if quiet else "TOO NOISY for a claim") + f"; stolen time at most {100 * max(steals):.2f} %\n")
    print(f"{'goal':48}{'limit':>9}{'value':>9}  {'95 % interval':22}verdict")
    for what, key, relation, limit in GOALS:
        f = result[key]
        print(f"{what:48}{relation + ' ' + format(limit, 'g'):>9}{f['value']:9.4f}  "
              f"{'[%.4f .. %.4f]' % tuple(f['ci95']):22}{verdict(f, relation, limit)}{'' if quiet else ' (noisy)'}")
    print()
    for key in ("plain_median", "plain_cpu", "free_to_plain", "125us_share", "125us_to_plain", "3_share", "free_margin_ns",
                "1.7_margin_ns", "3_margin_ns"):
        print(f"{key:57}{result[key]['value']:9.4g}  [{result[key]['ci95'][0]:.4g} .. {result[key]['ci95'][1]:.4g}]")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"schema": "sleeptune-punctual/1", "equal_wakes": args.equal_wakes,
                       "cpu_latency_us": args.cpu_latency, "a_a": aa, "figures": result, "blocks": blocks, "n": n,
                       "quiet_enough": quiet,
                       "goals": [{"goal": w, "figure": k, "limit": f"{r} {l:g}", "verdict": verdict(result[k], r, l)}
                                 for w, k, r, l in GOALS]}, file, indent=2)


if __name__ == "__main__":
    main()
