#!/usr/bin/env python3
"""perfetto_tracks FILE CLIENT [EVENT | --missed | --culprit TRACK SLICE | --list]: reads a trace of `sleeptune history --trace`: by perfetto's own
classes, if PyPI's package is there, and by the fields' numbers. Fails if it is none: each event on a known track, begins and ends in pairs, times
by CLOCK_MONOTONIC that do not decrease, a snapshot of the clocks. --culprit: on tracks of that regular expression, slices of that regular
expression fill a third or more of a cycle in which the client missed its deadline, or of the time that a driver is late, and are there before the deadline."""
import re
import sys


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    at, found = 0, []
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            assert key & 7 == 2, "neither a number nor bytes"
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
            assert len(value) == length
        found.append((key >> 3, value))
    return found


def main():
    path, client, *wanted = sys.argv[1:]
    with open(path, "rb") as file:
        data = file.read()
    try:
        from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace
        assert len(Trace.FromString(data).packet) == len(fields(data))
    except ImportError:
        pass
    tracks, begun, slices, instants, values, clocks, last = {}, {}, [], [], {}, set(), 0
    for number, packet in fields(data):
        assert number == 1
        packet = dict(fields(packet))
        assert packet[10] == 1, "one sequence"
        if 6 in packet:
            clocks |= {dict(fields(clock))[1] for _, clock in fields(packet[6])}
        elif 60 in packet:
            track = dict(fields(packet[60]))
            tracks[track[1]] = track[2].decode()
        else:
            event = dict(fields(packet[11]))
            assert packet[58] == 3 and packet[8] >= last and event[11] in tracks
            last = packet[8]
            if event[9] == 1:
                assert event[11] not in begun
                begun[event[11]] = (last, event[23].decode())
            elif event[9] == 2:
                slices.append((tracks[event[11]], *begun.pop(event[11]), last))
            elif event[9] == 4:
                values.setdefault(tracks[event[11]], []).append(event[30])
            else:
                assert event[9] == 3
                instants.append((tracks[event[11]], last, event[23].decode()))
    assert not begun and clocks == {1, 3, 6}
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
            if track in values:
                said[-1] = f"\n{track}: {len(values[track])} values, {min(values[track]) / 1e6:.1f} to {max(values[track]) / 1e6:.1f} ms"
    elif wanted and any(wanted[0] in name for _, _, name in instants):
        said.append(f"'{wanted[0]}' is there")
    print(", ".join(said))


main()
