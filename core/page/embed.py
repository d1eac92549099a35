"""Puts the page's style and script into its HTML, as C arrays, with a policy that allows these two by their hash; its icon and manifest, too.

The scripts become one, in their order, with names of its own.

usage: embed.py page.html page.css icon.svg page.webmanifest SCRIPT... >page_template.c
"""
import base64
import hashlib
import pathlib
import sys

html, css, icon, manifest, *scripts = (pathlib.Path(name).read_text(encoding="ascii") for name in sys.argv[1:])
js = '"use strict";\n(() => {\n' + "".join(scripts) + "})();\n"
for name, text, end in (("style", css, "</style"), ("script", js, "</script")):
    if end in text.lower() or "{{" in text:
        sys.exit(f"embed.py: the {name} holds {end} or {{{{, which the page would take for its own")


def source(text):
    """What Content-Security-Policy calls this text (CSP 3, 6.7.3.3)."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def array(name, text):
    values = text.encode() + b"\0"
    print(f"const char {name}[] = {{")
    for i in range(0, len(values), 24):
        print("    " + ", ".join(map(str, values[i:i + 24])) + ",")
    print("};")


policy = (f"default-src 'none'; style-src {source(css)}; script-src {source(js)}; connect-src 'self'; img-src 'self'; "
          "manifest-src 'self'; base-uri 'none'; form-action 'none'")
page = html.replace("{{css}}", css).replace("{{js}}", js).replace("{{policy}}", policy)  # it holds in a file, too
policy += "; frame-ancestors 'none'"  # only a header may say this
print("/* Written by embed.py. */\n#include \"core/page/page.h\"\n")
print(f'const char st_page_policy[] =\n    "{policy}";\n')
array("st_page_template", page)
array("st_page_icon", icon)
array("st_page_manifest", manifest)
