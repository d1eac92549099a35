#!/usr/bin/env python3
"""What the pages of docs/published say of computed series, against the samples of the same commands as JSON.  Usage: published_figures.py LAB PAGE...

A figure that is wrong is a line; each page's commands of `simulate` are run again, so that the page cannot be of another version."""
import json
import math
import re
import subprocess
import sys

UNIT = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9}
FIGURE = r"(-?[0-9.]+) (ns|µs|ms|min|s)\b"
lab, pages = sys.argv[1], sys.argv[2:]
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


for page in pages:
    text = open(page, encoding="utf-8").read()
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
print(checked, "figures and sentences")
