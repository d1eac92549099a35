#!/usr/bin/env python3
"""What clients cost the loop: its lateness while ten of them poll ten times a second, beside its lateness in peace.

One daemon runs all the time. Quiet blocks (A) and blocks with clients (B) take turns, ABBA, so that a slow change of the machine
is in both. The mean lateness of each block is taken from sum and count of sleeptune_lateness_seconds, asked for before and after it. Ratios are
geometric means over the pairs of blocks with their 95 % interval (Student's t). A beside A, the two A of each ABBA, comes with it:
where that is not 1 +- 0.03, the machine is too noisy to say much.

The clients are threads of this program, kept on the CPUs that are not the loop's: a real one is on another machine, or another CPU.

    tests/bench/clients.py --rounds 10 --seconds 5 --path /v1/status     5 minutes; also /metrics
"""
import argparse
import http.client
import importlib.util
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

spec = importlib.util.spec_from_file_location("beside", pathlib.Path(__file__).with_name("beside-cyclictest.py"))
beside = importlib.util.module_from_spec(spec)
spec.loader.exec_module(beside)

GOAL = 1.02  # of the mean lateness


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=10)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(10)
        self.sock.connect(self.path)


def get(sock, path):
    connection = Connection(sock)
    connection.request("GET", path)
    body = connection.getresponse().read()
    connection.close()
    return body


class Clients:
    """Poll one path, each with a connection of its own for each question."""

    def __init__(self, sock, path, count, rate_hz):
        self.answers, self.failed, self.ending = 0, 0, threading.Event()
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.run, args=(sock, path, i / (count * rate_hz), 1 / rate_hz)) for i in range(count)]
        for thread in self.threads:
            thread.start()

    def run(self, sock, path, offset_s, every_s):
        begin = time.monotonic() + offset_s
        n = 0
        while not self.ending.wait(max(0, begin + n * every_s - time.monotonic())):
            n += 1
            try:
                get(sock, path)
                good = True
            except OSError:
                good = False
            with self.lock:
                self.answers += good
                self.failed += not good

    def end(self):
        self.ending.set()
        for thread in self.threads:
            thread.join()


def lateness(sock):
    """Sum and count of all periods up to now."""
    return [float(re.search(rf"(?m)^sleeptune_lateness_seconds_{what} (\S+)", get(sock, "/metrics").decode())[1]) for what in ("sum", "count")]


def block(sock, args, clients):
    """The mean lateness in a block, ns; how many answers the clients had."""
    busy = Clients(sock, args.path, args.clients, args.rate) if clients else None
    time.sleep(0.5)
    before = lateness(sock)
    time.sleep(args.seconds)
    after = lateness(sock)
    if busy:
        busy.end()
    return {"mean": 1e9 * (after[0] - before[0]) / (after[1] - before[1]), "answers": busy.answers if busy else 0, "failed": busy.failed if busy else 0}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sleeptuned", default="build/daemon/sleeptuned")
    parser.add_argument("--path", default="/v1/status")
    parser.add_argument("--clients", type=int, default=10)
    parser.add_argument("--rate", type=float, default=10, help="questions a second of each client")
    parser.add_argument("--rounds", type=int, default=10, help="of ABBA")
    parser.add_argument("--seconds", type=int, default=5, help="that count of each block")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        sys.exit("clients.py: needs two CPUs")
    with tempfile.TemporaryDirectory() as folder:
        sock, conf = os.path.join(folder, "sock"), os.path.join(folder, "conf")
        with open(conf, "w", encoding="ascii") as file:
            file.write(f'socket: {{ path = "{sock}"; }}; audio: {{ backend = "none"; }}; loop: {{ cpu = {cpus[-1]}; }};\n')
        with open(os.path.join(folder, "log"), "w", encoding="ascii") as log:
            daemon = subprocess.Popen([args.sleeptuned, "-a", "-f", "-c", conf], stderr=log, env={**os.environ, "STATE_DIRECTORY": folder})
        try:
            os.sched_setaffinity(0, cpus[:-1])
            time.sleep(3)
            rounds = [[block(sock, args, clients) for clients in (False, True, True, False)] for _ in range(args.rounds)]
        finally:
            daemon.terminate()
            daemon.wait()
    result = {"path": args.path, "clients": args.clients, "rate_hz": args.rate, "seconds_of_each": args.seconds * 2 * args.rounds,
              "answers": sum(b["answers"] for r in rounds for b in r), "failed": sum(b["failed"] for r in rounds for b in r)}
    result["mean"] = beside.interval([(r[1]["mean"] * r[2]["mean"] / (r[0]["mean"] * r[3]["mean"])) ** 0.5 for r in rounds])
    result["mean_a_a"] = beside.interval([r[3]["mean"] / r[0]["mean"] for r in rounds])
    result["quiet_mean_ns"] = round(sum(r[0]["mean"] + r[3]["mean"] for r in rounds) / (2 * args.rounds))
    high = (result["mean"]["ci95"] or [0, float("inf")])[1]
    result["verdict"] = "shown" if high <= GOAL else "missed" if (result["mean"]["ci95"] or [0])[0] > GOAL else "open"
    if args.json:
        print(json.dumps(result, indent=2))
        return
    print(f"{args.clients} clients on {args.path}: {result['answers']} answers, {result['failed']} failed; "
          f"{result['seconds_of_each']} s with and as many without, mean {result['quiet_mean_ns'] / 1000:.1f} us when quiet")
    for name, label in (("mean", "with / without"), ("mean_a_a", "without / without")):
        print(f"  mean lateness, {label}: {result[name]['ratio']:.3f} {result[name]['ci95']}, n = {result[name]['n']}")
    print(f"  at most {GOAL} on the mean: {result['verdict']}")


if __name__ == "__main__":
    main()
