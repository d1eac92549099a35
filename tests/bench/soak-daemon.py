#!/usr/bin/env python3
"""sleeptuned with everything on for a while: does its memory grow, what CPU time does it use?

On: the loop at 128 frames and 48 kHz, an own stream (Dummy), the history, observers of every sound server that is there, a TCP
listener that is scraped every 5 s as Prometheus does, one page that polls each 2 s; tracing off. Every 10 s: resident memory, swap, CPU
time, of the daemon and of its helper programs apart. Memory is locked when touched (MLOCK_ONFAULT): what is resident is locked or
could be dropped. Pages come in as they are first used: the first five minutes are told but not counted (--warm-up). The slope comes from the means of 8 equal stretches, by least squares
with Student's t, since neighbouring samples hardly differ; the CPU share is the mean of the stretches.

    tests/bench/soak-daemon.py --minutes 30 --csv FILE
"""
import argparse
import importlib.util
import json
import math
import os
import pathlib
import shutil
import sys
import tempfile
import threading
import time
import urllib.request

spec = importlib.util.spec_from_file_location("beside_daemon", pathlib.Path(__file__).with_name("beside-daemon.py"))
bench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench)

EVERY_S, SCRAPE_S, STRETCHES = 10, 5, 8
RSS_GOAL_MB, CPU_GOAL = 24, bench.CPU_GOAL


def memory_kib(pid):
    """(resident, swapped) of a process; 0 when it has ended."""
    try:
        lines = dict(line.split(":", 1) for line in bench.beside.read(f"/proc/{pid}/status").splitlines() if ":" in line)
        return tuple(int(lines[key].split()[0]) for key in ("VmRSS", "VmSwap"))
    except (OSError, KeyError):
        return 0, 0


def cpu_ns(pid):
    return time.clock_gettime_ns(((~pid) << 3) | 2)  # clock_getcpuclockid


def sample(daemon, began):
    rss, swap = memory_kib(daemon.pid)
    helpers = [pid for pid in daemon.pids() if pid != daemon.pid]
    return {"s": time.monotonic() - began, "rss_kib": rss, "swap_kib": swap, "cpu_ns": cpu_ns(daemon.pid),
            "helpers_rss_kib": sum(memory_kib(pid)[0] for pid in helpers), "helpers_n": len(helpers)}


def scrape(daemon, ending, counts):
    while not ending.wait(SCRAPE_S):
        try:
            with urllib.request.urlopen(f"http://{daemon.listen}/metrics", timeout=10) as answer:
                counts["scrapes"] += b"sleeptune_cycles_total" in answer.read()
        except OSError:
            counts["failed"] += 1


def mean_ci(values):
    n = len(values)
    mean = sum(values) / n
    sd = math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1))
    reach = bench.beside.T975[n - 2] * sd / math.sqrt(n)
    return mean, [mean - reach, mean + reach]


def slope_ci(x, y):
    n = len(x)
    mx, my = sum(x) / n, sum(y) / n
    sxx = sum((v - mx) ** 2 for v in x)
    slope = sum((a - mx) * (b - my) for a, b in zip(x, y)) / sxx
    rest = sum((b - my - slope * (a - mx)) ** 2 for a, b in zip(x, y))
    reach = bench.beside.T975[n - 3] * math.sqrt(rest / (n - 2) / sxx)
    return slope, [slope - reach, slope + reach]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sleeptuned", default="build/daemon/sleeptuned")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--warm-up", type=float, default=5, help="minutes of it")
    parser.add_argument("--history", help="begin with this file (make_history): SQLite's cache of pages, 512 kB, is full at once, not after hours")
    parser.add_argument("--csv", help="all samples")
    args = parser.parse_args()
    least = args.warm_up + STRETCHES * 2 * EVERY_S / 60
    if args.minutes < least:
        parser.error(f"at least {least:.1f} minutes")
    samples, counts, ending = [], {"scrapes": 0, "failed": 0}, threading.Event()
    loads = [os.getloadavg()[0]]
    with tempfile.TemporaryDirectory() as folder:
        if args.history:
            shutil.copy(args.history, os.path.join(folder, "history.db"))
        daemon = bench.Daemon(args.sleeptuned, folder, -1)
        began = time.monotonic()
        threads = [threading.Thread(target=scrape, args=(daemon, ending, counts))]
        threads[0].start()
        page = bench.clients.Clients(daemon.sock, "/", 1, 0.5)
        try:
            while time.monotonic() - began < args.minutes * 60:
                samples.append(sample(daemon, began))
                time.sleep(max(0, began + len(samples) * EVERY_S - time.monotonic()))
            samples.append(sample(daemon, began))
            loads.append(os.getloadavg()[0])
            status = daemon.status()
        finally:
            ending.set()
            page.ending.set()
            daemon.end()
            for thread in threads + page.threads:
                thread.join()
    if args.csv:
        with open(args.csv, "w", encoding="ascii") as file:
            file.write(",".join(samples[0]) + "\n")
            file.writelines(",".join(str(v) for v in s.values()) + "\n" for s in samples)
    counted = [s for s in samples if s["s"] >= args.warm_up * 60]
    size = (len(counted) - 1) // STRETCHES
    stretches = [counted[i * size:(i + 1) * size + 1] for i in range(STRETCHES)]
    shares = [(s[-1]["cpu_ns"] - s[0]["cpu_ns"]) / 1e9 / (s[-1]["s"] - s[0]["s"]) for s in stretches]
    share, share_ci = mean_ci(shares)
    slope, ci = slope_ci([sum(s["s"] for s in part) / len(part) / 3600 for part in stretches],
                         [sum(s["rss_kib"] for s in part) / len(part) for part in stretches])
    most = max(s["rss_kib"] for s in samples)
    loop = status["loop"]
    print(json.dumps({
        "schema": "sleeptune-soak/1", "kernel": " ".join(os.uname()[2:4]), "minutes": round(samples[-1]["s"] / 60, 2), "n": len(samples),
        "load_average": loads, "policy": loop["conditions"]["policy"], "frames": 128, "rate_hz": 48000,
        "watching": [s["source"] for s in status["observe"] if s["state"] == "watching"], "audio": status["audio"]["state"],
        "history": status["history"]["state"], **counts, "pages": page.answers,
        "rss_kib": {"first": samples[0]["rss_kib"], "after_warm_up": counted[0]["rss_kib"], "last": samples[-1]["rss_kib"], "most": most},
        "swap_kib_most": max(s["swap_kib"] for s in samples), "helpers_rss_kib_most": max(s["helpers_rss_kib"] for s in samples),
        "slope_kib_an_hour": round(slope, 1), "slope_ci95": [round(v, 1) for v in ci],
        "cpu_share": round(share, 5), "cpu_share_ci95": [round(v, 5) for v in share_ci], "cycles": loop["cycles"],
        "books_balance": loop["books_balance"]}, indent=2))
    good = most * 1024 <= RSS_GOAL_MB * 1e6 and share <= CPU_GOAL and ci[0] <= 0
    print(f"resident at most {most * 1024 / 1e6:.1f} MB (goal {RSS_GOAL_MB}), {'no growth shown' if ci[0] <= 0 else 'it grows'}; "
          f"{share:.2%} of one CPU (goal {CPU_GOAL:.1%})", file=sys.stderr)
    return 0 if good else 1


sys.exit(main())
