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
    hasty      the same, but corked for no time
    skipping   the same without corking: the server then plays silence, which cannot be told from a loss
    volume     0 for 0.5 s, each 3 s
    stopped    a loss, to see that it is reported: the client is stopped for 0.3 s, each 5 s
    tracks     it ends, and another one begins after 0.2 s, each 5 s

The sink is recorded: each loss that the helper reports of the player is either a hole in the recording, beside the silence that is played, or false.
"unheard" are holes that are not reported. What others did, as the server that was woken late, is counted beside it. Not as root.

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
from recording import Recording, pair

COMMANDS = {"seeking": "seek", "hasty": "hasty", "skipping": "skip"}
AFTER_S = 0.4  # that silence lasts on behind its command
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


def pause(silences, command, undo, seconds, each):
    begin = time.monotonic()
    command()
    time.sleep(seconds)
    undo()
    silences.append((begin, time.monotonic() + AFTER_S))
    time.sleep(each - seconds)


def resume(server, recording):
    server.run("pactl", "suspend-sink", "nul", "0")
    recording.again()


def unplayed(found, silences):
    """The holes but for the longest one in each silence that is played."""
    left = list(found)
    for begin, end in silences:
        within = [hole for hole in left if hole[0] < end and hole[0] + hole[1] > begin]
        if within:
            left.remove(max(within, key=lambda hole: hole[1]))
    return left


def play(server, scene, player, n, silences, recording):
    """One round. @return the player."""
    if scene == "peace":
        time.sleep(5)
    elif scene == "quantum":
        setting(server, "clock.force-quantum", (256, 512, 1024, 2048)[n % 4])
        time.sleep(3)
    elif scene == "rate":
        setting(server, "clock.force-rate", (44100, 48000)[n % 2])
        time.sleep(5)
    elif scene in ("paused", "idle"):
        pause(silences, lambda: player.do("pause"), lambda: player.do("play"), *((1, 3) if scene == "paused" else (8, 12)))
    elif scene == "volume":
        pause(silences, lambda: player.do("volume 0"), lambda: player.do("volume 100"), 0.5, 3)
    elif scene == "suspended":
        pause(silences, lambda: server.run("pactl", "suspend-sink", "nul", "1"), lambda: resume(server, recording), 1, 5)
    elif scene in COMMANDS:
        pause(silences, lambda: player.do(COMMANDS[scene]), lambda: None, 0.1, 2)
    elif scene == "stopped":
        player.process.send_signal(signal.SIGSTOP)
        time.sleep(0.3)
        player.process.send_signal(signal.SIGCONT)
        time.sleep(4.7)
    elif scene == "tracks":
        begin = time.monotonic()
        player.end()
        time.sleep(0.2)
        player = Player(server)
        silences.append((begin, time.monotonic() + AFTER_S))
        time.sleep(5)
    return player


def run(server, scene, args):
    player = Player(server)
    observer = Observer(server, args.build, f"-l{args.listen}")
    time.sleep(4)
    recording = Recording(server, f"{server.folder}/{scene}.wav", observer.lines)
    time.sleep(2)
    silences, before, rounds, end = [], len(observer.lines), 0, time.monotonic() + args.minutes * 60
    while time.monotonic() < end:
        player = play(server, scene, player, rounds, silences, recording)
        rounds += 1
    found = unplayed(recording.end(), silences)
    ready = [line.strip() for line in observer.lines if line.startswith("ready")][-1:]
    observer.end()
    player.end()
    for name in ("clock.force-quantum", "clock.force-rate"):
        setting(server, name, 0)
    count, times, lost = collections.Counter(), [], []
    for line, at in list(zip(observer.lines, recording.stamps))[before:]:
        one = fields(line) if line.startswith(("client-dropout ", "device-dropout ")) else {}
        n = int(one.get("count_n", 0)) if one.get("place") == "client-buffer" else 0
        times += [at] * n
        lost += [round(int(one.get("lost_ns", 0)) / 1e6)] * n
        if one:
            count[" ".join(one.get(key, "-") for key in ("client", "place", "reason", "certainty"))] += int(one["count_n"])
    pairs = pair(times, found)
    false = [{"lost_ms": lost[i], "after_silences_s": [round(at - begin, 2) for begin, _ in silences if 0 < at - begin < 3],
              "near": [(round(at - begin, 2), round(1000 * n)) for begin, n in found if abs(at - begin) < 4]} for i, at in enumerate(times) if i not in pairs]
    return {"scene": scene, "minutes": args.minutes, "rounds": rounds, "sound_s": round(recording.sound_s), "reported": len(times), "false": false,
            "unheard": len(found) - len(pairs), "unheard_ms": [round(1000 * hole[1]) for j, hole in enumerate(found) if j not in pairs.values()],
            "what": dict(count), "ready": ready, "load": os.getloadavg()[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--scenes", default="peace,quantum,rate,paused,idle,suspended,seeking,hasty,skipping,volume,tracks")
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
