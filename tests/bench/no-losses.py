#!/usr/bin/env python3
"""What a listener does, and no loss: is sound reported as lost that was not?

Starts a PipeWire server with a null sink and pipewire-pulse, a client of PulseAudio that plays a tone (pulse_player.py), and sleeptune's helper program,
which listens (observe.listen). Then, for --minutes each (--scenes):

    peace      nothing
    quantum    another size of the cycles each 3 s: 256, 512, 1024, 2048
    rate       another rate of the server each 5 s: 44.1, 48 kHz
    paused     it corks its stream for 1 s, each 3 s
    idle       the same for 8 s, each 12 s: the sink is suspended meanwhile
    suspended  the sink is suspended for 1 s while it plays, each 5 s
    seeking    it corks its stream, throws away what it has written, and plays on, each 2 s
    skipping   the same without corking: the server then plays silence, which cannot be told from a loss
    volume     0 for 0.5 s, each 3 s
    stopped    a loss, to see that it is reported: the client is stopped for 0.3 s, each 5 s
    tracks     it ends, and another one begins after 0.2 s, each 5 s

What the helper reports is printed; what the machine itself loses is in it, too, so use real-time priority and a quiet CPU. Not as root.

    tests/bench/no-losses.py --build build --minutes 10
"""
import argparse
import collections
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from dropouts import Observer, Server, fields

PLAYER = str(pathlib.Path(__file__).with_name("pulse_player.py"))


class Player:
    def __init__(self, server):
        self.process = subprocess.Popen([sys.executable, PLAYER], env=server.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def do(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def end(self):
        self.do("end")
        self.process.wait()


def setting(server, name, value):
    server.run("pw-metadata", "-n", "settings", "0", name, str(value))


def pause(player, command, undo, seconds, each):
    player.do(command)
    time.sleep(seconds)
    player.do(undo)
    time.sleep(each - seconds)


def play(server, scene, player, n):
    """One round. @return the player."""
    if scene == "peace":
        time.sleep(5)
    elif scene == "quantum":
        setting(server, "clock.force-quantum", (256, 512, 1024, 2048)[n % 4])
        time.sleep(3)
    elif scene == "rate":
        setting(server, "clock.force-rate", (44100, 48000)[n % 2])
        time.sleep(5)
    elif scene == "paused":
        pause(player, "pause", "play", 1, 3)
    elif scene == "idle":
        pause(player, "pause", "play", 8, 12)
    elif scene == "volume":
        pause(player, "volume 0", "volume 100", 0.5, 3)
    elif scene == "suspended":
        server.run("pactl", "suspend-sink", "nul", "1")
        time.sleep(1)
        server.run("pactl", "suspend-sink", "nul", "0")
        time.sleep(4)
    elif scene in ("seeking", "skipping"):
        player.do("seek" if scene == "seeking" else "skip")
        time.sleep(2)
    elif scene == "stopped":
        player.process.send_signal(signal.SIGSTOP)
        time.sleep(0.3)
        player.process.send_signal(signal.SIGCONT)
        time.sleep(4.7)
    elif scene == "tracks":
        player.end()
        time.sleep(0.2)
        player = Player(server)
        time.sleep(5)
    return player


def run(server, scene, args):
    player = Player(server)
    observer = Observer(server, args.build, f"-l{args.listen}")
    time.sleep(4)
    before, n, end = len(observer.lines), 0, time.monotonic() + args.minutes * 60
    while time.monotonic() < end:
        player = play(server, scene, player, n)
        n += 1
    time.sleep(2.5)
    ready = [line.strip() for line in observer.lines if line.startswith("ready")][-1:]
    observer.end()
    player.end()
    for name in ("clock.force-quantum", "clock.force-rate"):
        setting(server, name, 0)
    seen = [fields(line) for line in observer.lines[before:] if line.startswith("xrun ") and "deadline=" not in line]
    count = collections.Counter()
    for one in seen:
        count[" ".join(one.get(key, "-") for key in ("client", "place", "reason", "certainty"))] += int(one["starved"]) + int(one["n"])
    return {"scene": scene, "minutes": args.minutes, "rounds": n, "reported": sum(count.values()), "what": dict(count), "ready": ready,
            "load": os.getloadavg()[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--scenes", default="peace,quantum,rate,paused,idle,suspended,seeking,skipping,volume,tracks")
    parser.add_argument("--listen", choices=("auto", "on"), default="on")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder)
        server.env["PULSE_SERVER"] = f"unix:{folder}/pulse/native"
        try:
            server.begin()
            server.start("pipewire-pulse")
            server.wait(lambda: os.path.exists(f"{folder}/pulse/native"))
            for scene in args.scenes.split(","):
                print(json.dumps(run(server, scene, args)), flush=True)
        finally:
            server.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
