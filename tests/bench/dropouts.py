#!/usr/bin/env python3
"""Are PipeWire's dropouts charged to the right client, for the right reason?

Starts a PipeWire server with a null sink, two clients that write down their own times for each cycle (tests/integration/stall_pipewire.c),
and sleeptune-observe-pipewire; one client, "bad", is made to miss cycles in one way after the other, the other one, "good", computes 10 %
of the period all the time. What the observer printed is compared with what the clients wrote:

    client %   of the cycles that were reported as not ready: bad's
    reason %   of bad's: those with the right reason
    missed     cycles that bad did not finish in time, by its own clock; reported: lost cycles, by the observer
    accused    cycles that were reported of a client beyond those that it did not finish, by its own clock, while the observer ran
    server     cycles that PipeWire itself began or ended too late, so that no client is to blame
    slowed     (JSON) cycles in which bad, or its thread, got no CPU for a fifth of the time that it computes, where nothing here takes it
    busy %     bad's median busy time in the load lines against its own: the difference

In "waited" they are two filters, one after the other: good misses cycles because bad takes 85 % of the period before it, in "waited-again"
because bad takes 2.9 periods (cycles in which good has no input are not reported of it). In "async", "async-150" and "async-frozen" (PipeWire 1.2
and later) bad is an asynchronous node, which the server does not wait for; only in "async" it is ready in time. In "exits" bad ends in a cycle
that it has missed, again and again: that is no dropout. In "pages" bad reads a mapped file that is on the disk only; nothing is in swap. In
"sleeps" it sleeps in its cycle, in "helped" it waits for a thread of its own that computes. In "crowded" good shares bad's CPU at a lower
priority, and misses cycles because bad has it: bad is the culprit, by its client's name.

With --one-cpu all of them share one CPU. Where the server cannot run while bad computes, it counts fewer cycles than bad misses.

    tests/bench/dropouts.py --build build --dropouts 300                  an hour; needs root or a right to real-time priority of 95
    tests/bench/dropouts.py --frames 256 --scenarios heavy-150,frozen --dropouts 20
"""
import argparse
import collections
import contextlib
import json
import math
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

RATE = 48000
TAKEN = 2.2  # periods for which a client is stopped or has no CPU: whenever that begins, one cycle is missed
SCENARIOS = {  # right reason; BASE and PEAK of stall_pipewire, on which CPU it is: free, or the last
    "heavy-110": ("too-slow", 10, 110, False),
    "heavy-150": ("too-slow", 10, 150, False),
    "heavy-300": ("too-slow", 10, 300, False),
    "frozen": ("stopped", 10, 10, False),
    "hogged": ("cpu-taken", 10, 10, True),
    "by-itself": ("cpu-taken-by-itself", 10, 150, True),
}
MORE = {  # not by default
    "waited": ("waited-for-other", 10, 85, False),
    "waited-again": ("waited-for-other", 10, 290, False),
    "async": (None, 60, 60, False),
    "async-150": ("too-slow", 10, 150, False),
    "async-frozen": ("stopped", 10, 10, False),
    "exits": (None, 10, 350, False),
    "pages": ("swapped-out", 10, 150, False),
    "sleeps": ("blocked", 10, 150, False),
    "helped": ("too-slow", 10, 150, False),
    "crowded": ("cpu-taken", 10, 150, True),
}
MODES = {"by-itself": "self", "waited": "filter", "waited-again": "filter", "exits": "exits", "pages": "pages", "sleeps": "sleeps", "helped": "helped"}
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path={0}/bus</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/></policy></busconfig>"""
SINK = "{{ factory.name={} node.name=nul media.class=Audio/Sink object.linger=true audio.position=[FL FR] }}"


class Server:
    """A session bus, PipeWire, WirePlumber and a sink, in a folder. card: the sink's ALSA device; "": it is a null sink. priority: in real time, of the
    server and its clients; 0: as installed."""

    def __init__(self, folder, card="", priority=0):
        own = pathlib.Path(folder, ".config/pipewire")
        for file in pathlib.Path("/usr/share/pipewire").glob("*.conf") if priority else ():
            own.mkdir(parents=True, exist_ok=True)
            (own / file.name).write_text(re.sub(r"#?rt\.prio *= *\d+", f"rt.prio = {priority}", file.read_text(encoding="utf-8")), encoding="utf-8")
        self.folder, self.started, self.runs = folder, [], False
        self.sink = SINK.format(f"api.alsa.pcm.sink api.alsa.path=\"{card}\"" if card else "support.null-audio-sink")
        self.env = {**os.environ, "HOME": folder, "XDG_RUNTIME_DIR": folder, "PIPEWIRE_REMOTE": f"{folder}/pipewire-0",
                    "DBUS_SESSION_BUS_ADDRESS": f"unix:path={folder}/bus"}
        pathlib.Path(folder, "bus.conf").write_text(BUS.format(folder), encoding="ascii")
        self.log = open(f"{folder}/log", "w", encoding="utf-8")

    def begin(self):
        folder = self.folder
        self.start("dbus-daemon", f"--config-file={folder}/bus.conf", "--nofork", "--nopidfile")
        self.wait(lambda: os.path.exists(f"{folder}/bus"))
        self.start("pipewire")
        self.wait(lambda: self.run("pw-cli", "info", "0"))
        self.start("wireplumber")
        manager = self.started[-1]
        self.run("pw-cli", "create-node", "adapter", self.sink)
        self.wait(lambda: "node.name" in self.run("pw-cli", "info", "nul"))
        # it makes these, or has ended: it needs /run/systemd
        self.wait(lambda: manager.poll() is not None or "Found" in self.run("pw-metadata", "-n", "default"))
        if manager.poll() is not None:
            self.no_server("wireplumber has ended: ")
        self.runs = True

    def start(self, *command):
        self.started.append(subprocess.Popen(command, env=self.env, stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL))

    def run(self, *command):
        done = subprocess.run(command, env=self.env, capture_output=True, text=True, check=False)
        return done.stdout if done.returncode == 0 else ""

    def wait(self, there):
        for _ in range(300):
            if there():
                return
            time.sleep(0.1)
        self.no_server("waited 30 s: " if self.runs else "no server: ")

    def no_server(self, why):
        """Status 77 skips a test, so it is only for where no server can run: one that ran, and where something never came, has failed."""
        print(f"dropouts.py: {why}{pathlib.Path(self.folder, 'log').read_text(encoding='utf-8').strip()[-500:]}", file=sys.stderr)
        sys.exit(1 if self.runs else 77)

    def end(self):
        for process in reversed(self.started):
            process.terminate()
            process.wait()
        self.log.close()


def read_log(path):
    """Cycles of stall_pipewire: (start, begin, end, cpu, period) in ns."""
    with open(path, encoding="ascii") as file:
        return [tuple(map(int, line.split())) for line in file]


def missed(cycles, own, stops=()):
    """How many of the server's cycles, by their start, a client had not finished when the next one began. One that was stopped within 0.3 ms of
    its own end may not have handed its data over."""
    unsure = {round(stop / 300000) + i for stop in stops for i in (-1, 0, 1)}
    ready = {start for start, begin, end, _, period in own if end <= start + period and round(end / 300000) not in unsure}
    return sum(own[0][0] < start < own[-1][0] and start not in ready for start in cycles)


def fill(starts, period):
    """The server's cycles, by their start, with those that no client was awake in."""
    filled = []
    for start in sorted(starts):
        while filled and start - filled[-1] > 1.5 * period:
            filled.append(filled[-1] + period)
        filled.append(start)
    return filled


def fields(line):
    return dict(word.split("=", 1) for word in line.split()[1:])


def median_busy(lines, client):
    loads = [fields(line) for line in lines if line.startswith("load ")]
    own = [int(load["busy_median_ns"]) for load in loads if load.get("client") == client and "busy_median_ns" in load]  # not in one without a whole cycle
    return statistics.median(own) if own else None


class Observer:
    """sleeptune-observe-pipewire and the lines that it has printed so far."""

    def __init__(self, server, build, *options, first=True):
        self.process = subprocess.Popen([f"{build}/xruns/helpers/sleeptune-observe-pipewire", *options], env=server.env, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.lines = [self.process.stdout.readline()]
        if first:  # how it judges is asked, not whether it gets a CPU beside whatever else runs; before its first line it gives way by itself
            with contextlib.suppress(PermissionError):
                os.setpriority(os.PRIO_PROCESS, self.process.pid, -20)
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stdout))
        self.reader.start()

    def dropouts(self, client):
        found = [fields(line) for line in self.lines if line.startswith(("client-dropout ", "device-dropout "))]
        return sum(int(seen.get("cycles_n", 0)) for seen in found if seen.get("client", "") == client)

    def end(self):
        self.process.stdin.close()
        self.reader.join()
        self.process.wait()


def disturb(name, bad, args, period_s, seconds):
    """What makes the scenario beside the client itself. @return when it was stopped."""
    stops = []
    end = time.monotonic() + seconds
    if name == "hogged":
        hog = subprocess.Popen([f"{args.build}/tests/integration/hog", str(os.cpu_count() - 1), "95", str(round(period_s * TAKEN * 1e6)),
                                str(round(seconds / (period_s * args.every))), str(max(1, round(period_s * args.every * 1000)))], stdout=subprocess.DEVNULL)
        hog.wait()
    while name.endswith("frozen") and time.monotonic() < end:
        time.sleep(period_s * args.every)
        stops.append(time.clock_gettime_ns(time.CLOCK_MONOTONIC))
        os.kill(bad.pid, signal.SIGSTOP)
        time.sleep(max(args.freeze_ms / 1000, TAKEN * period_s))
        os.kill(bad.pid, signal.SIGCONT)
    time.sleep(max(0, end - time.monotonic()))
    return stops


class Clients:
    """The two clients; good plays all the time."""

    def __init__(self, server, name, args):
        _, base, peak, pinned = {**SCENARIOS, **MORE}[name]
        self.server, self.name, self.args = server, name, args
        self.logs = {who: f"{server.folder}/{who}.log" for who in ("good", "bad")}
        self.base = {"good": (25, 25) if name.startswith("waited") else (10, 10), "bad": (base, peak)}
        self.cpu = os.cpu_count() - 1 if pinned else -1
        self.own = {"good": [], "bad": []}
        self.started = {}
        for who in self.logs:
            self.start(who)
        if name.startswith("waited"):
            for link in (("bad:out", "good:in"), ("good:out", "nul:playback_FL")):
                server.wait(lambda pair=link: subprocess.run(["pw-link", *pair], env=server.env, capture_output=True, check=False).returncode == 0)
        for who in self.logs:
            self.wait_for(who)

    def start(self, who):
        env = dict(self.server.env)
        if os.path.exists("/usr/share/pipewire/client-rt.conf"):  # else client.conf asks for real-time priority
            env["PIPEWIRE_CONFIG_NAME"] = "client-rt.conf"
        if self.name.startswith("async") and who == "bad":
            env["PIPEWIRE_PROPS"] = "{ node.async = true }"
        mode = MODES.get(self.name, "") if who == "bad" or self.name.startswith("waited") else ""
        command = [f"{self.args.build}/tests/integration/stall_pipewire", "0", who, *map(str, self.base[who]), str(self.args.every), self.logs[who],
                   str(self.cpu if who == "bad" or self.name == "crowded" else -1), mode]
        self.started[who] = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def wait_for(self, who):
        if self.started[who].stdout.readline() != b"playing\n":
            sys.exit(f"dropouts.py: {self.name}: {who} does not play")
        if self.name == "crowded" and who == "good":  # bad comes first
            for tid in map(int, os.listdir(f"/proc/{self.started[who].pid}/task")):
                if os.sched_getscheduler(tid) & ~os.SCHED_RESET_ON_FORK in (os.SCHED_FIFO, os.SCHED_RR):
                    os.sched_setscheduler(tid, os.SCHED_FIFO, os.sched_param(1))

    def again(self):
        """bad, after it has ended by itself."""
        self.started["bad"].wait()
        self.own["bad"] += read_log(self.logs["bad"])
        self.start("bad")
        self.wait_for("bad")

    def end(self):
        for who, process in self.started.items():
            process.stdin.close()
            process.wait()
            self.own[who] += read_log(self.logs[who])


def run(server, name, frames, args):
    right = {**SCENARIOS, **MORE}[name][0]
    victim = "good" if name in ("waited", "waited-again", "crowded") else "bad"
    period_s = frames / RATE
    seconds = max(args.seconds, args.dropouts * period_s * args.every)
    server.run("pw-metadata", "-n", "settings", "0", "clock.force-quantum", str(frames))
    clients = Clients(server, name, args)
    begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    observer = Observer(server, args.build)
    time.sleep(0.3)  # what happens before it has seen the clients' threads has no reason
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    limit = time.monotonic() + max(20, 4 * seconds)
    stops = []
    if name == "exits":
        for _ in range(args.dropouts):
            clients.again()
    else:
        stops = disturb(name, clients.started["bad"], args, period_s, seconds)
        while right and observer.dropouts(victim) < args.dropouts and time.monotonic() < limit:
            stops += disturb(name, clients.started["bad"], args, period_s, max(1, period_s * args.every))
    after = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    time.sleep(1.5)  # a report is up to a second late
    observer.end()
    clients.end()
    lines = observer.lines
    cycles = fill({c[0] for who in clients.own for c in clients.own[who] if c[0] >= begin}, period_s * 1e9)
    all_missed = {who: missed(cycles, own, stops if who == "bad" else ()) for who, own in clients.own.items()}
    cycles = [start for start in cycles if before <= start <= after + 1000000000]
    told, reasons, culprits = collections.Counter(), collections.Counter(), collections.Counter()
    for line in lines:
        if line.startswith(("client-dropout ", "device-dropout ")):
            seen = fields(line)
            n = int(seen.get("cycles_n", 0))
            told[seen.get("client", "")] += n
            if seen.get("client") == victim:
                reasons[seen.get("reason", "unknown")] += n
                culprits[seen.get("culprit", "")] += n
    _, base, peak, pinned = {**SCENARIOS, **MORE}[name]
    undisturbed = 1.2 * max(base, peak) / 100 if not pinned and name not in ("frozen", "async-frozen", "pages") else math.inf
    slowed = sum(end - start > undisturbed * period for _, start, end, _, period in clients.own["bad"])
    own_busy = statistics.median(c[2] - c[1] for c in clients.own["bad"])
    seen_busy = median_busy(lines, "bad")
    other = "bad" if victim == "good" else "good"
    server_n = told.pop("PipeWire", 0)
    all_n = sum(told.values())
    if name == "exits":
        all_missed["bad"] = 0
    return {"scenario": name, "frames": frames, "missed": missed(cycles, clients.own[victim]), "reported": told[victim], "other_missed": all_missed[other],
            "client_percent": 100 * (told[victim] + min(told[other], all_missed[other])) / all_n if all_n else 0,
            "reason_percent": 100 * reasons[right] / told[victim] if told[victim] else 0, "server": server_n, "slowed": slowed,
            "accused": sum(max(0, told[who] - all_missed[who]) for who in clients.own),
            "busy_percent": 100 * (seen_busy / own_busy - 1) if seen_busy else None, "reasons": dict(reasons), "culprits": dict(culprits)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--dropouts", type=int, default=300, help="of each scenario at each buffer size, at least; a scenario takes at most four times as long as that needs")
    parser.add_argument("--frames", default="128,256,1024")
    parser.add_argument("--scenarios", default=",".join(SCENARIOS), help=f"also {', '.join(MORE)}")
    parser.add_argument("--every", type=int, default=20, help="cycles from one dropout to the next")
    parser.add_argument("--seconds", type=float, default=11, help="at least, of each scenario: a load line comes each 10 s")
    parser.add_argument("--freeze-ms", type=float, default=60, help="length of a pause by SIGSTOP; at least 2.2 periods")
    parser.add_argument("--one-cpu", action="store_true")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if args.one_cpu:
        os.sched_setaffinity(0, {0})
    results = []
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder)
        try:
            server.begin()
            if not args.json:
                print(f"{'frames':>6} {'scenario':<10} {'missed':>6} {'reported':>8} {'client %':>8} {'reason %':>8} {'accused':>7} {'server':>6} {'busy %':>7}  reasons, culprits")
            for frames in map(int, args.frames.split(",")):
                for name in args.scenarios.split(","):
                    r = run(server, name, frames, args)
                    results.append(r)
                    if not args.json:
                        busy = "-" if r["busy_percent"] is None else f"{r['busy_percent']:+.1f}"
                        print(f"{frames:6} {name:<10} {r['missed']:6} {r['reported']:8} {r['client_percent']:8.1f} {r['reason_percent']:8.1f} "
                              f"{r['accused']:7} {r['server']:6} {busy:>7}  {r['reasons']} {r['culprits']}", flush=True)
        finally:
            server.end()
    if args.json:
        print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
