#!/usr/bin/env python3
"""What clients cost the loop: its lateness while ten of them poll ten times a second, beside its lateness in peace.

One daemon runs all the time. Quiet blocks (A) and blocks with clients (B) take turns, ABBA, so that a slow change of the machine
is in both. Of each block the medians and maxima of its whole seconds are taken from "seconds" of /v1/status, asked once after it. Ratios are
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
import socket
import subprocess
import sys
import tempfile
import threading
import time

spec = importlib.util.spec_from_file_location("beside", pathlib.Path(__file__).with_name("beside-cyclictest.py"))
beside = importlib.util.module_from_spec(spec)
spec.loader.exec_module(beside)

GOAL = 1.02  # of the median lateness


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


def block(sock, args, clients):
    """[median lateness of each whole second in a block]; how many answers the clients had."""
    busy = Clients(sock, args.path, args.clients, args.rate) if clients else None
    time.sleep(args.seconds + 2.5)  # the first and the last second are not wholly in it, and a second is told a little later
    if busy:
        busy.end()
    seconds = json.loads(get(sock, "/v1/status"))["seconds"]
    medians = [s["median_ns"] for s in seconds[-args.seconds - 1:-1] if s["median_ns"] is not None]
    latest = [s["max_ns"] for s in seconds[-args.seconds - 1:-1] if s["max_ns"] is not None]
    return {"median": sum(medians) / len(medians), "latest": sorted(latest)[len(latest) // 2],
            "answers": busy.answers if busy else 0, "failed": busy.failed if busy else 0}


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
    for key in ("median", "latest"):
        result[key] = beside.interval([(r[1][key] * r[2][key] / (r[0][key] * r[3][key])) ** 0.5 for r in rounds])
        result[key + "_a_a"] = beside.interval([r[3][key] / r[0][key] for r in rounds])
    result["quiet_median_ns"] = round(sum(r[0]["median"] + r[3]["median"] for r in rounds) / (2 * args.rounds))
    high = (result["median"]["ci95"] or [0, float("inf")])[1]
    result["verdict"] = "shown" if high <= GOAL else "missed" if (result["median"]["ci95"] or [0])[0] > GOAL else "open"
    if args.json:
        print(json.dumps(result, indent=2))
        return
    print(f"{args.clients} clients on {args.path}: {result['answers']} answers, {result['failed']} failed; "
          f"{result['seconds_of_each']} s with and as many without, median {result['quiet_median_ns'] / 1000:.1f} us when quiet")
    for key, words in (("median", "median lateness"), ("latest", "latest of a second")):
        for name, label in ((key, "with / without"), (key + "_a_a", "without / without")):
            found = result[name]
            print(f"  {words}, {label}: {found['ratio']:.3f} {found['ci95']}, n = {found['n']}")
    print(f"  at most {GOAL} on the median: {result['verdict']}")


if __name__ == "__main__":
    main()
