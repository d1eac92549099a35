#!/usr/bin/env python3
"""Turns meson's testlog.json into one TAP stream: every subtest of every test, by name.

A TAP program that dies, or prints fewer subtests than it planned, is one failure more, also when each subtest it
came to had passed.
"""
import json
import re
import sys

SUBTEST = re.compile(r"^(not )?ok\b\s*(\d*)\s*(?:- )?([^#]*?)\s*(?:#\s*(.*))?$")


def main(path):
    try:
        lines = open(path, encoding="utf-8").read().splitlines()
    except OSError as error:
        print(f"not ok - meson test ran # {error}")
        return 1
    if not lines:
        print("not ok - meson test found a test")
        return 1
    bad = 0
    for line in lines:
        test = json.loads(line)
        name = test["name"].split(" / ")[-1].split(":")[-1]
        subtests, failures = 0, 0
        reason = ""
        for text in (test.get("stdout") or "").splitlines():
            plan = re.match(r"^1\.\.0\b.*#\s*skip\s*(.*)$", text, re.IGNORECASE)
            if plan:
                reason = plan.group(1)
            match = SUBTEST.match(text)
            if not match:
                continue
            subtests += 1
            directive = match.group(4) or ""
            skipped = directive.lower().startswith("skip")
            failures += bool(match.group(1)) and not skipped
            word = "not ok" if match.group(1) and not skipped else "ok"
            print(f"{word} - {name}: {match.group(3)}" + (f" # SKIP {directive[4:].strip()}" if skipped else ""))
        if test["result"] == "SKIP":
            if subtests == 0:
                print(f"ok - {name} # SKIP {reason or 'exit status 77'}")
        elif test["result"] not in ("OK", "EXPECTEDFAIL"):
            if failures == 0:
                print(f"not ok - {name}: ended with {test['result']}, status {test['returncode']}")
                failures = 1
        elif subtests == 0:
            print(f"ok - {name}")
        bad += failures
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
