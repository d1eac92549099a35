"""Writes the pages that consist of the rules' texts, man/sleeptune-rules.7 and docs/setup-*.md, and in schemas the reasons of a dropout.

usage: generate.py RULES_JSON SOURCE_TREE           RULES_JSON: the program rules_json
       generate.py --check RULES_JSON SOURCE_TREE   writes nothing; prints as TAP whether pages and rules are complete and up to date
"""
import json
import pathlib
import re
import subprocess
import sys

import markdown
import roff
from chapters import GUIDES

PAGES = {
    "man/sleeptune-rules.7": roff.rules_page,
    "docs/setup-linux.md": lambda rules: markdown.guide(GUIDES["linux"], "linux", rules),
    "docs/setup-freebsd.md": lambda rules: markdown.guide(GUIDES["freebsd"], "freebsd", rules),
}

REASONS = ["docs/schema/sleeptune-causes-1.json", "docs/schema/sleeptune-events-1.json", "docs/schema/sleeptune-history-1.json",
           "docs/schema/sleeptune-status-1.json"]


def with_reasons(tree, name):
    """That schema with the names of the rows of xruns/dropout_reason.c."""
    names = re.findall(r'\[ST_DROPOUT_\w+\] = \{("[a-z-]+")', (tree / "xruns/dropout_reason.c").read_text(encoding="utf-8"))
    text, n = re.subn(r'\["unknown", "too-slow"[^]]*\]', f"[{', '.join(names)}]", (tree / name).read_text(encoding="utf-8"))
    if n != 1:
        sys.exit(f"{name} has {n} lists of reasons that begin with unknown and too-slow, not 1")
    return text


def faults_of_rules(rules):
    """Sentences about rules that a page cannot be written from."""
    places = [(os, rule_id) for os, guide in GUIDES.items() for _, _, ids in guide["chapters"] for rule_id in ids.split()]
    known = {rule["id"]: rule for rule in rules}
    for os, rule_id in places:
        if rule_id not in known or known[rule_id]["os"] != os:
            yield f"{rule_id} is no rule of this system"
    for rule in rules:
        times = sum(rule_id == rule["id"] for _, rule_id in places)
        if times != (0 if rule["only_ok"] else 1):
            yield f"{rule['id']} is {times} times in the outline: put its id where it belongs by its effect, in docs/generate/chapters.py"
        if not rule["only_ok"] and not ((rule["now"] or rule["persistent"]) and rule["check"] and rule["undo"]):
            yield f"{rule['id']}: .guide needs now or persistent, check and undo"
        for line in (rule["history"] or "").split("\n"):
            if line and (":" not in line or not line.endswith(")")):
                yield f"{rule['id']}: a line of history is \"version: what changed (source)\", not \"{line}\""


def faults_of_page(name, text):
    """Sentences about a page that was written."""
    if not name.endswith(".md"):
        return
    anchors = {markdown.anchor(line[4:]) for line in text.split("\n") if line.startswith("### ")}
    for link in markdown.links(text):
        if link not in anchors:
            yield f"{name}: no heading for #{link}"
    if text.count("\n```") % 2 != 0:
        yield f"{name}: a block is not closed"


def check(rules, tree):
    """Prints TAP. @return the exit status."""
    tests = [("each rule has its place, a fix, a check and an undo", list(faults_of_rules(rules))),
             ("sentences become Markdown", list(markdown.faults(rules)))]
    for name, write in PAGES.items():
        text = write(rules)
        old = (tree / name).read_text(encoding="utf-8") == text
        faults = list(faults_of_page(name, text)) + ([] if old else [f"{name} differs from the rules. Run ninja -C build generate."])
        tests.append((f"{name} is up to date, and its links lead somewhere", faults))
    old = [name for name in REASONS if (tree / name).read_text(encoding="utf-8") != with_reasons(tree, name)]
    tests.append(("schemas have all reasons of a dropout", [f"{name} lacks one. Run ninja -C build generate." for name in old]))
    for number, (name, faults) in enumerate(tests, 1):
        print(f"{'not ok' if faults else 'ok'} {number} - {name}")
        for fault in faults:
            print(f"# {fault}")
    print(f"1..{len(tests)}")
    return any(faults for _, faults in tests)


def main(arguments):
    checks = arguments[:1] == ["--check"]
    if len(arguments) != 2 + checks:
        sys.exit(__doc__)
    program, tree = arguments[checks], pathlib.Path(arguments[checks + 1])
    rules = json.loads(subprocess.run([program], check=True, stdout=subprocess.PIPE).stdout)
    if checks:
        return check(rules, tree)
    for name, write in PAGES.items():
        (tree / name).write_text(write(rules), encoding="utf-8")
    for name in REASONS:
        (tree / name).write_text(with_reasons(tree, name), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
