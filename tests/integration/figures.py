#!/usr/bin/env python3
"""Each number on a screen is in the JSON of the same run, to its printed digits: of tests/screens those of which a command needs source files only."""
import itertools
import json
import os
import pathlib
import re
import subprocess
import tempfile

SRC, SLEEPTUNE = pathlib.Path(os.environ["SLEEPTUNE_SRC"]), os.environ["SLEEPTUNE"]
UNITS = {"ns": [1], "µs": [1e-3, 1], "ms": [1e-6, 1e-3, 1e3], "s": [1e-9, 1], "min": [1 / 60e9, 1 / 60], "h": [1 / 3600e9, 1 / 3600], "%": [1, 100], "kHz": [1e-3]}
# Bounds are rounded up to three digits, headroom down; no figures: dates and times, a confidence, a percentile, options, the share of a period or step, commands to paste, how many are left out
NOT_FIGURES = r"\d{4}-\d\d-\d\d|\d\d:\d\d(:\d\d)?|95 %|1 time in 100|p99|--\S+( \d\S*)?|\(\d[\d.]* %\)|\d+%|^  \S*(sudo|sysctl|sleeptune) .*|\d+ more|Next .*"
NUMBER = r"(at most )?(?<![\w.])(\d[\d,]*(?:\.\d+)?)(?: (ns|µs|ms|s|min|h|%|kHz)(?!\w))?"


def leaves(value):
    """What is in a document, and what can be added up: periods of a row, each key over all rows, the rows."""
    if isinstance(value, list):
        rows = [{**row, "periods": (row["cycles"] or 0) + row["skipped_periods"]} if "skipped_periods" in row else row for row in value if isinstance(row, dict)]
        for key in {key for row in rows for key in row}:
            yield sum(row[key] for row in rows if isinstance(row.get(key), (int, float)))
        yield len(value)
        value = dict(enumerate(rows or value))
    yield from itertools.chain.from_iterable(map(leaves, value.values())) if isinstance(value, dict) else [value]


def missing(screen, document):
    found = list(leaves(document))
    words = {w.replace(",", "") for text in found if isinstance(text, str) for w in re.findall(r"\d[\d,]*(?:\.\d+)?", text)}
    values = {v for v in found if isinstance(v, (int, float)) and not isinstance(v, bool)}
    for bound, printed, unit in re.findall(NUMBER, re.sub(NOT_FIGURES, "", re.sub(r"(\S)\n +(?=\S)", r"\1 ", screen), flags=re.M)):
        printed = printed.rstrip(",").replace(",", "")
        last = 10.0 ** -len(printed.partition(".")[2])
        up, down = max(last, 10.0 ** (len(printed) - 3)) if bound else 0.501 * last, last if unit == "%" else 0.501 * last
        if printed not in words and not any(-up <= v * f - float(printed) <= down for v in values for f in UNITS.get(unit, [1])):
            yield f"{bound}{printed} {unit}".strip()


def run(*words, env={**os.environ, "COLUMNS": "80", "TZ": "UTC", "LC_ALL": "C.UTF-8"}):
    return subprocess.run([SLEEPTUNE, *words], capture_output=True, text=True, check=False, env=env).stdout


with tempfile.TemporaryDirectory() as tmp:
    run("listen", "--signal", f"{tmp}/signal.wav", "-d", "10s")
    commands = [["listen", "--input", f"{tmp}/signal.wav"], ["predict", f"{SRC}/tests/fixtures/recordings/kvm-guest-128.strec"]]
    cases = {words[0]: (words, run(*words)) for words in commands}
    for path in sorted((SRC / "tests/screens").glob("*/*.txt")):
        head, *lines = path.read_text(encoding="utf-8").splitlines()
        if re.match(r"\$ (report|history) .*SRC/(?!.*TMP)", head):
            cases[f"{path.parent.name}/{path.stem}"] = (head.replace("SRC", str(SRC)).split()[1:], "\n".join(lines[:-1]))
    results = {"a number that is nowhere is named": list(missing("1 of 3 were 1.3 ms late", {"n": 1, "late_ns": 1200000})) != ["3", "1.3 ms"]}
    for name, (words, screen) in cases.items():
        document = run(*words, "--json")
        if document:  # not every screen has one
            results[f"{name}: its numbers are in its JSON"] = list(missing(screen, json.loads(document))) if screen else ["nothing was printed"]
    for n, (name, lost) in enumerate(results.items(), 1):
        print(f"{'not ' if lost else ''}ok {n} - {name}", *(lost or []), sep="\n# ")
    print(f"1..{len(results)}")
