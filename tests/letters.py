#!/usr/bin/env python3
"""usage: tests/letters.py BUILD: prints each value of st_json_object and st_json_add (core/text/json.h) whose C type is not that of its letter.

No compiler sees that, as the values are variable arguments. Each file that has such calls is parsed, as BUILD compiles it, with each value in a
_Generic that has only the types of its letter; a wrong one is an error of the compiler, in the line of the source."""
import json
import pathlib
import re
import shlex
import subprocess
import sys

TYPES = {"inp": "int64_t uint64_t", "u": "int unsigned short uint16_t int8_t uint8_t", "d": "double float", "b": "bool int",
         "tse": "char* const_char* void*", "o": "json_t* void*"}
CHECKS = "".join(f"#define LETTER_{letter}(x) _Generic((x), {', '.join(t.replace('_char', ' char') + ': (x)' for t in types.split())})\n"
                 for letters, types in TYPES.items() for letter in letters)
CALL = re.compile(r"\bst_json_(object|add)\(")
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|.', re.S)


def split(text, at):
    """The arguments of the call whose parenthesis opens before `at`, and where it closes."""
    depth, args = 1, [""]
    for token in TOKEN.finditer(text, at):
        depth += (token.group() in "([{") - (token.group() in ")]}")
        if depth == 0:
            return args, token.start()
        if token.group() == "," and depth == 1:
            args.append("")
        else:
            args[-1] += token.group()
    raise ValueError("a call without an end")


def checked(text):
    """The text with each value in the check of its letter."""
    out, begin = "", 0
    while call := CALL.search(text, begin):
        args, end = split(text, call.end())
        first = 1 if call[1] == "object" else 2
        words = "".join(re.findall(r'"([^"]*)"', args[first - 1])).split()
        letters = [word.split(":")[1] for word in words if ":" in word]
        values = [checked(value) for value in args[first:]]
        if len(letters) == len(values):
            values = [f" LETTER_{letter}(({value}))" for letter, value in zip(letters, values)]
        else:
            values.append(f" {len(letters)}_letters")  # which no compiler takes
        out += text[begin:call.end()] + ",".join(args[:first] + values)
        begin = end
    return out + text[begin:]


def main():
    build = pathlib.Path(sys.argv[1])
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        path = build / entry["file"]
        text = path.read_text(encoding="utf-8") if path.exists() else ""  # one that is generated may not be there yet
        if not CALL.search(text) or path.name == "json.c":
            continue
        words = iter(shlex.split(entry["command"]))
        command = [word for word in words if word not in ("-MD", "-c", entry["file"]) and not (word in ("-o", "-MF", "-MQ") and next(words))]
        name = str(path.resolve().relative_to(pathlib.Path.cwd()))
        text = f'#include <jansson.h>\n#include <stdint.h>\n#include <stdbool.h>\n{CHECKS}#line 1 "{name}"\n{checked(text)}'
        done = subprocess.run([*command, "-w", "-fsyntax-only", "-fdiagnostics-color=never", "-I", str(path.resolve().parent), "-x", "c", "-"], input=text, text=True, cwd=build,
                              stderr=subprocess.PIPE, check=False)
        if done.returncode != 0:
            print("\n".join(line for line in done.stderr.splitlines() if re.match(rf"{name}:\d", line)) or f"{name}: {done.stderr}")


if __name__ == "__main__":
    main()
