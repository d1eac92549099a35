#!/usr/bin/env python3
"""What the daemon's other parts cost its loop: lateness with all of them beside lateness with none, and with clients, too.

One daemon, whose loop runs all the time on one CPU; SIGHUP switches the rest. Nine blocks make a round: off, off, on, clients,
cyclictest, clients, on, off, off. "on": an own stream (Dummy), the history, observers of every sound server that is there, a TCP listener; tracing
stays off. "clients": all of that, and ten clients that poll /v1/status ten times a second. The daemon itself is not pinned, only its
loop is; clients are on the other CPUs. Of each block the medians of its whole seconds are taken from "seconds" of /v1/status, asked once after it.
Ratios are geometric means over rounds with their 95 % interval (Student's t); the order of a round takes a steady change of the
machine out. Off beside off (the outer blocks by the inner ones) is told first: where it is not 1 +- 0.03, the machine is too noisy to
say much. CPU time is that of the whole process and its helper programs, in parts of one CPU, block by block; of it the loop's thread and
the own stream's. What a wake-up costs is the machine's doing: "cyclictest" is off with a cyclictest of the same period on another CPU.

    tests/bench/beside-daemon.py                     6 rounds of 9 blocks of 4 s: 6 minutes
"""
import argparse
import importlib.util
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time


def load(name):
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), pathlib.Path(__file__).with_name(name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


beside, clients = load("beside-cyclictest"), load("clients")

ROUND = ("off", "off", "on", "clients", "cyclictest", "clients", "on", "off", "off")
FRAMES, PERIOD_US = 128, 2667
CYCLICTEST = ROUND.index("cyclictest")
PARTS = {"loop": "st-loop", "own stream": "st-audio"}  # by the threads' names
SETTLE_S = 2.5  # after a switch: the stream opens, helper programs start; and a second is told a little later
GOALS = {"on / off": 1.03, "clients / on": 1.02}
CPU_GOAL = 0.025  # of one CPU, with everything on


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


class Daemon:
    """sleeptuned in a folder of its own."""

    def __init__(self, program, folder, cpu, frames=FRAMES):
        self.folder, self.sock, self.conf = folder, os.path.join(folder, "sock"), os.path.join(folder, "conf")
        self.loop = f'socket: {{ path = "{self.sock}"; }}; loop: {{ cpu = {cpu}; frames = {frames}; }};'
        self.listen = f"127.0.0.1:{free_port()}"
        self.is_on = None
        self.write(True)
        with open(os.path.join(folder, "log"), "w", encoding="ascii") as log:
            self.process = subprocess.Popen([program, "-a", "-f", "-c", self.conf], stderr=log, env={**os.environ, "STATE_DIRECTORY": folder})
        self.pid = self.process.pid
        for _ in range(100):
            time.sleep(0.1)
            if os.path.exists(self.sock) and (self.status()["loop"] or {}).get("cycles"):
                return
        sys.exit(f"sleeptuned does not start: {beside.read(os.path.join(folder, 'log'))}")

    def write(self, everything):
        with open(self.conf, "w", encoding="ascii") as file:
            if everything:
                file.write(self.loop + f' audio: {{ backend = "dummy"; }}; http: {{ listen = "{self.listen}"; }};\n')
            else:
                sources = " ".join(f'{name} = "off";' for name in ("alsa", "pipewire", "jack", "pulseaudio", "sound4"))
                file.write(self.loop + f' audio: {{ backend = "none"; }}; history: {{ enabled = "off"; }}; observe: {{ {sources} }};\n')
        self.is_on = everything

    def switch(self, everything):
        if everything != self.is_on:
            self.write(everything)
            self.process.send_signal(signal.SIGHUP)

    def status(self):
        return json.loads(clients.get(self.sock, "/v1/status"))

    def pids(self):
        """The daemon and its helper programs."""
        found = [self.pid]
        for tid in os.listdir(f"/proc/{self.pid}/task"):
            found += [int(child) for child in beside.read(f"/proc/{self.pid}/task/{tid}/children").split()]
        return found

    def cpu_ns(self):
        total = 0
        for pid in self.pids():
            try:
                total += time.clock_gettime_ns(((~pid) << 3) | 2)  # the CPU-time clock of that process (clock_getcpuclockid)
            except OSError:
                pass  # it ended meanwhile
        return total

    def parts_ns(self):
        """CPU time of the threads of PARTS."""
        threads = beside.tasks(self.pid).values()
        return {part: sum(ns for thread, ns in threads if thread == name) for part, name in PARTS.items()}

    def end(self):
        self.process.terminate()
        return self.process.wait()


class Cyclictest:
    """On another CPU, while the loop runs on its own."""

    def __init__(self, seconds):
        self.program = beside.Program("cyclictest", "", min(os.sched_getaffinity(0)))
        self.program.start(PERIOD_US, int(SETTLE_S + seconds + 2), None, False)

    def look(self):
        return self.program.look()

    def end(self):
        self.program.process.kill()
        self.program.process.wait()


def block(daemon, kind, seconds):
    daemon.switch(kind in ("on", "clients"))
    busy = clients.Clients(daemon.sock, "/v1/status", 10, 10) if kind == "clients" else None
    cyclictest = Cyclictest(seconds) if kind == "cyclictest" else None
    time.sleep(SETTLE_S)
    first = cyclictest.look() if cyclictest else None
    began, cpu_ns, parts_ns = time.monotonic_ns(), daemon.cpu_ns(), daemon.parts_ns()
    time.sleep(seconds)
    took_ns = time.monotonic_ns() - began
    share = (daemon.cpu_ns() - cpu_ns) / took_ns
    parts = {part: (ns - parts_ns[part]) / took_ns for part, ns in daemon.parts_ns().items()}
    if cyclictest:
        last = cyclictest.look()
        parts["cyclictest"], parts["cyclictest, its cycles alone"] = ((last[i] - first[i]) / 1e9 / (last[0] - first[0]) for i in (2, 1))
        cyclictest.end()
    if busy:
        busy.end()
    status = daemon.status()
    looked, sources = status["seconds"] or [], status["observe"]
    known = {name: [s[name] for s in looked[-seconds - 1:-1] if s[name] is not None] for name in ("median_ns", "max_ns")}
    if not known["median_ns"]:
        sys.exit("no second of the block was measured")
    return {"kind": kind, "median": beside.math.exp(sum(map(beside.math.log, known["median_ns"])) / len(known["median_ns"])),
            "latest": sorted(known["max_ns"])[len(known["max_ns"]) // 2], "cpu_share": share, "parts": parts,
            "watching": [source["source"] for source in sources if source["state"] == "watching"],
            "answers": busy.answers if busy else 0, "failed": busy.failed if busy else 0}


def ratios(rounds, key, over, under):
    """Of the geometric means of two sets of blocks, round by round."""
    def mean(blocks, which):
        return beside.math.exp(sum(beside.math.log(blocks[i][key]) for i in which) / len(which))
    return beside.interval([mean(r, over) / mean(r, under) for r in rounds])


def places(kind):
    return [i for i, k in enumerate(ROUND) if k == kind]


def shares(rounds, kind, part=None):
    blocks = [b for r in rounds for b in r if b["kind"] == kind]
    values = sorted(b["parts"][part] if part else b["cpu_share"] for b in blocks)
    return {"median": round(values[len(values) // 2], 5), "least": round(values[0], 5), "most": round(values[-1], 5), "n": len(values)}


def verdict(found, goal):
    low, high = found["ci95"] or (0, float("inf"))
    return "shown" if high <= goal else "missed" if low > goal else "open"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sleeptuned", default="build/daemon/sleeptuned")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=int, default=4, help="that count of each block")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        sys.exit("beside-daemon.py: needs two CPUs")
    with tempfile.TemporaryDirectory() as folder:
        daemon = Daemon(args.sleeptuned, folder, cpus[-1])
        try:
            os.sched_setaffinity(0, cpus[:-1])
            status = daemon.status()
            rounds = []
            for i in range(args.rounds):
                rounds.append([block(daemon, kind, args.seconds) for kind in ROUND])
                print(f"round {i + 1} of {args.rounds}: " + " ".join(f"{b['kind']} {b['median'] / 1000:.1f}" for b in rounds[-1]) +
                      " us", file=sys.stderr)
        finally:
            daemon.end()
    outer, inner = [0, 8], [1, 7]
    off, on, busy = places("off"), places("on"), places("clients")
    pairs = {"off / off": (outer, inner), "on / off": (on, off), "clients / on": (busy, on), "clients / off": (busy, off)}
    result = {"schema": "sleeptune-beside-daemon/1", "kernel": " ".join(os.uname()[2:4]), "load_average": os.getloadavg(),
              "policy": status["loop"]["conditions"]["policy"], "frames": FRAMES, "rate_hz": 48000, "seconds_of_a_block": args.seconds,
              "watching": rounds[-1][places("on")[-1]]["watching"],
              "answers": sum(b["answers"] for r in rounds for b in r), "failed": sum(b["failed"] for r in rounds for b in r),
              "median_lateness": {name: ratios(rounds, "median", *which) for name, which in pairs.items()},
              "latest_of_a_second": {name: ratios(rounds, "latest", *which) for name, which in pairs.items()},
              "cpu_share": {kind: shares(rounds, kind) for kind in ("off", "on", "clients")} |
                           {f"{kind}: {part}": shares(rounds, kind, part) for kind, part in
                            (("on", "loop"), ("on", "own stream"), ("cyclictest", "loop"), ("cyclictest", "cyclictest"),
                             ("cyclictest", "cyclictest, its cycles alone"))},
              "cycle_to_cyclictest": beside.interval([r[CYCLICTEST]["parts"]["loop"] / r[CYCLICTEST]["parts"]["cyclictest, its cycles alone"]
                                                      for r in rounds]),
              "off_median_ns": round(sum(r[i]["median"] for r in rounds for i in off) / (len(off) * len(rounds)))}
    result["verdicts"] = {name: verdict(result["median_lateness"][name], goal) for name, goal in GOALS.items()}
    result["quiet_enough"] = abs(result["median_lateness"]["off / off"]["ratio"] - 1) <= 0.03
    if args.json:
        print(json.dumps(result, indent=2))
        return
    print(f"128 frames at 48 kHz, policy {result['policy']}, load average {result['load_average'][0]:.1f}; observed: "
          f"{', '.join(result['watching']) or 'no sound server is here'}; off: median lateness {result['off_median_ns'] / 1000:.1f} us")
    for key, words in (("median_lateness", "median lateness"), ("latest_of_a_second", "latest of a second")):
        for name, found in result[key].items():
            goal = f" (goal {GOALS[name]}: {result['verdicts'][name]})" if key == "median_lateness" and name in GOALS else ""
            print(f"  {words}, {name}: {found['ratio']:.3f} {found['ci95']}, n = {found['n']}{goal}")
    for kind, found in result["cpu_share"].items():
        print(f"  CPU, {kind}: {found['median']:.2%} of one CPU ({found['least']:.2%} .. {found['most']:.2%}), n = {found['n']}" +
              (f" (goal {CPU_GOAL:.1%})" if kind == "on" else ""))
    found = result["cycle_to_cyclictest"]
    print(f"  CPU, the loop's thread to cyclictest's beside it: {found['ratio']:.3f} {found['ci95']}, n = {found['n']}")
    print(f"  clients: {result['answers']} answers, {result['failed']} failed; quiet enough by off / off: "
          f"{'yes' if result['quiet_enough'] else 'no'}")


if __name__ == "__main__":
    main()
