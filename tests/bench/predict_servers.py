#!/usr/bin/env python3
"""Does `sleeptune predict` tell how often a real sound server drops out?

Stalls of known lengths at random moments (tests/integration/stalls.c) take the CPU on which a sound server runs, and a run of `sleeptune
measure` at 16 frames beside it. What predict says from this run, for the server's buffer size, stands beside what the server counted.

    JACK      jackd with its dummy driver or on a card, three servers at once; xruns as sleeptune-observe-jack reports them
    PipeWire  a null sink or a card, a client that computes 10 % of the period, one size after the other; dropouts by the client's own clock

    tests/bench/predict_servers.py --build build --seconds 300        20 minutes; needs root, jackd, PipeWire and WirePlumber
    tests/bench/predict_servers.py --card hw:0                        a card that several can play on at once, such as snd-dummy's

"held" where what was counted is not above the bound, with its own exact 95 % interval. The servers need some time of each period
themselves, which predict does not know: it may be too low by that.
"""
import argparse
import importlib.util
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

spec = importlib.util.spec_from_file_location("dropouts", pathlib.Path(__file__).with_name("dropouts.py"))
dropouts = importlib.util.module_from_spec(spec)
spec.loader.exec_module(dropouts)

FRAMES = (64, 256, 1024)
CPU = "0"
EVENT_NS = 1000000000


def poisson_cdf(n, mean):
    return sum(math.exp(-mean + k * math.log(mean) - math.lgamma(k + 1)) for k in range(n + 1)) if mean > 0 else 1


def interval(n):
    """Exact 95 % interval of the mean of a Poisson count (Garwood)."""
    def solve(wanted):
        low, high = 0, 2 * n + 20
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if wanted(middle) else (low, middle)
        return low
    return (solve(lambda m: 1 - poisson_cdf(n - 1, m) < 0.025) if n else 0, solve(lambda m: poisson_cdf(n, m) > 0.025))


class Stalled:
    """The stalls, and the run at 16 frames that feels them; used with "with"."""

    def __init__(self, args, folder):
        self.file = f"{folder}/run.strec"
        self.args = args

    def __enter__(self):
        args = self.args
        self.stalls = subprocess.Popen([f"{args.build}/tests/integration/stalls", CPU, "90", str(args.mean_us), "2000", str(args.seconds), "0", str(args.seed)],
                                       stdout=subprocess.DEVNULL)
        self.run = subprocess.Popen([f"{args.build}/cli/sleeptune", "measure", "--quiet", "--cpu", CPU, "--priority", "60", "--frames", "16", "--rate", "48000",
                                     "--duration", f"{args.seconds}s", "--record", self.file], stdout=subprocess.DEVNULL)
        return self

    def __exit__(self, *_):
        self.run.wait()
        self.stalls.wait()

    def rows(self):
        done = subprocess.run([f"{self.args.build}/cli/sleeptune", "predict", self.file, "--json"], capture_output=True, text=True, check=False)
        return {row["frames"]: row for row in json.loads(done.stdout)["rows"]}


def watch_jack(args, env):
    """@return the observer, once its server runs."""
    for _ in range(60):
        observer = subprocess.Popen([f"{args.build}/xruns/helpers/sleeptune-observe-jack"], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        said = observer.stdout.readline().strip()
        if said.startswith("ready"):
            print(said, file=sys.stderr)
            return observer
        observer.stdin.close()
        observer.wait()
        time.sleep(0.5)
    sys.exit(f"predict_servers.py: {said}")


def jack(args, folder):
    """@return xruns by frames, and the rows."""
    servers, observers, counts = [], [], dict.fromkeys(FRAMES, 0)
    env = {**os.environ, "JACK_NO_AUDIO_RESERVATION": "1"}
    log = open(f"{folder}/jack.log", "w", encoding="utf-8")
    for frames in FRAMES:
        driver = ["-d", "alsa", "-P", args.card, "-n", "2"] if args.card else ["-d", "dummy"]
        servers.append(subprocess.Popen(["taskset", "-c", CPU, "jackd", "-n", f"predict{frames}", "-R", "-P", "75", *driver, "-r", str(dropouts.RATE), "-p",
                                         str(frames)], env=env, stdout=log, stderr=log))

    def read(frames, stream):
        for line in stream:
            if line.startswith("device-dropout ") and counting.is_set():
                seen = dropouts.fields(line)
                counts[frames] += int(seen["count_n"])

    counting = threading.Event()
    for frames in FRAMES:
        observer = watch_jack(args, {**env, "JACK_DEFAULT_SERVER": f"predict{frames}"})
        threading.Thread(target=read, args=(frames, observer.stdout), daemon=True).start()
        observers.append(observer)
    time.sleep(2)
    counting.set()
    with Stalled(args, folder) as stalled:
        pass
    counting.clear()
    for observer in observers:
        observer.stdin.close()
        observer.wait()
    for server in servers:
        server.send_signal(signal.SIGTERM)
        server.wait()
    log.close()
    return counts, stalled.rows()


def late_cycles(own):
    """When the client was late or had no cycle at all, in ns; own: (start, begin, end, cpu, period)."""
    late = []
    for i, (start, _, end, _, period) in enumerate(own):
        if end > start + period or (i > 0 and start - own[i - 1][0] > 1.5 * period):
            late.append(start)
    return late


def pipewire(args, folder, frames):
    """@return dropouts, and the row."""
    server = dropouts.Server(folder, args.card)
    try:
        server.begin()
        server.run("pw-metadata", "-n", "settings", "0", "clock.force-quantum", str(frames))
        env = dict(server.env)
        if os.path.exists("/usr/share/pipewire/client-rt.conf"):
            env["PIPEWIRE_CONFIG_NAME"] = "client-rt.conf"
        client = subprocess.Popen([f"{args.build}/tests/integration/stall_pipewire", "0", "good", "10", "10", "20", f"{folder}/own.log", CPU, ""], env=env,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        client.stdout.readline()
        for process in server.started[1:2]:
            subprocess.run(["taskset", "-a", "-p", "-c", CPU, str(process.pid)], check=False, stdout=subprocess.DEVNULL)
        time.sleep(2)
        begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        with Stalled(args, folder) as stalled:
            pass
        end = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        client.stdin.close()
        client.wait()
        late = [at for at in late_cycles(dropouts.read_log(f"{folder}/own.log")) if begin <= at <= end]
    finally:
        server.end()
    n = sum(i == 0 or at - late[i - 1] >= EVENT_NS for i, at in enumerate(late))
    return n, stalled.rows()[frames]


def show(name, frames, n, row, seconds):
    hours = seconds / 3600
    low, high = (x / hours for x in interval(n))
    verdict = "held" if low <= row["at_most_per_hour"] else "NOT held"
    print(f"| {name} | {frames} | {n} | {n / hours:.0f} [{low:.0f} .. {high:.0f}] | {row['per_hour']:.0f} | {row['at_most_per_hour']:.0f} | {verdict} |", flush=True)
    return verdict == "held"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--mean-us", type=int, default=10000, help="of the stalls' lengths")
    parser.add_argument("--seed", type=int, default=os.getpid(), help="of the stalls")
    parser.add_argument("--servers", default="jack,pipewire")
    parser.add_argument("--card", default="", help="an ALSA device (default: JACK's dummy driver and PipeWire's null sink)")
    args = parser.parse_args()
    print("| server | frames | dropouts | per hour, counted | per hour, predicted | at most | |\n|---|---|---|---|---|---|---|")
    held = True
    with tempfile.TemporaryDirectory() as folder:
        if "jack" in args.servers.split(","):
            counts, rows = jack(args, folder)
            for frames in FRAMES:
                held &= show("JACK", frames, counts[frames], rows[frames], args.seconds)
    if "pipewire" in args.servers.split(","):
        for frames in FRAMES:
            with tempfile.TemporaryDirectory() as folder:
                n, row = pipewire(args, folder, frames)
                held &= show("PipeWire", frames, n, row, args.seconds)
    sys.exit(0 if held else 1)


if __name__ == "__main__":
    main()
