"""Prints as TAP whether the site that make_site.py wrote is whole.

usage: check_site.py FOLDER RULES_JSON SOURCE_TREE
"""
import html.parser
import json
import pathlib
import posixpath
import re
import subprocess
import sys

from make_site import screens


class Reader(html.parser.HTMLParser):
    """What matters of a page: its anchors, what it links to, and what a browser would load for it."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads, self.scripts, self.titles = [], [], [], 0, 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids += [attrs["id"]] if "id" in attrs else []
        self.links += [attrs["href"]] if tag == "a" and "href" in attrs else []
        self.loads += [attrs[name] for name in ("src", "href") if name in attrs and tag != "a"]
        self.scripts += tag == "script" or any(name.startswith("on") for name in attrs)
        self.titles += tag == "title"


def faults(files):
    """Sentences about a site. files: text by address; None for what is no page."""
    read = {address: Reader(text) for address, text in files.items() if text is not None}
    reached, to_do = {"index.html"}, ["index.html"]
    for address, page in read.items():
        if page.scripts or page.titles != 1:
            yield f"{address}: a page has one title, and no script"
        left = re.search(r"```|\*\*|\]\(|\|--|<p>\||<!-- screen", re.sub(r"<(pre|code)\b.*?</\1>", "", files[address], flags=re.S))
        if left and not address.startswith("man/"):
            yield f"{address}: Markdown was not understood at \"{left[0]}\": is there an empty line before it?"
        for name in {name for name in page.ids if page.ids.count(name) > 1}:
            yield f"{address}: the anchor {name} is there twice"
        for target in page.loads:
            if posixpath.normpath(posixpath.join(posixpath.dirname(address), target)) not in files:
                yield f"{address}: {target} is not in the site"
        for target in page.links:
            if re.match(r"https?://", target):
                continue
            path, _, anchor = target.partition("#")
            to = posixpath.normpath(posixpath.join(posixpath.dirname(address), path)) if path else address
            if to not in files or anchor and to not in read:
                yield f"{address}: no page {target}"
            elif anchor and anchor not in read[to].ids:
                yield f"{address}: no anchor {target}"
    while to_do:
        address = to_do.pop()
        for target in read[address].links:
            to = posixpath.normpath(posixpath.join(posixpath.dirname(address), target.partition("#")[0]))
            if to in read and to not in reached:
                reached.add(to)
                to_do.append(to)
    for address in sorted(set(read) - reached):
        yield f"{address}: no link leads there from the start page"


def faults_of_rules(files, rules):
    """The address of a rule's page is what `sleeptune report ID` prints."""
    for rule in rules:
        text = files.get(f"rules/{rule['id']}.html")
        if text is None:
            yield f"{rule['id']} has no page"
        elif f"<code>{rule['id']}</code>" not in text:
            yield f"the page of {rule['id']} does not name it"
        for address in ["man/sleeptune-rules.7.html", "rules/index.html"] + ([] if rule["only_ok"] else [f"setup-{rule['os']}.html"]):
            if files[address].count(f'id="{rule["id"]}"') != 1:
                yield f"{address} does not have the anchor {rule['id']}"


def faults_of_start(text, captured):
    """The start page explains words of the screens above each table: they are on those screens still."""
    screen, rows = None, 0
    for line in text.split("\n"):
        marker = re.match(r"<!-- screen: (.*?)(?: \|.*)? -->", line)
        if marker:
            screen = " ".join(captured[marker[1]].split())
        if line.startswith("## "):
            screen = None
        if screen and line.startswith("| **"):
            rows += 1
            for label in re.findall(r"\*\*(.*?)\*\*", line.split("|")[1]):
                if label not in screen:
                    yield f"\"{label}\" is on that screen no more"
    if rows < 10:
        yield f"only {rows} rows explain the screens"


def faults_of_check():
    """Broken sites that must be noticed."""
    whole = "<title>x</title>"
    for broken, wanted in (
            ({"index.html": whole + '<a href="b.html">'}, "no page"),
            ({"index.html": whole + '<a href="#b">'}, "no anchor"),
            ({"index.html": whole + '<a href="a/b.html#c">', "a/b.html": whole}, "no anchor"),
            ({"index.html": whole, "b.html": whole}, "no link leads there"),
            ({"index.html": whole + '<img src="a.svg">'}, "not in the site"),
            ({"index.html": whole + '<link href="https://example.org/a.css">', }, "not in the site"),
            ({"index.html": whole + "<p id=a><p id=a>"}, "twice"),
            ({"index.html": whole + "<script></script>"}, "no script"),
            ({"index.html": whole + "<p>text ``` $ sleeptune</p>"}, "not understood"),
            ({"index.html": ""}, "one title")):
        if not any(wanted in fault for fault in faults(broken)):
            yield f"not noticed: {wanted} in {broken}"
    yield from faults({"index.html": whole + '<a href="a/b.html#c"><a href="https://example.org">', "a/b.html": whole + '<a id=c href="..//index.html">'})


def main(arguments):
    if len(arguments) != 3:
        sys.exit(__doc__)
    folder, tree = pathlib.Path(arguments[0]), pathlib.Path(arguments[2])
    rules = json.loads(subprocess.run([arguments[1]], check=True, stdout=subprocess.PIPE).stdout)
    files = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") if path.suffix == ".html" else None
             for path in folder.rglob("*") if path.is_file()}
    captured = screens((tree / "docs/screens.md").read_text(encoding="utf-8"))
    tests = (("broken sites are noticed", faults_of_check()),
             ("each link and anchor leads somewhere, and each page can be reached", faults(files)),
             ("each rule has its page", faults_of_rules(files, rules)),
             ("the start page explains what is on the screens", faults_of_start((tree / "docs/site/start.md").read_text(encoding="utf-8"), captured)))
    failed = False
    for number, (name, found) in enumerate(tests, 1):
        found = list(found)
        failed = failed or bool(found)
        print(f"{'not ok' if found else 'ok'} {number} - {name}")
        for fault in found:
            print(f"# {fault}")
    print(f"1..{len(tests)}")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
