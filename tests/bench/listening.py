#!/usr/bin/env python3
"""Does listening (observe.listen) change anything, and what does it cost?

Starts a PipeWire server with two sinks and a player of PulseAudio on each, and a third player on a client that reports a latency of 200 ms, as a
Bluetooth sink does (late_sink). Blocks with and
without sleeptune-observe-pipewire listening follow each other. In each: which sink drives which player, the cycle's length and rate, the latency
that the graph reports at each player's port, the dropouts that the observer reports, and CPU time: of the program that listens, and of an empty
filter with the same ports (empty_listener, the same program with a detector that does nothing), after each block that listens. At the end: how long after the last player the
sinks are suspended. Not as root, which never listens: setpriv --reuid nobody --clear-groups ...

With --waits PAIRS instead: pairs of blocks, one with and one without, the first of them by turns (ABBA). Of each block the 99th percentile of
the time from a client's signal until it has finished (wait + busy, of the profiler's cycles) for the three players and a client of PipeWire itself
that computes 10 % of the period; of each client the mean difference and its one-sided upper 95 % bound (Student's t), in % of the period.

    tests/bench/listening.py --build build --blocks 4
    tests/bench/listening.py --build build --waits 12 --frames 256
"""
import argparse
import json
import os
import re
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

from dropouts import Observer, Server, fields

PLAYERS = ("player-1", "player-2", "player-3")
RING_NAMES, RING_NAME_BYTES, RING_ROWS = 256, 64, 131072  # xruns/cycle_ring.h
RING_NAMES_AT = 40 + 2 * 64 + 4 * RING_NAMES
T95 = (6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812, 1.796, 1.782, 1.771, 1.761, 1.753, 1.746, 1.740, 1.734, 1.729)


def cpu_s(pid):
    return time.clock_gettime((~pid << 3) | 2)  # its CPU-time clock (clock_getcpuclockid)


def cpu_of(pids, seconds):
    before = [cpu_s(pid) for pid in pids]
    time.sleep(seconds)
    return [100 * (cpu_s(pid) - was) / seconds for pid, was in zip(pids, before)]


def blocks_of(text):
    return re.split(r"^\s*id (?=\d+,)", text, flags=re.M)[1:]


def named(server, kind, name):
    """Ids of objects whose properties hold that text."""
    return [block.split(",", 1)[0] for block in blocks_of(server.run("pw-cli", "ls", kind)) if name in block]


def latencies(server, players):
    """What the graph says of the way behind each player's ports."""
    found = {}
    for player in players:
        for node in named(server, "Node", f'node.name = "{player}"'):
            for port in named(server, "Port", f'node.id = "{node}"'):
                text = re.split(r"^\s*Object:", server.run("pw-cli", "enum-params", port, "Latency"), flags=re.M)[1]
                found[player] = re.findall(r"(?:Float|Int|Long) (\S+)", text)
    return found


def state_of(server, name):
    return (re.findall(r'state: "(\w+)"', server.run("pw-cli", "info", name)) or ["gone"])[0]


def child_of(pid):
    done = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(word) for word in done.stdout.split()]


def drivers(lines):
    loads = [fields(line) for line in lines if line.startswith("load ") and "client=" in line]
    return {load["client"]: (load["device"], load["frames"], load["rate_hz"]) for load in loads if load["client"].startswith("player")}


def dropouts(lines):
    return sum(int(fields(line)["count_n"]) for line in lines if line.startswith(("client-dropout ", "device-dropout ")))


def block(server, args, listen):
    observer = Observer(server, args.build, *(["-lon"] if listen else []))
    time.sleep(4)
    listeners = child_of(observer.process.pid)
    own, *rest = cpu_of([observer.process.pid, *listeners], args.seconds)
    seen = {"listen": listen, "latencies": latencies(server, PLAYERS), "observer_percent": round(own, 2),
            "listener_percent": [round(one, 3) for one in rest]}
    time.sleep(8)
    seen["drivers"] = drivers(observer.lines)
    seen["dropouts"] = dropouts(observer.lines)
    seen["ready"] = [line.strip() for line in observer.lines if line.startswith("ready")][-1:]
    if listen:
        seen["links"] = [links_of(server)] + [links_at(server, frames) for frames in (512, 1024, 0)]
    if listen: # who listens ends: the observer goes on, and says so
        os.kill(listeners[0], signal.SIGKILL)
        server.wait(lambda: "does not listen" in observer.lines[-1] or observer.process.poll() is not None)
        seen["after"] = [line.strip() for line in observer.lines if line.startswith("ready")][-1:]
    observer.end()
    seen["status"] = observer.process.returncode
    return seen


def links_of(server):
    return len(re.findall(r"silence:tap_", server.run("pw-link", "-l", "-i")))


def links_at(server, frames):
    """How many links hear the players, 2 s after another buffer size, or up to 10 s if some are missing then."""
    server.run("pw-metadata", "-n", "settings", "0", "clock.force-quantum", str(frames))
    time.sleep(2)
    until(lambda: links_of(server) == 2 * len(PLAYERS), 8)
    return links_of(server)


def until(there, seconds):
    end = time.monotonic() + seconds
    while not there() and time.monotonic() < end:
        time.sleep(0.1)


def orders(server, args):
    """What the program that listens says while its stream is left and heard again at once, twice, and while one of its links is cut four times."""
    node = named(server, "Node", 'node.name = "player-1"')[0]
    process = subprocess.Popen([f"{args.build}/xruns/helpers/sleeptune-observe-silence", "-lon"], env=server.env, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    said = []
    reader = threading.Thread(target=lambda: said.extend(process.stdout))
    reader.start()

    def links():
        return re.findall(r"silence:tap_\S+\s+(\d+) +\|<-", server.run("pw-link", "-l", "-i", "-I"))

    def heard_after(change):
        """`change` is done and answered: the stream is heard again with both its links, or given up."""
        before = len(said)
        change()
        until(lambda: (said[before:] and said[-1].startswith("taps 1") and len(links()) == 2) or any("lost" in line for line in said), 10)

    def order(*lines):
        process.stdin.write("".join(f"{line} {node}\n" for line in lines))
        process.stdin.flush()

    heard_after(lambda: order("listen"))
    for _ in range(2):
        heard_after(lambda: order("leave", "listen"))
    for _ in range(4):
        heard_after(lambda: server.run("pw-link", "-d", *links()[:1]))
    until(lambda: said[-1].startswith("taps 0"), 10)
    process.stdin.close()
    process.wait()
    reader.join()
    return [line.strip().replace(node, "ID") for line in said]


def empty(server, args):
    """The same ports, nothing done with them."""
    nodes = [node for name in PLAYERS for node in named(server, "Node", f'node.name = "{name}"')]
    process = subprocess.Popen([f"{args.build}/tests/integration/empty_listener", "-lon"], env=server.env, stdin=subprocess.PIPE, text=True)
    time.sleep(1)
    process.stdin.write("".join(f"listen {node}\n" for node in nodes))
    process.stdin.flush()
    time.sleep(2)
    percent = cpu_of([process.pid], args.seconds)[0]
    process.stdin.close()
    process.wait()
    return round(percent, 3)


def cycles_of(path, since_ns):
    """{client: [wait + busy of each cycle, in % of the period]}; what was not ready when the next cycle began counts as a whole period."""
    with open(path, "rb") as file:
        data = file.read()
    written = struct.unpack_from("Q", data, 32)[0]
    names = [data[at:at + RING_NAME_BYTES].split(b"\0")[0].decode() for at in range(RING_NAMES_AT, RING_NAMES_AT + RING_NAMES * RING_NAME_BYTES, RING_NAME_BYTES)]
    first, found = RING_NAMES_AT + RING_NAMES * RING_NAME_BYTES, {}
    for i in range(max(0, written - RING_ROWS), written):
        cycle, signal, wait, busy, period, name, driver = struct.unpack_from("=qqIIIHH", data, first + 32 * (i % RING_ROWS))
        if cycle > since_ns and period and not driver:
            found.setdefault(names[name], {})[signal] = 100 * min(1, wait / period + busy / period)
    return {name: list(cycles.values()) for name, cycles in found.items()}


def waits_block(server, args, listen):
    """{client: the 99th percentile of its cycles in a block}; how many cycles of each."""
    observer = Observer(server, args.build, f"-c{server.folder}/cycles", *(["-lon"] if listen else []), first=False)
    time.sleep(5)
    since_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    time.sleep(args.seconds)
    found = cycles_of(f"{server.folder}/cycles", since_ns)
    ready = [line for line in observer.lines if line.startswith("ready")][-1]
    observer.end()
    if listen != (" listens=3 " in ready):
        sys.exit(f"listening.py: {ready}")
    return {name: statistics.quantiles(cycles, n=100)[98] for name, cycles in found.items()}, {name: len(cycles) for name, cycles in found.items()}


def upper_bound(values):
    return statistics.mean(values) + T95[min(len(values) - 2, len(T95) - 1)] * statistics.stdev(values) / len(values) ** 0.5


def waits(server, args):
    """The difference that listening makes, and as a yardstick that of neighbouring blocks without it."""
    clients, counts = (*PLAYERS, "native"), {}
    own = "client-rt.conf" if os.path.exists("/usr/share/pipewire/client-rt.conf") else "client.conf" # from 1.4 on there is one
    native = subprocess.Popen([f"{args.build}/tests/integration/stall_pipewire", "0", "native", "10", "10", "20", f"{server.folder}/native.log"],
                              env={**server.env, "PIPEWIRE_CONFIG_NAME": own}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    native.stdout.readline()
    found = {False: [], True: []}
    for i in range(args.waits):
        for listen in (False, True) if i % 2 == 0 else (True, False):
            block_of, counts = waits_block(server, args, listen)
            found[listen].append(block_of)
        print(json.dumps({"pair": i + 1, "load": os.getloadavg()[0],
                          **{f"p99_{name}": [round(found[listen][-1].get(name, -1), 2) for listen in (False, True)] for name in clients}}), flush=True)
    for name in clients:
        change = [on[name] - off[name] for off, on in zip(found[False], found[True])]
        noise = [found[False][i + 1][name] - found[False][i][name] for i in range(0, args.waits - 1, 2)]
        print(json.dumps({"client": name, "cycles_in_a_block": counts[name], "p99_percent_of_period": round(statistics.median(off[name] for off in found[False]), 2),
                          "change": round(statistics.mean(change), 3), "upper_95": round(upper_bound(change), 3),
                          "without_beside_without": round(statistics.mean(map(abs, noise)), 3)}), flush=True)
    native.stdin.close()
    native.wait()


def suspended_s(server, args, listen):
    """How long after the player's end the first sink is suspended."""
    player = play(server, args, 1)
    observer = Observer(server, args.build, *(["-lon"] if listen else []), first=False)
    time.sleep(5)
    player.terminate()
    player.wait()
    began = time.monotonic()
    while state_of(server, "nul") != "suspended" and time.monotonic() - began < 30:
        time.sleep(0.1)
    took = time.monotonic() - began
    observer.end()
    return round(took, 1)


def play(server, args, i):
    sink = ("nul", "behind", "nul")[i - 1]
    return subprocess.Popen(["paplay", "--raw", f"--latency-msec={args.latency_ms}", f"--device={sink}", f"--client-name=player-{i}",
                             f"--property=node.name=player-{i}", "/dev/zero" if args.silent else f"{server.folder}/noise"], env=server.env)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--blocks", type=int, default=4)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--latency-ms", type=int, default=100)
    parser.add_argument("--frames", type=int, default=0, help="of the server's cycles; 0: as it chooses")
    parser.add_argument("--waits", type=int, default=0, metavar="PAIRS", help="how long clients wait and compute, instead")
    parser.add_argument("--silent", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder)
        server.env["PULSE_SERVER"] = f"unix:{folder}/pulse/native"
        try:
            server.begin()
            server.start("pipewire-pulse")
            server.wait(lambda: os.path.exists(f"{folder}/pulse/native"))
            server.run("pw-cli", "create-node", "adapter", "{ factory.name=support.null-audio-sink node.name=behind media.class=Audio/Sink "
                       "object.linger=true audio.position=[FL FR] }")
            server.start(f"{args.build}/tests/integration/late_sink")
            server.wait(lambda: state_of(server, "late-sink") != "gone" and state_of(server, "behind") != "gone")
            if args.frames:
                server.run("pw-metadata", "-n", "settings", "0", "clock.force-quantum", str(args.frames))
            with open(f"{folder}/noise", "wb") as file:
                for _ in range(60 + 2 * (args.blocks + args.waits) * (args.seconds + 15)):
                    file.write(os.urandom(44100 * 4))
            players = [play(server, args, i) for i in (1, 2, 3)]
            time.sleep(2)
            for i, side in ((1, "FL"), (2, "FR")):
                server.run("pw-link", "-d", f"player-3:output_{side}", f"nul:playback_{side}")
                server.run("pw-link", f"player-3:output_{side}", f"late-sink:in_{i}")
            if args.waits:
                waits(server, args)
                for player in players:
                    player.terminate()
                    player.wait()
                return 0
            print(json.dumps({"orders": orders(server, args)}), flush=True)
            prices, empties = [], []
            for i in range(args.blocks):
                seen = block(server, args, i % 2 == 1)
                print(json.dumps(seen), flush=True)
                if seen["listen"]:
                    prices += seen["listener_percent"]
                    empties.append(empty(server, args))
            print(json.dumps({"listener_percent": prices, "empty_percent": empties,
                              "ratio": round(sum(prices) / sum(empties), 2)}), flush=True)
            for player in players:
                player.terminate()
                player.wait()
            print(json.dumps({f"suspended_s{' listening' if listen else ''}": suspended_s(server, args, listen) for listen in (False, True)}))
        finally:
            server.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
