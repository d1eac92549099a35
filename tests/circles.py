#!/usr/bin/env python3
"""Circles of files: prints each group of files that need each other, and what ties them. Prints nothing when there is none.

    tests/circles.py [FILE...]      (default: all .c and .h files, without tests/)

Two graphs are searched. In the first, x.c and x.h are one place, and an arrow runs from a place that calls a function,
which some header declares, to the place that alone defines it. (A function with several definitions is chosen by the
build: no arrow.) In the second, an arrow runs from a header to each header that it includes.
"""
import collections
import os
import re
import sys

import sources

COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include "([^"]+)"', re.M)
DEFINITION = re.compile(r'^[A-Za-z_][\w \t*]*?\b(st_\w+)\s*\([^;{}]*?\)[^;{}()]*(?:\([^;{}()]*\)[^;{}()]*)*\{', re.M)
DECLARATION = re.compile(r'^[A-Za-z_][^;{}#=]*?\b(st_\w+)\s*\([^;{}]*\)[^;{}]*;', re.M)
NAME = re.compile(r'\bst_\w+')


def read(path):
    with open(path, encoding='utf-8', errors='replace') as f:
        return f.read()


def strongly_connected(arrows):
    """Tarjan 1972, without recursion. Yields the groups of more than one place."""
    number, low, on_stack, stack = {}, {}, set(), []
    for root in sorted(arrows):
        if root in number:
            continue
        work = [(root, iter(sorted(arrows[root])))]
        number[root] = low[root] = len(number)
        stack.append(root)
        on_stack.add(root)
        while work:
            place, rest = work[-1]
            for target in rest:
                if target not in number:
                    number[target] = low[target] = len(number)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(sorted(arrows[target]))))
                    break
                if target in on_stack:
                    low[place] = min(low[place], number[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[place])
                if low[place] == number[place]:
                    group = []
                    while not group or group[-1] != place:
                        group.append(stack.pop())
                        on_stack.discard(group[-1])
                    if len(group) > 1:
                        yield sorted(group)


def main():
    paths = sys.argv[1:] or sources.listed('*.c', '*.h')
    paths = [p for p in paths if p.endswith(('.c', '.h')) and not p.startswith('tests/') and os.path.exists(p)]
    includes, names, definers, declared = {}, {}, collections.defaultdict(set), set()
    for path in paths:
        text = read(path)
        includes[path] = INCLUDE.findall(text)
        text = COMMENT_OR_STRING.sub(' ', text)
        names[path] = set(NAME.findall(text))
        if path.endswith('.c'):
            for name in DEFINITION.findall(text):
                definers[name].add(path)
        else:
            declared.update(DECLARATION.findall(text))
    calls = collections.defaultdict(lambda: collections.defaultdict(set))
    for path in paths:
        for name in names[path] & declared if path.endswith('.c') else ():
            (definer,) = definers[name] if len(definers[name]) == 1 else (path,)
            if definer != path:
                calls[path[:-2]][definer[:-2]].add(name)
    headers = {p: {h: {'#include'} for h in includes[p] if h != p} for p in paths if p.endswith('.h')}
    circles = 0
    for ties in calls, headers:
        arrows = {p: set(ties[p]) for p in list(ties)}
        for group in strongly_connected({p: arrows.get(p, set()) for p in set(arrows).union(*arrows.values())}):
            circles += 1
            print('circle of ' + ', '.join(group))
            for source in group:
                for target in sorted(arrows[source] & set(group)):
                    print(f'  {source} -> {target}: ' + ', '.join(sorted(ties[source][target])))
    return 1 if circles else 0


if __name__ == '__main__':
    sys.exit(main())
