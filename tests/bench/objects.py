#!/usr/bin/env python3
"""Is the file whose code makes a client's long cycles named, and no other one?

Hosts of three shared objects (tests/integration/burst_object.c) that compute 4 % of the period each play beside each other on a real PipeWire; what
sleeptune-observe-pipewire prints is compared with what they do in each cycle that completes a block of 32768 samples:

    burst    one object, which one is drawn, computes 40 % of the period more
    evenly   all three of them together do
    dozing   the host sleeps for that long

    block    hosts whose rhythm was found, to 1 %;    named, wrong    hosts of which the right, or another file was named, at any time
    after    seconds that it was watched until the right file was named: median, and the longest
    cpu %    of one core that the observer, and that one host needed while it was watched, and before: what watching adds to the latter

    tests/bench/objects.py --build build            75 minutes on two processors
"""
import argparse
import importlib.util
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

spec = importlib.util.spec_from_file_location("dropouts", pathlib.Path(__file__).with_name("dropouts.py"))
dropouts = importlib.util.module_from_spec(spec)
spec.loader.exec_module(dropouts)

BLOCK = 32768
KINDS = {"burst": "objects", "evenly": "evenly", "dozing": "dozing"}


class Host:
    def __init__(self, server, args, kind, number):
        folder = pathlib.Path(server.folder, f"host{number}")
        folder.mkdir()
        names = [f"{word}{number}.so" for word in ("libreverb", "tuner ü", "libcomp")]
        random.shuffle(names)
        for name in names:
            shutil.copy(f"{args.build}/tests/integration/burst_object.so", folder / name)
        self.name, self.right, self.log = f"host{number}", names[0] if kind == "burst" else "", folder / "log"
        env = {**server.env, "PIPEWIRE_CONFIG_NAME": "client-rt.conf"} if os.path.exists("/usr/share/pipewire/client-rt.conf") else server.env
        self.process = subprocess.Popen(
            [f"{args.build}/tests/integration/stall_pipewire", "0", self.name, "12", str(args.peak), str(-BLOCK), str(folder / "log"), "-1",
             KINDS[kind] + ":" + ",".join(str(folder / name) for name in names)], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def end(self):
        """@return the share of cycles that it was not called in, by its own clock."""
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        own = dropouts.read_log(self.log)
        return 1 - sum(cycle[4] for cycle in own[:-1]) / (own[-1][0] - own[0][0])


def cpu_ns(pid):
    return sum(int(pathlib.Path(f"/proc/{pid}/task/{tid}/schedstat").read_text(encoding="ascii").split()[0]) for tid in os.listdir(f"/proc/{pid}/task"))


def loads_of(lines, name):
    return [seen for seen in map(dropouts.fields, [line for line in lines if line.startswith("load ")]) if seen.get("client") == name]


def plain(name):
    """Of a line: a byte that would end a name is %XX."""
    out = bytearray()
    while name:
        out += bytes([int(name[1:3], 16)]) if name[0] == "%" else name[0].encode()
        name = name[3 if name[0] == "%" else 1:]
    return out.decode()


def batch(server, args, frames, kind, first):
    server.run("pw-metadata", "-n", "settings", "0", "clock.force-quantum", str(frames))
    hosts = [Host(server, args, kind, first + i) for i in range(min(args.at_once, args.hosts))]
    for host in hosts:
        if host.process.stdout.readline() != b"playing\n":
            sys.exit(f"objects.py: {host.name} does not play")
    observer = dropouts.Observer(server, args.build)
    begin = time.monotonic()
    costs, after = [], {}
    pids = [observer.process.pid, hosts[0].process.pid]
    before = [cpu_ns(pid) for pid in pids]
    while time.monotonic() - begin < args.seconds:
        for _ in range(10):
            time.sleep(0.5)
            for host in hosts:
                if any(plain(load.get("file", "")) == host.right != "" for load in loads_of(observer.lines, host.name)[-1:]):
                    after.setdefault(host.name, time.monotonic() - begin)
        now = [cpu_ns(pid) for pid in pids]
        seen = loads_of(observer.lines, hosts[0].name)
        costs.append((bool(seen) and seen[-1].get("code") == "1", *[(n - b) / 5e7 for n, b in zip(now, before)]))
        before = now
    observer.end()
    results = []
    for host in hosts:
        loads = loads_of(observer.lines, host.name)
        files = [plain(load["file"]) for load in loads if "file" in load]
        last = loads[-1] if loads else {}
        lost = host.end()
        results.append({"lost": lost, "frames": frames, "kind": kind, "block": int(last.get("block", 0)), "right": host.right, "after_s": after.get(host.name), "named": files[-1] if files else "",
                        "wrong": any(name != host.right for name in files), "code": last.get("code"), "long": int(last.get("long", 0)), "computed": int(last.get("computed", 0)),
                        "samples": int(last.get("samples", 0)), "percent": int(last.get("percent", 0)), "other": int(last.get("other-percent", 0))})
    return results, costs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--hosts", type=int, default=30, help="of each kind at each buffer size")
    parser.add_argument("--frames", default="128,1024")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--lost", type=float, default=100, help="%% of its cycles that the machine may take from a host: what played beside such a one does not count")
    parser.add_argument("--priority", type=int, default=0, help="in real time, of server and hosts: above other programs of the machine, which else take their cycles")
    parser.add_argument("--peak", type=int, default=40, help="%% of the period")
    parser.add_argument("--seconds", type=float, default=46, help="of each host")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    everything, number = [], 0
    with tempfile.TemporaryDirectory() as folder:
        server = dropouts.Server(folder, priority=args.priority)
        try:
            server.begin()
            for frames in map(int, args.frames.split(",")):
                for kind in args.kinds.split(","):
                    found, costs, spoiled = [], [], 0
                    while len(found) < args.hosts:
                        results, more = batch(server, args, frames, kind, number)
                        number += len(results)
                        valid = max(host["lost"] for host in results) <= args.lost / 100
                        print(f"{frames} {kind} {'' if valid else 'spoiled '}{[(round(100 * one['lost'], 2), one['block'], one['named'] == one['right'], one['wrong'], one['after_s']) for one in results]}", file=sys.stderr, flush=True)
                        if not valid:
                            spoiled += len(results)
                            continue
                        found += results
                        costs += more
                    found = found[:args.hosts]
                    everything += found
                    if args.json:
                        continue
                    cost = [[statistics.mean(c[i] for c in costs if c[0] == watched) if any(c[0] == watched for c in costs) else float("nan")
                             for watched in (True, False)] for i in (1, 2)]
                    after = [r["after_s"] for r in found if r["after_s"]] or [float("nan")]
                    print(f"{frames:5} {kind:<7} n {len(found):3} ({spoiled} more spoiled)  block {sum(abs(r['block'] / BLOCK - 1) <= 0.01 for r in found):3}  "
                          f"named {sum(r['named'] == r['right'] != '' for r in found):3}  wrong {sum(r['wrong'] for r in found):3}  "
                          f"computed {statistics.median(r['computed'] for r in found):.0f} of {statistics.median(r['long'] for r in found):.0f} long cycles, samples {statistics.median(r['samples'] for r in found):.0f}, "
                          f"{statistics.median(r['percent'] for r in found):.0f} % against {statistics.median(r['other'] for r in found):.0f} %  "
                          f"after {statistics.median(after):.0f} to {max(after):.0f} s  "
                          f"cpu %: observer {cost[0][0]:.2f} ({cost[0][1]:.2f}), host {cost[1][0]:.2f} ({cost[1][1]:.2f})  "
                          f"not watched {sum(r['code'] != '1' for r in found)}", flush=True)
        finally:
            server.end()
    if args.json:
        print(json.dumps(everything, indent=2))


if __name__ == "__main__":
    main()
