#!/usr/bin/env python3
"""Turns meson's testlog.json into one TAP stream: every subtest of every test, by name.

    tally.py TESTLOG [AGAIN]     prints the stream; programs that are in AGAIN, too, count as they went there
    tally.py --failed TESTLOG    prints the programs that failed, one a line

A TAP program that dies, or prints fewer subtests than it planned, is one failure more, also when each subtest it
came to had passed. A unit test that says "# not run here: why" (tests/unit/cannot.h) is skipped. What a failed subtest says of itself ("# got: ...") stays behind it. What failed at first and
passed when it was run again is told in lines that begin with "# unsteady: ".
"""
import json
import re
import sys

SAYS_LINES_MAX, SAYS_CHARS_MAX = 12, 400
NOT_RUN = "# not run here: "
SUBTEST = re.compile(r"^(not )?ok\b\s*(\d*)\s*(?:- )?([^#]*?)\s*(?:#\s*(.*))?$")


def read(path):
    """The programs of a run by suites and name, in its order: a unit test and an integration test may share a name."""
    with open(path, encoding="utf-8") as log:
        programs = [json.loads(line) for line in log]
    return {program["name"]: program for program in programs}


def short(full_name):
    """What meson calls "project:suite / name" is "name" here, as for `meson test`."""
    return full_name.split(" / ")[-1].split(":")[-1]


def tally(name, test):
    """The lines of one program, and what failed in it: pairs of a name and what was said of it."""
    lines, failed, reason, subtests = [], [], "", 0
    fails, cannot = False, ""
    for text in (test.get("stdout") or "").splitlines():
        plan = re.match(r"^1\.\.0\b.*#\s*skip\s*(.*)$", text, re.IGNORECASE)
        if plan:
            reason = plan.group(1)
        if text.startswith(NOT_RUN):
            cannot = text[len(NOT_RUN):]
        match = SUBTEST.match(text)
        if not match:
            if fails and text.startswith("#") and len(failed[-1][1]) < SAYS_LINES_MAX:
                failed[-1][1].append(text[:SAYS_CHARS_MAX])
                lines.append(text[:SAYS_CHARS_MAX])
            continue
        subtests += 1
        directive = match.group(4) or (f"skip {cannot}" if cannot else "")
        cannot = ""
        skipped = directive.lower().startswith("skip")
        fails = bool(match.group(1)) and not skipped
        if fails:
            failed.append((match.group(3), []))
        lines.append(
            f"{'not ok' if fails else 'ok'} - {name}: {match.group(3)}"
            + (f" # SKIP {directive[4:].strip()}" if skipped else "")
        )
    if test["result"] == "SKIP":
        if subtests == 0:
            lines.append(f"ok - {name} # SKIP {reason or 'exit status 77'}")
    elif test["result"] not in ("OK", "EXPECTEDFAIL"):
        if not failed:
            failed.append((f"ended with {test['result']}, status {test['returncode']}", []))
            lines.append(f"not ok - {name}: {failed[0][0]}")
    elif subtests == 0:
        lines.append(f"ok - {name}")
    return lines, failed


def main(path, path_again=None):
    try:
        programs = read(path)
        again = read(path_again) if path_again else {}
    except OSError as error:
        print(f"not ok - meson test ran # {error}")
        return 1
    if not programs:
        print("not ok - meson test found a test")
        return 1
    bad = 0
    for full_name, test in programs.items():
        name = short(full_name)
        lines, failed = tally(name, test)
        if full_name in again:
            first = failed
            lines, failed = tally(name, again[full_name])
            if not failed:
                for what, says in first:
                    lines.append(f"# unsteady: {name}: {what}")
                    lines += [f"# unsteady: {text}" for text in says]
        print("\n".join(lines))
        bad += len(failed)
    return 1 if bad else 0


if __name__ == "__main__":
    if sys.argv[1] == "--failed":
        for program, result in read(sys.argv[2]).items():
            if tally(program, result)[1]:
                print(short(program))
        sys.exit(0)
    sys.exit(main(*sys.argv[1:3]))
