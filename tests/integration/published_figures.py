#!/usr/bin/env python3
"""What the pages of docs/published say, against the same results as JSON.  Usage: published_figures.py LAB FOLDER

A figure that is wrong is a line. The commands of `simulate` are run again; what was measured has its document beside the page."""
import json
import math
import pathlib
import re
import subprocess
import sys

UNIT = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9}
FIGURE = r"(-?[0-9.]+) (ns|µs|ms|min|s)\b"
lab, folder = sys.argv[1], pathlib.Path(sys.argv[2])
checked = 0


def ns(match):
    return float(match[0]) * UNIT[match[1]]


def near(command, what, said, is_ns):
    """Said is (number, unit): a figure is right to its last digit."""
    global checked
    checked += 1
    last = 10.0 ** -len(said[0].partition(".")[2]) * UNIT[said[1]]
    if abs(ns(said) - is_ns) > 0.51 * last + 1e-6 * abs(is_ns):
        print(f"{command}: {what} {said[0]} {said[1]}, and by the samples {is_ns:.0f} ns")


def quantile(values, p):
    return sorted(values)[max(1, math.ceil(round(p * len(values), 6))) - 1]


def deviation(values):
    mean = sum(values) / len(values)
    return math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1))


def figures(values):
    return {"min": min(values), "q1": quantile(values, 0.25), "median": quantile(values, 0.5), "q3": quantile(values, 0.75), "max": max(values),
            "mean": sum(values) / len(values), "standard deviation": deviation(values)}


def series(command, text, document):
    values = document["samples_ns"]
    for name, value in figures(values).items():
        near(command, name, re.search(rf"\b{name} {FIGURE}", text).groups(), value)
    settles = re.search(rf"after {FIGURE} lateness stays within 1 % of {FIGURE}", text)
    if settles:
        near(command, "at rest", settles.groups()[2:], values[-1])
        first = max(i for i, v in enumerate(values) if abs(v - values[-1]) > 0.01 * abs(values[-1])) + 1
        near(command, "settled after", settles.groups()[:2], first * document["period_ns"]["num"] / document["period_ns"]["den"])
    teeth = re.search(rf"grows by {FIGURE} a second .* jumps back by a tick every {FIGURE}", text)
    if teeth:
        tick_ns = 1e9 / document["simulation"]["hz"]
        near(command, "a second", teeth.groups()[:2], document["simulation"]["drift_ppm"] * 1e3)
        near(command, "a tooth", teeth.groups()[2:], tick_ns / (document["simulation"]["drift_ppm"] * 1e-6))
        jumps = sum(b - a < -tick_ns / 2 for a, b in zip(values, values[1:]))
        if f"; {jumps} of {len(values)} samples show" not in text:
            print(f"{command}: {jumps} jumps")


def rows(command, lines, document):
    for one in document["series"]:
        line = next(x for x in lines if x.startswith(one["name"] + " "))
        said = re.findall(FIGURE, line)[-6:]
        for name, figure in zip(("min", "q1", "median", "mean", "q3", "max"), said):
            near(f"{command}: {one['name']}", name, figure, figures(one["samples_ns"])[name])


def table(command, lines, hz):
    """tvtohz of 4.4BSD: microseconds to whole ticks, rounded up, and one more."""
    global checked
    for line in lines[2:]:
        seconds, exact, given, fixed = line.replace(" s ", " ").split()
        ticks = math.ceil(round(float(seconds) * 1e6) * hz / 1e6)
        checked += 1
        if (int(given), int(fixed)) != (ticks + 1, ticks) or abs(float(exact) - float(seconds) * hz) > 1e-4:
            print(f"{command}: {line}: {ticks + 1} and {ticks} ticks")


def simulated(text):
    global checked
    for command, output in re.findall(r"^```\n\$ sleeptune-lab (simulate [^|\n]*)\n(.*?)\n```$", text, re.M | re.S):
        words = re.sub(r" --plot \S+", "", command).split()
        lines = output.split("\n")
        if "--table" in words:
            table(command, lines, int(words[words.index("--hz") + 1]))
            continue
        run = subprocess.run([lab, *words, "--json"], capture_output=True, text=True, check=True)
        document = json.loads(run.stdout)
        joined = re.sub(r"\s+", " ", output)
        if "series" in document:
            rows(command, lines, document)
        else:
            series(command, joined, document)
        for sentence in document.get("analysis", {}).get("sentences", []):
            checked += 1
            if sentence not in joined:
                print(f"{command}: not on the page: {sentence}")


def programs(text, document):
    """exec: a paragraph each program, and who is faster."""
    global checked
    joined = re.sub(r"\s+", " ", text)
    for one in document["starts"] + document["results"]:
        name, wall = one["command"], one["wall_ns"]
        said = re.search(rf" {re.escape(name)}(?: \(only the start.*?\))? ([0-9.]+) ± ([0-9.]+) (\S+), ([0-9.]+) \.\. ([0-9.]+) \S+, user {FIGURE}, system {FIGURE}, n (\d+)(.*?) n "
                         , joined + " n ").groups()
        for what, figure, value in zip(("mean", "sd", "min", "max"), (said[0], said[1], said[3], said[4]), (wall["mean"], wall["sd"], wall["min"], wall["max"])):
            near(f"exec {name}", what, (figure, said[2]), value)
        near(f"exec {name}", "user", said[5:7], one["user_ns_per_run"])
        near(f"exec {name}", "system", said[7:9], one["system_ns_per_run"])
        over = re.search(rf"overshoot {FIGURE} \[(-?[0-9.]+) \.\. (-?[0-9.]+) (\S+)\] \((-?[0-9.]+) %\)", said[10])
        if over:
            asked_ns = one["requested_ns"]
            near(f"exec {name}", "overshoot", over.groups()[:2], one["overshoot_ns"])
            for i, end in enumerate(one["net_interval_ns"]):
                near(f"exec {name}", "interval", (over.group(3 + i), over.group(5)), end - asked_ns)
            near(f"exec {name}", "percent", (over.group(6), "ns"), one["overshoot_percent"])
        checked += 1
        if int(said[9]) != one["n"] or (one.get("requested_ns") is not None) != (over is not None):
            print(f"exec {name}: n, or an overshoot")
        for key in ("sd", "range"):
            ratio = re.search(rf"{key} × ([0-9.]+)", said[10])
            if one[f"{key}_ratio"] is not None:
                near(f"exec {name}", f"ratio of {key}", (ratio.group(1), "ns"), one[f"{key}_ratio"])
    for one in document["results"]:
        if one["sd_ratio"] is None:
            continue
        peer = min((r for r in document["results"] if r["requested_ns"] == one["requested_ns"]), key=lambda r: r["wall_ns"]["mean"])
        ends = one["difference_ci95_ns"]
        if ends is None:
            continue
        values = one["difference_ns"], *ends
        ratio = [f"{1 + ns / peer['wall_ns']['mean']:.4g}" for ns in values]
        back = [f"{1 - ns / one['wall_ns']['mean']:.4g}" for ns in values]
        wanted = f"{peer['command']}: {ratio[0]} times faster than {one['command']} [{ratio[1]} .. {ratio[2]}]." if ends[0] > 0 else \
            f"{one['command']}: {back[0]} times faster than {peer['command']} [{back[2]} .. {back[1]}]." if ends[1] < 0 else \
            f"{peer['command']} and {one['command']}: no difference is shown."
        checked += 1
        if wanted not in joined:
            print(f"exec: not on the page: {wanted}")


def number(cell):
    return float(cell.replace("k", "")) * (1000 if "k" in cell else 1)


def cell(what, said, value):
    global checked
    checked += 1
    if value is None:
        ok = said == "-"
    else:
        digits = len(said.replace("k", "").partition(".")[2])
        ok = said != "-" and abs(number(said) - value) <= 0.51 * 10.0 ** -digits * (1000 if "k" in said else 1)
    if not ok:
        print(f"{what}: {said}, and by the document {value}")


def calls(text, document):
    """syscall --brief: a table for each mode."""
    for mode, part in zip(("in-process", "fresh"), re.split("^The first call.*$", text, flags=re.M)):
        for one in (r for r in document["results"] if r["mode"] == mode):
            said = re.search(rf"^{one['call']} +(.*)$", part, re.M).group(1).split()
            for name, figure in zip(("min", "q1", "median", "mean", "q3", "max", "outliers"), said):
                cell(f"syscall {one['call']}, {mode}, {name}", figure, one["ns"][name])


def delays(text, document):
    """wake: a line each mechanism, below the heading of its kind; median and mean of each slice."""
    slices = sorted({one["slice_ns"] for one in document["results"]})
    for kind, heading in (("interrupted", "woken early"), ("timed-out", "timed out")):
        part = re.search(rf"^Two CPUs, {heading}\n((?:\w+ +[-0-9.k ]+\n)+)", text, re.M).group(1)
        for one in (r for r in document["results"] if r["kind"] == kind):
            said = re.search(rf"^{one['mechanism']} +(.*)$", part, re.M).group(1).split()
            at = 2 * slices.index(one["slice_ns"])
            for i, name in enumerate(("median", "mean")):
                cell(f"wake {one['mechanism']}, {kind}, {one['slice_ns']}, {name}", said[at + i], one["delay_ns"][name] / 1e3)


def block(name):
    text = (folder / f"{name}.md").read_text(encoding="utf-8")
    return re.search(r"^```\n\$ (?:sleeptune-lab) .*?\n(.*?)\n```$", text, re.M | re.S).group(1) + "\n", json.loads((folder / f"{name}.json").read_text())


simulated((folder / "b4.md").read_text(encoding="utf-8"))
print(checked, "of computed series")
for page, compare in (("b1", programs), ("b2", calls), ("b3", delays)):
    before = checked
    if (folder / f"{page}.json").exists():
        compare(*block(page))
        print(checked - before, f"of {page}")
