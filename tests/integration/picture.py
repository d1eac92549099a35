#!/usr/bin/env python3
"""What a picture of `sleeptune-lab plot` consists of, a line each, for plot.sh.  Usage: picture.py FILE.svg"""
import sys
import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
root = ET.parse(sys.argv[1]).getroot()
width, height = float(root.get("width")), float(root.get("height"))
print("size", root.get("width"), root.get("height"))
print("title:", root.findtext(SVG + "title"))
print("desc:", root.findtext(SVG + "desc"))
for role in ("panel", "box", "values", "legend"):
    groups = [g for g in root.iter(SVG + "g") if role in g.get("class").split()]
    print(role, len(groups))
    if role == "values":
        paths = [p.get("d") for g in groups for p in g.iter(SVG + "path")]
        print("strokes", sum(d.count("V") for d in paths))
        print("lines", sum(d.count("M") == 1 and d.count("L") == 1 for d in paths))
boxes = []
for text in root.iter(SVG + "text"):
    role = text.get("class")
    print(f"{role or 'text'}: {text.text}")
    # a letter takes 0.55 em at least: what leaves the picture is cut
    size, x, y = float(text.get("font-size")), float(text.get("x")), float(text.get("y"))
    length = 0.55 * size * len(text.text)
    left = x - {"middle": length / 2, "end": length}.get(text.get("text-anchor"), 0)
    turned = text.get("transform") is not None
    if not turned and (left < 0 or left + length > width + 1) or y > height or y - size < 0:
        print(f"cut: {text.text}")
    if not turned:
        for other, a, b, c, d in boxes:
            if left < b and a < left + length and y - 0.7 * size < d and c < y:
                print(f"overlap: {other} / {text.text}")
        boxes.append((text.text, left, left + length, y - 0.7 * size, y))
print("dashes", len({p.get("stroke-dasharray") for p in root.iter(SVG + "path") if p.get("stroke-dasharray")}))
