#!/usr/bin/env python3
"""Does listening (observe.listen) change anything, and what does it cost?

Starts a PipeWire server with two sinks and a player of PulseAudio on each, and a third player on a client that reports a latency of 200 ms, as a
Bluetooth sink does (late_sink). Blocks with and
without sleeptune-observe-pipewire listening follow each other. In each: which sink drives which player, the cycle's length and rate, the latency
that the graph reports at each player's port, the dropouts that the observer reports, and CPU time: of the program that listens, and of an empty
filter with the same ports (empty_listener, the same program with a detector that does nothing), after each block that listens. At the end: how long after the last player the
sinks are suspended. Not as root, which never listens: setpriv --reuid nobody --clear-groups ...

    tests/bench/listening.py --build build --blocks 4
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

from dropouts import Observer, Server, fields

PLAYERS = ("player-1", "player-2", "player-3")


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
    return {load["client"]: (load["device"], load["frames"], load["rate"]) for load in loads if load["client"].startswith("player")}


def dropouts(lines):
    return sum(int(fields(line)["starved"]) + int(fields(line)["n"]) for line in lines if line.startswith("xrun "))


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
    observer.end()
    return seen


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


def suspended_s(server, args, listen):
    """How long after the player's end the first sink is suspended."""
    player = play(server, args, 1)
    observer = Observer(server, args.build, *(["-lon"] if listen else []))
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
                for _ in range(60 + 2 * args.blocks * (args.seconds + 15)):
                    file.write(os.urandom(44100 * 4))
            players = [play(server, args, i) for i in (1, 2, 3)]
            time.sleep(2)
            for i, side in ((1, "FL"), (2, "FR")):
                server.run("pw-link", "-d", f"player-3:output_{side}", f"nul:playback_{side}")
                server.run("pw-link", f"player-3:output_{side}", f"late-sink:in_{i}")
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
