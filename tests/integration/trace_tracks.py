#!/usr/bin/env python3
"""trace_tracks FILE CLIENT [EVENT | --missed | --culprit TRACK SLICE | --list]: reads a trace of `sleeptune history --trace`. Fails if it is none in
Chrome's format: each event on a named track of a named group, times in microseconds with three decimals, slices of a track in order, none overlaps.
--culprit: on tracks of that regular expression, slices of that regular expression fill a third or more of a cycle in which the client missed its
deadline, or of the time that a driver is late, and are there before the deadline."""
import json
import re
import sys
from decimal import Decimal


def ns(value):
    """Exact: the file has microseconds with three decimals."""
    assert isinstance(value, Decimal) and value.as_tuple().exponent == -3 and value >= 0, value
    return int(value * 1000)


def main():
    path, client, *wanted = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        document = json.load(file, parse_float=Decimal)
    assert int(document["otherData"]["begins_wall_ns"]) >= 0
    groups, tracks, slices, instants, values, ends = {}, {}, [], [], {}, {}
    for event in document["traceEvents"]:
        if event["ph"] == "M":
            of = groups if event["name"] == "process_name" else tracks
            assert event["name"] in ("process_name", "thread_name") and (event["pid"], event["tid"]) not in of
            of[event["pid"], event["tid"]] = event["args"]["name"]
    for event in document["traceEvents"]:
        if event["ph"] == "M":
            continue
        at, key, name = ns(event["ts"]), (event["pid"], event["tid"]), event["name"]
        assert (event["pid"], 0) in groups
        if event["ph"] == "C":
            values.setdefault(name, []).append(int(event["args"]["ms"] * 1000000))
            continue
        if event["ph"] == "X":
            end = at + ns(event["dur"])
            assert end > at >= ends.get(key, 0), "in order, and none overlaps"
            ends[key] = end
            slices.append((tracks[key], at, name, end))
        else:
            assert event["ph"] == "i" and event["s"] == "t"
            instants.append((tracks[key], at, name))
    said = ["valid"]
    if any(track == client and name == "computes" for track, _, name, _ in slices):
        said.append(f"{client} computes")
    if wanted == ["--missed"]:
        missed = [at for track, at, name in instants if track == "missed deadlines" and name == client]
        if any(track == client and begin <= at <= end for at in missed for track, begin, _, end in slices):
            said.append("missed its deadline within that")
    elif wanted[:1] == ["--culprit"]:
        by = [slice_ for slice_ in slices if re.search(wanted[1], slice_[0]) and re.search(wanted[2], slice_[2])]
        for at in (at for track, at, name in instants if track == "missed deadlines" and name == client):
            begin, end = at, at
            for track, start, name, stop in slices:  # it waits, then it computes
                if track == client and (start <= at <= stop or (name == "computes" and start == end)):
                    begin, end = min(begin, start), max(end, stop)
            begin = min([start for track, start, name, stop in slices if track == client and name == "waits" and stop == begin], default=begin)
            if begin == end:  # a driver that begins late
                end = min((start for track, start, _, _ in slices if track == client and start >= at), default=at)
            took = sum(max(0, min(stop, end) - max(start, begin)) for _, start, _, stop in by)
            if took * 3 >= end - begin > 0 and any(start <= at and stop > begin for _, start, _, stop in by):
                said.append(f"{wanted[2]} made it miss")
                break
    elif wanted == ["--list"]:
        for track in tracks.values():
            names = [name for of, _, name, _ in slices if of == track]
            said.append(f"\n{track}: {len(names)} slices, {', '.join(sorted(set(names))[:99])}")
        said += [f"\n{name}: {len(them)} values, {min(them) / 1e6:.1f} to {max(them) / 1e6:.1f} ms" for name, them in values.items()]
    elif wanted and any(wanted[0] in name for _, _, name in instants):
        said.append(f"'{wanted[0]}' is there")
    print(", ".join(said))


main()
