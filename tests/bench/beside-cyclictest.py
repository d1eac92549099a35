#!/usr/bin/env python3
"""sleeptune measure beside cyclictest: ratios, as JSON.

Both programs run at once on two CPUs, then with the CPUs swapped: one block. The ratio of a block is the geometric mean
of both halves, the result the geometric mean over the blocks with its 95 % interval (Student's t on the logarithms).
cyclictest beside itself comes first: where that is not 1 +- 0.03, the machine is too noisy to say anything.
With -a cyclictest pins its main thread to the same CPU, where it wakes 100 times a second; sleeptune's other threads wake 14
times and are not pinned. On an idle machine such a neighbour keeps the CPU out of deep idle states and shortens the
lateness beside it. --equal-wakes puts a normal thread that wakes every 2 ms on both
CPUs, so that neither idles deeper than the other; --cpu-latency 0 holds /dev/cpu_dma_latency at 0 us for all, as cyclictest does by
itself where it is not told --default-system: both then have the CPUs that audio guides ask for. Never compare maxima, never compare absolute times. docs/measuring.md has the protocol, docs/results.md the figures.

Needs cyclictest (rt-tests), two CPUs and the right to SCHED_FIFO.
"""
import argparse
import contextlib
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import time

T975 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
        2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042]

# what sleeptune's figure may be of cyclictest's; a figure holds when its interval reaches into this
LIMITS = {"median": (0.97, 1.03), "p99": (0.0, 1.10), "cpu_thread": (0.0, 1.02), "cpu_process": (0.0, 1.02)}
RSS_LIMIT = 1.5

# period in us for cyclictest -> frames at 48 kHz
PERIODS = {667: 32, 1333: 64, 2667: 128}


def read(path):
    with open(path, encoding="ascii", errors="replace") as file:
        return file.read()


def tasks(pid):
    """{tid: (name, ns on a CPU)}"""
    found = {}
    for tid in os.listdir(f"/proc/{pid}/task"):
        try:
            found[int(tid)] = (read(f"/proc/{pid}/task/{tid}/comm").strip(),
                               int(read(f"/proc/{pid}/task/{tid}/schedstat").split()[0]))
        except (OSError, ValueError, IndexError):
            pass
    return found


def fifo_tid(pid):
    for tid in os.listdir(f"/proc/{pid}/task"):
        if os.sched_getscheduler(int(tid)) & 0xff == os.SCHED_FIFO:
            return int(tid)
    return None


def steal_share(before, after):
    total = sum(b - a for a, b in zip(before, after))
    return (after[7] - before[7]) / total if total else 0.0


def cpu_line():
    return [int(x) for x in read("/proc/stat").split("\n", 1)[0].split()[1:9]]


class Program:
    """One of the two, started on one CPU."""

    def __init__(self, name, folder, cpu):
        self.name, self.cpu = name, cpu
        self.out = os.path.join(folder, f"{name}-{cpu}.json")
        self.words = ["measure"]  # the command of sleeptune
        self.process = self.tid = None
        self.rss_kib = 0

    def start(self, us, seconds, sleeptune, histogram):
        if self.name.startswith("cyclictest"):
            command = ["cyclictest", "-m", "-p70", "-N", "--default-system", "-q", "-t1", "-a", str(self.cpu), "-i",
                       str(us), "-D", str(seconds)]
            if histogram:
                command += ["-h", "1000000", f"--json={self.out}"]
            stdout = subprocess.DEVNULL
        else:
            command = [sleeptune, *self.words, "--json", "--cpu", str(self.cpu), "--frames", str(PERIODS[us]),
                       "--duration", f"{seconds}s", "--quiet"]
            if histogram:
                command += ["--record", self.out + ".st"]
            stdout = open(self.out, "wb")
        self.process = subprocess.Popen(command, stdout=stdout, stderr=subprocess.DEVNULL)

    def look(self):
        """(seconds, ns on a CPU of the loop's thread, of the whole process)"""
        if self.tid is None:
            self.tid = fifo_tid(self.process.pid)
        if self.tid is None:
            sys.exit(f"{self.name} has no SCHED_FIFO thread: the right to it is needed")
        ns = tasks(self.process.pid)
        self.rss_kib = int(read(f"/proc/{self.process.pid}/status").split("VmRSS:")[1].split()[0])
        return time.monotonic(), ns[self.tid][1], sum(x[1] for x in ns.values())

    def cpu_per_cycle(self, us, first, last):
        """CPU ns a cycle between two looks, of the loop's thread and of the whole process."""
        cycles = (last[0] - first[0]) * 1e6 / us
        return (last[1] - first[1]) / cycles, (last[2] - first[2]) / cycles

    def finish(self):
        if self.process.wait() not in (0, 1):
            sys.exit(f"{self.name} ended with status {self.process.returncode}")

    def quantiles(self):
        with open(self.out, encoding="utf-8") as file:
            document = json.load(file)
        if not self.name.startswith("cyclictest"):
            lateness = document["lateness_ns"]
            return lateness["median"], lateness["p99"]
        counts = sorted((int(k), v) for k, v in document["thread"]["0"]["histogram"].items())
        n = document["thread"]["0"]["cycles"]
        values = []
        for p in (0.5, 0.99):
            left = math.ceil(p * n)
            for value, count in counts:
                left -= count
                if left <= 0:
                    break
            values.append(value)
        return tuple(values)


def half(names, cpus, us, seconds, sleeptune, folder, histogram=True):
    """Both at once; {measure: ratio of first to second}."""
    programs = [Program(name, folder, cpu) for name, cpu in zip(names, cpus)]
    before = cpu_line()
    for program in programs:
        program.start(us, seconds, sleeptune, histogram)
        time.sleep(us / 2e6)  # half a period out of phase
    time.sleep(1.0)
    first = [program.look() for program in programs]
    time.sleep(seconds - 2.0)
    last = [program.look() for program in programs]
    for program in programs:
        program.finish()
    a, b = programs
    a_cpu, b_cpu = (program.cpu_per_cycle(us, x, y) for program, x, y in zip(programs, first, last))
    ratios = {"cpu_thread": a_cpu[0] / b_cpu[0], "cpu_process": a_cpu[1] / b_cpu[1], "rss": a.rss_kib / b.rss_kib}
    if histogram:
        (am, a99), (bm, b99) = a.quantiles(), b.quantiles()
        ratios.update(median=am / bm, p99=a99 / b99)
    return ratios, steal_share(before, cpu_line())


def interval(values):
    """Geometric mean and 95 % interval."""
    logs = [math.log(v) for v in values]
    n = len(logs)
    mean = sum(logs) / n
    if n < 2:
        return {"ratio": math.exp(mean), "ci95": None, "n": n}
    sd = math.sqrt(sum((x - mean) ** 2 for x in logs) / (n - 1))
    reach = T975[min(n - 2, len(T975) - 1)] * sd / math.sqrt(n)
    return {"ratio": round(math.exp(mean), 4),
            "ci95": [round(math.exp(mean - reach), 4), round(math.exp(mean + reach), 4)], "n": n}


def blocks(names, us, count, args, histogram=True):
    ratios, steals = [], []
    with tempfile.TemporaryDirectory() as folder:
        for i in range(count):
            both = []
            for cpus in (args.cpus, args.cpus[::-1]) if i % 2 == 0 else (args.cpus[::-1], args.cpus):
                ratio, steal = half(names, cpus, us, args.seconds, args.sleeptune, folder, histogram)
                both.append(ratio)
                steals.append(steal)
            ratios.append({key: math.sqrt(both[0][key] * both[1][key]) for key in both[0]})
            print(f"{names[0]}/{names[1]} {us} us block {i + 1}/{count}: " +
                  " ".join(f"{k} {v:.3f}" for k, v in ratios[-1].items()), file=sys.stderr)
    result = {key: interval([r[key] for r in ratios]) for key in ratios[0]}
    result["steal_share_max"] = round(max(steals), 5)
    return result


def judge(ab, aa):
    """Per figure: does it hold, and was the machine quiet enough to say so?"""
    return {key: {"limit": limit, "holds": ab[key]["ci95"][0] <= limit[1] and ab[key]["ci95"][1] >= limit[0],
                  "quiet_enough": abs(aa[key]["ratio"] - 1) <= 0.03} for key, limit in LIMITS.items()}


@contextlib.contextmanager
def surroundings(args):
    """What both programs have in common: see equal_wakes() and cpu_latency()."""
    with cpu_latency(args), equal_wakes(args):
        yield


@contextlib.contextmanager
def cpu_latency(args):
    """With --cpu-latency US no CPU idles deeper than it wakes from in US meanwhile, as far as its driver heeds that (PM QoS)."""
    if args.cpu_latency is None:
        yield
        return
    with open("/dev/cpu_dma_latency", "wb", buffering=0) as file:  # the request ends when the file is closed
        file.write(struct.pack("=i", args.cpu_latency))
        yield


@contextlib.contextmanager
def equal_wakes(args):
    """With --equal-wakes a normal thread wakes every 2 ms on both CPUs meanwhile: neither program's CPU idles undisturbed."""
    companions = [subprocess.Popen(["cyclictest", "--policy=other", "--default-system", "-q", "-t1", "-a", str(cpu), "-i", "2000"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                  for cpu in args.cpus if args.equal_wakes]
    try:
        yield
    finally:
        for companion in companions:
            companion.kill()
            companion.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sleeptune", help="path of the program")
    parser.add_argument("--blocks", type=int, default=10, help="swapped blocks a period (10)")
    parser.add_argument("--aa-blocks", type=int, default=4, help="blocks of cyclictest beside itself (4)")
    parser.add_argument("--seconds", type=int, default=8, help="of each run (8)")
    parser.add_argument("--periods", default="667,1333,2667", help="in us: of 667, 1333, 2667")
    parser.add_argument("--cpus", default="0,1", help="the two CPUs (0,1)")
    parser.add_argument("--equal-wakes", action="store_true", help="a normal thread wakes every 2 ms on both CPUs")
    parser.add_argument("--cpu-latency", type=int, metavar="US", help="hold /dev/cpu_dma_latency at that meanwhile (not asked for)")
    args = parser.parse_args()
    args.cpus = [int(c) for c in args.cpus.split(",")]
    if args.blocks < 2 or args.aa_blocks < 1:
        parser.error("at least 2 blocks and 1 A/A block are needed")
    if args.seconds < 4 or len(args.cpus) != 2 or args.cpus[0] == args.cpus[1]:
        parser.error("two different CPUs and at least 4 seconds are needed")
    result = {"schema": "sleeptune-beside-cyclictest/1", "kernel": " ".join(os.uname()[2:4]),
              "cyclictest": subprocess.run(["cyclictest", "--help"], capture_output=True, text=True,
                                           check=False).stdout.split("\n", 1)[0],
              "seconds": args.seconds, "equal_wakes": args.equal_wakes, "cpu_latency_us": args.cpu_latency,
              "periods_us": {}}
    with surroundings(args):
        measure(args, result)
    json.dump(result, sys.stdout, indent=2)
    print()


def measure(args, result):
    for us in (int(p) for p in args.periods.split(",")):
        aa = blocks(("cyclictest", "cyclictest2"), us, args.aa_blocks, args)
        ab = blocks(("sleeptune", "cyclictest"), us, args.blocks, args)
        plain = blocks(("sleeptune", "cyclictest"), us, 2, args, histogram=False)
        result["periods_us"][us] = {"a_a": aa, "sleeptune_to_cyclictest": ab,
                                    "without_histograms": {k: plain[k] for k in ("rss", "cpu_thread", "cpu_process")},
                                    "judged": judge(ab, aa) | {"rss": {
                                        "limit": [0, RSS_LIMIT], "holds": plain["rss"]["ratio"] <= RSS_LIMIT,
                                        "quiet_enough": True}}}


if __name__ == "__main__":
    main()
