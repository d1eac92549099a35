#!/usr/bin/env python3
"""Sound that is lost between a program and PipeWire: are all such dropouts seen, with their length, and no others?

Starts a PipeWire server with a null sink and pipewire-pulse; a player plays a 440 Hz tone, which pw-record writes down at the sink: that
recording is the truth. The player is disturbed again and again (--how):

    stopped   SIGSTOP for --lost-ms
    hogged    a real-time program has its CPU, the last one, for --lost-ms; all the others have the other CPUs; needs a right to real-time priority of 95
    server    pipewire-pulse is stopped, for --lost-ms: what plays through it cannot be ready
    slowed    it gets its sound at half the speed for --lost-ms, by a pipe, and writes it so
    busy      two programs compute all the time, beside whatever the player gets
    none      nothing is done: what is reported is false, or the machine's own noise, which the recording shows, too

--listen on: what it plays is heard (observe.listen); not as root, which never listens: setpriv --reuid nobody --clear-groups ...

unreported_ms: holes after which no one's dropout is reported. missed_ms: the lengths of those after which nothing, or only something else, is reported. A hole is silence of 1 ms and more; less than 20 ms of sound between two makes them one. right: disturbances after which reports name the
program, the place and the reason (RIGHT), and nothing else; false: what is reported where the recording has no hole. --player: paplay (a PulseAudio client, as browsers and
games are) or aplay (the ALSA plug-in of PipeWire, --alsa-plugin FILE if it is not installed).

    tests/bench/client-buffer.py --build build --losses 60 --how stopped,hogged
"""
import argparse
import array
import collections
import fcntl
import glob
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import wave

from dropouts import RATE, Observer, Server, fields
from recording import Recording, pair

RIGHT = {  # place and reason of what each way of losing sound makes
    ("paplay", "stopped"): ("client-buffer", "stopped"),
    ("paplay", "server"): ("graph", "waited-for-other"),
    ("paplay", "slowed"): ("client-buffer", "writes-too-slowly"),
    ("paplay", "hogged"): ("client-buffer", "cpu-taken"),
    ("aplay", "stopped"): ("graph", "stopped"),
    ("aplay", "slowed"): ("client-buffer", "writes-too-slowly"),
    ("aplay", "hogged"): ("graph", "cpu-taken"),
}


def write_tone(path, seconds):
    with wave.open(path, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(RATE)
        tenth = array.array("h", (round(8000 * math.sin(2 * math.pi * 440 * (i // 2) / RATE)) for i in range(2 * RATE // 10)))
        file.writeframes(tenth.tobytes() * (10 * seconds))


def player_of(args, folder):
    source = [] if args.how == "slowed" else [f"{folder}/tone.wav"]
    if args.player == "paplay":
        return ["paplay", f"--latency-msec={args.latency_ms}", *(source or ["--raw", f"--rate={RATE}", "--channels=2"])]
    plugin = args.alsa_plugin or next(iter(glob.glob("/usr/lib*/*/alsa-lib/libasound_module_pcm_pipewire.so")), "")
    if not plugin:
        sys.exit("client-buffer.py: the ALSA plug-in of PipeWire is not installed: --alsa-plugin FILE")
    with open(f"{folder}/.asoundrc", "w", encoding="ascii") as file:
        file.write(f'pcm_type.pipewire {{ lib "{plugin}" }}\npcm.graph {{ type pipewire server "pipewire-0" playback_node "-1" }}\n')
    return ["aplay", "-q", "-D", "graph", f"--buffer-time={args.latency_ms * 1000}",
            *(source or ["-t", "raw", "-f", "S16_LE", "-r", str(RATE), "-c", "2"])]


class Pump:
    """Gives a tone to a program, as fast as it takes it, or at half the speed at which it is played."""

    def __init__(self, path, to):
        self.slow, self.to = False, to
        with open(path, "rb") as file:
            self.tone = file.read()[44:]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        step, due = RATE // 100 * 4, 0
        for at in range(0, len(self.tone) - step, step):
            now = time.monotonic()
            if self.slow:
                due = max(due, now - 0.1) + 0.02
                time.sleep(max(0, due - now))
            try:
                self.to.write(self.tone[at:at + step])
                self.to.flush()
            except OSError:
                return


def lengths(args):
    """Of the losses, in ms: from --lost-ms to --longest-ms in equal steps."""
    more = max(args.longest_ms - args.lost_ms, 0) / max(args.losses - 1, 1)
    return [round(args.lost_ms + more * i) for i in range(args.losses)]


def disturb(how, player, lost_ms, args, pump, pulse):
    time.sleep(args.each_ms / 1000)
    if how in ("stopped", "server"):
        stopped = player if how == "stopped" else pulse
        os.kill(stopped.pid, signal.SIGSTOP)
        time.sleep(lost_ms / 1000)
        os.kill(stopped.pid, signal.SIGCONT)
    elif how == "slowed":
        pump.slow = True
        time.sleep(lost_ms / 1000)
        pump.slow = False
    elif how == "hogged":
        subprocess.run([f"{args.build}/tests/integration/hog", str(os.cpu_count() - 1), "95", str(lost_ms * 1000), "1", "0"],
                       stdout=subprocess.DEVNULL, check=True)


def is_own(one):
    return urllib.parse.unquote(one.get("client", "")) in ("paplay", "ALSA Playback", "alsa_playback.aplay")


def verdict(stamped, begin, lost_ms, args):
    """What was reported of one disturbance."""
    after = [one for one, at in stamped if begin <= at < begin + (lost_ms + args.each_ms) / 1000]
    if not after:
        return "nothing"
    right = [is_own(one) and (one.get("place"), one.get("reason")) == RIGHT.get((args.player, args.how)) for one in after]
    return "right" if all(right) else "and more" if any(right) else "wrong"


def observer_ready(observer):
    return [line.strip() for line in observer.lines if line.startswith("ready")][-1:]


def run(server, how, args):
    folder = server.folder
    args.how = how
    player = subprocess.Popen(player_of(args, folder), env=server.env, stdin=subprocess.PIPE, bufsize=0)  # nothing is left to write when it ends
    fcntl.fcntl(player.stdin, fcntl.F_SETPIPE_SZ, 4096)
    pump = Pump(f"{folder}/tone.wav", player.stdin) if how == "slowed" else None
    if how == "hogged":
        os.sched_setaffinity(player.pid, {os.cpu_count() - 1})
    hogs = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(2 if how == "busy" else 0)]
    observer = Observer(server, args.build, *([f"-l{args.listen}"] if args.listen != "off" else []))
    time.sleep(2)
    recording = Recording(server, f"{folder}/heard.wav", observer.lines)
    time.sleep(2)  # what began a second ago makes no dropout
    before, begins = len(observer.lines), []
    for lost_ms in lengths(args):
        begins.append(time.monotonic() + args.each_ms / 1000)
        disturb(how, player, lost_ms, args, pump, server.started[-1])
    time.sleep(args.each_ms / 1000)
    found = recording.end()
    observer.end()
    for process in (player, *hogs):
        process.kill()
        process.wait()
    heard = [1000 * seconds for _, seconds in found]
    stamped = [(fields(line), at) for line, at in list(zip(observer.lines, recording.stamps))[before:] if line.startswith(("client-dropout ", "device-dropout "))]
    seen = [one for one, _ in stamped]
    own = [one for one in seen if is_own(one)]
    all_times = [at for one, at in stamped for _ in range(int(one["count_n"]))]
    times = [at for one, at in stamped if is_own(one) for _ in range(int(one["count_n"]))]
    verdicts = [verdict(stamped, begin, lost_ms, args) for begin, lost_ms in zip(begins, lengths(args))]
    count = collections.Counter()
    for one in own:
        count[f"{one.get('place', 'unknown')} {one.get('reason', 'unknown')}"] += int(one["count_n"])
    others = collections.Counter()
    for one in seen:
        if one not in own:
            others[f"{one.get('client', one.get('device'))} {one.get('reason', 'unknown')}"] += int(one["count_n"])
    return {"how": how, "listen": args.listen, "ready": observer_ready(observer), "player": args.player, "losses": args.losses, "holes": len(heard), "holes_ms": round(sum(heard), 1),
            "right": dict(collections.Counter(verdicts)), "missed_ms": [lost_ms for one, lost_ms in zip(verdicts, lengths(args)) if one in ("nothing", "wrong")], "false": len(times) - len(pair(times, found)), "unreported_ms": [round(1000 * found[i][1]) for i in set(range(len(found))) - set(pair(all_times, found).values())],
            "reported": sum(count.values()), "reported_ms": round(sum(int(one.get("lost_ns", 0)) for one in own) / 1e6, 1),
            "own": dict(count), "others": dict(others), "lengths_ms": [round(hole) for hole in heard],
            "reported_lengths_ms": [round(int(one.get("lost_ns", 0)) / 1e6) for one in own], "cycles": sum(int(one.get("cycles_n", 0)) for one in own)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--player", choices=("paplay", "aplay"), default="paplay")
    parser.add_argument("--alsa-plugin", default="")
    parser.add_argument("--how", default="stopped")
    parser.add_argument("--losses", type=int, default=60)
    parser.add_argument("--lost-ms", type=int, default=500)
    parser.add_argument("--longest-ms", type=int, default=0, help="the losses become longer, from --lost-ms to this")
    parser.add_argument("--each-ms", type=int, default=1500, help="sound between two")
    parser.add_argument("--latency-ms", type=int, default=50, help="that the player asks for")
    parser.add_argument("--frames", type=int, default=0, help="forced size of the cycles; 0: as the player asks")
    parser.add_argument("--listen", choices=("off", "auto", "on"), default="off")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    results = []
    if "hogged" in args.how and os.cpu_count() > 1:  # only the player is: the recording goes on, and how the observer judges is asked
        os.sched_setaffinity(0, range(os.cpu_count() - 1))
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder)
        server.env["PULSE_SERVER"] = f"unix:{folder}/pulse/native"
        try:
            server.begin()
            server.start("pipewire-pulse")
            server.wait(lambda: os.path.exists(f"{folder}/pulse/native"))
            server.run("pw-metadata", "-n", "settings", "0", "clock.force-quantum", str(args.frames))
            write_tone(f"{folder}/tone.wav", 20 + args.losses * (args.each_ms + max(args.lost_ms, args.longest_ms)) // 1000)
            for how in args.how.split(","):
                results.append(run(server, how, args))
                if not args.json:
                    print(json.dumps(results[-1]), flush=True)
        finally:
            server.end()
    if args.json:
        print(json.dumps(results, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
