#!/usr/bin/env python3
"""Does sleeptune itself make dropouts? Music on one full CPU, with and without the observer.

Everything runs on one CPU and without the right to real-time priority: PipeWire, WirePlumber, clients that compute a part of each period,
one program for which that CPU is never enough, and in the blocks "on" sleeptuned with its helper programs, `sleeptune status` every
5 s and one `sleeptune report`. Blocks take turns in rounds of four, off on on off, then on off off on, and so on.

A dropout is a cycle of the server in which a client was not ready when the next one began, or that did not take place because the
server came too late. That is counted from the clients' own clocks, which run in all blocks; sleeptune has no part in it.

Of each round: d, the dropouts a minute "on" less those "off", and the same of its two "off" blocks (A/A, with the sign turned in every other round).
Upper 95 % bounds over n rounds: of the difference mean(d) + t s(d) / sqrt(n), t the 95 % quantile of Student's distribution with n - 1 degrees; of the
ratio the largest R for which mean(on - R off) + t s(on - R off) / sqrt(n) >= 0 (Fieller 1954). It passes with a ratio of at most 1.1 or a
difference of at most 1 a minute.

    tests/bench/observer-beside.py --build build                12 rounds of 4 blocks of 20 s: 20 minutes
"""
import argparse
import bisect
import importlib.util
import json
import math
import os
import pathlib
import pwd
import resource
import subprocess
import sys
import tempfile
import time

spec = importlib.util.spec_from_file_location("dropouts", pathlib.Path(__file__).with_name("dropouts.py"))
dropouts = importlib.util.module_from_spec(spec)
spec.loader.exec_module(dropouts)

T95 = [6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812, 1.796, 1.782, 1.771, 1.761, 1.753, 1.746, 1.740, 1.734, 1.729,
       1.725, 1.721, 1.717, 1.714, 1.711, 1.708, 1.706, 1.703, 1.701, 1.699, 1.697]
ORDERS = ("off on on off".split(), "on off off on".split())
SETTLE_S = 5  # the daemon starts, or what it did ends
RATIO, A_MINUTE = 1.1, 1.0


def upper(values):
    """95 % bound of the mean."""
    n = len(values)
    mean = sum(values) / n
    sd = math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1))
    return mean + T95[min(n - 2, len(T95) - 1)] * sd / math.sqrt(n)


def upper_ratio(pairs):
    """95 % bound of sum(on) / sum(off), or infinity."""
    low, high = 0.0, 1000.0
    if sum(off for _, off in pairs) == 0 or upper([on - high * off for on, off in pairs]) >= 0:
        return math.inf
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if upper([on - middle * off for on, off in pairs]) >= 0 else (low, middle)
    return high


def compare(pairs):
    """Of (on, off), dropouts a minute."""
    on, off = (sum(pair[i] for pair in pairs) / len(pairs) for i in (0, 1))
    return {"n": len(pairs), "with": on, "without": off, "difference": on - off, "difference_upper": upper([a - b for a, b in pairs]),
            "ratio": on / off if off > 0 else None, "ratio_upper": upper_ratio(pairs)}


def become_nobody():
    """No user's rights, limits or group."""
    if os.getuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.setgroups([])
        os.setgid(nobody.pw_gid)
        os.setuid(nobody.pw_uid)
    resource.setrlimit(resource.RLIMIT_RTPRIO, (0, 0))
    resource.setrlimit(resource.RLIMIT_NICE, (0, 0))


class Observer:
    """sleeptuned, and what a user asks."""

    def __init__(self, server, args):
        self.args, self.server, self.sock = args, server, f"{server.folder}/sock"
        conf = pathlib.Path(server.folder, "conf")
        conf.write_text(f'socket: {{ path = "{self.sock}"; }};\n', encoding="ascii")
        env = {**server.env, "STATE_DIRECTORY": server.folder, "SLEEPTUNE_OBSERVE_DIR": f"{args.build}/xruns/helpers"}
        self.process = subprocess.Popen([f"{args.build}/daemon/sleeptuned", "-f", "-c", conf], env=env, stdin=subprocess.DEVNULL,
                                        stdout=server.log, stderr=server.log)

    def ask(self, seconds):
        asked, end, answers = 0, time.monotonic() + seconds, 0
        while time.monotonic() < end:
            command = ["report"] if asked == 1 else ["status", "--socket", self.sock]
            done = subprocess.run([f"{self.args.build}/cli/sleeptune", *command], env=self.server.env, stdin=subprocess.DEVNULL,
                                  capture_output=True, check=False)
            answers += done.returncode in (0, 1)
            asked += 1
            time.sleep(max(0, min(5, end - time.monotonic())))
        return asked, answers

    def watched(self):
        done = subprocess.run([f"{self.args.build}/cli/sleeptune", "status", "--socket", self.sock, "--json"], env=self.server.env,
                              capture_output=True, text=True, check=False)
        sources = json.loads(done.stdout)["observe"] if done.stdout else []
        return any(s["source"] == "pipewire" and s["state"] == "watching" for s in sources)

    def end(self):
        self.process.terminate()
        self.process.wait()


def block(server, kind, args):
    """@return (kind, begin and end in ns, whether sleeptuned watched PipeWire then)."""
    observer, watched = Observer(server, args) if kind == "on" else None, True
    time.sleep(SETTLE_S)
    begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    asked = observer.ask(args.seconds) if observer else None
    time.sleep(max(0, args.seconds - (time.clock_gettime_ns(time.CLOCK_MONOTONIC) - begin) / 1e9))
    end = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    if observer:
        watched = observer.watched()
        observer.end()
        print(f"on: {asked[1]} of {asked[0]} answers, PipeWire {'watched' if watched else 'NOT WATCHED'}; load average {os.getloadavg()[0]:.1f}",
              file=sys.stderr, flush=True)
    return kind, begin, end, watched


def count(clients, blocks, period):
    """(kind, dropouts a minute) of each block."""
    cycles = dropouts.fill({c[0] for own in clients for c in own}, period)
    ready = [{start for start, _, end, _, _ in own if end <= start + period} for own in clients]
    lost = [start for start in cycles if not all(start in own for own in ready)]
    return [(kind, (bisect.bisect(lost, end) - bisect.bisect(lost, begin)) * 60e9 / (end - begin)) for kind, begin, end, _ in blocks]


def pairs_of(rates):
    """(on, off) and (off, off) of each round."""
    found, null = [], []
    for i in range(0, len(rates), 4):
        on, off = ([rate for kind, rate in rates[i:i + 4] if kind == wanted] for wanted in ("on", "off"))
        found.append((sum(on) / 2, sum(off) / 2))
        null.append(tuple(off if i % 8 == 0 else off[::-1]))
    return found, null


def run(args):
    period = args.frames / dropouts.RATE * 1e9
    with tempfile.TemporaryDirectory() as folder:
        server = dropouts.Server(folder)
        started = []
        try:
            server.begin()
            server.run("pw-metadata", "-n", "settings", "0", "clock.force-quantum", str(args.frames))
            logs = [f"{folder}/client-{i}.log" for i in range(args.clients)]
            for i, log in enumerate(logs):
                started.append(subprocess.Popen([f"{args.build}/tests/integration/stall_pipewire", "0", f"client {i}", str(args.percent),
                                                 str(args.percent), "20", log], env=server.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
            for client in started:
                client.stdout.readline()
            hog = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            try:
                blocks = [block(server, kind, args) for i in range(args.rounds) for kind in ORDERS[i % 2]]
            finally:
                hog.kill()
                hog.wait()
            for client in started:
                client.stdin.close()
                client.wait()
            return count([dropouts.read_log(log) for log in logs], blocks, period), all(watched for *_, watched in blocks)
        finally:
            for client in started:
                client.kill()
            server.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=20, help="that count of each block")
    parser.add_argument("--frames", type=int, default=256)
    parser.add_argument("--clients", type=int, default=2)
    parser.add_argument("--percent", type=int, default=10, help="of the period that each client computes")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    args.build = os.path.abspath(args.build)
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    become_nobody()
    rates, watched = run(args)
    result = {name: compare(pairs) for name, pairs in zip(("with_without", "without_without"), pairs_of(rates))}
    found = result["with_without"]
    result["watched"] = watched
    result["good"] = watched and (found["ratio_upper"] <= RATIO or found["difference_upper"] <= A_MINUTE)
    result["blocks"] = rates
    if args.json:
        print(json.dumps(result, indent=2))
    else:
        print("dropouts a minute, block by block: " + " ".join(f"{kind} {rate:.0f}" for kind, rate in rates))
        for name in ("with_without", "without_without"):
            r = result[name]
            ratio = "-" if r["ratio"] is None else f"{r['ratio']:.3f}"
            print(f"{name.replace('_', ' / ')}: {r['with']:.1f} and {r['without']:.1f} a minute, difference {r['difference']:+.2f} (at most "
                  f"{r['difference_upper']:+.2f}), ratio {ratio} (at most {r['ratio_upper']:.3f}); n = {r['n']} rounds")
        print("the observer makes no dropouts: " + ("shown" if result["good"] else "not shown"))
    return 0 if result["good"] else 1


if __name__ == "__main__":
    sys.exit(main())
