#!/usr/bin/env python3
"""Does `sleeptune status` say what is true? A recording of the sink says what was lost, and this script makes the loss.

Each kind at each buffer size, beside sleeptuned, with a PipeWire server of its own: the first line and the next step are compared with the table KINDS,
the time that all programs lost and the longest loss with the gaps of the recording. What is in FILE already is not run again: it goes on where it
stopped. As an ordinary user; what others compute disturbs (at 256 frames most): a CPU group of high weight helps.

    tests/bench/truth.py --build build --out FILE [--kinds computes,stopped --frames 1024 --seconds 30]
"""
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from importlib import import_module
from dropouts import Server
from recording import Recording

QUIET = "^No dropout"
Kind = collections.namedtuple("Kind", "first next players", defaults=((),))
KINDS = {  # what is right where the recording has gaps; NAME BASE PEAK EVERY MODE of stall_pipewire
    "computes": Kind("^HeavyReverb .*computed too long", "force-quantum [0-9]", (("HeavyReverb", 20, 130, 15, ""),)),
    "stopped": Kind("^Looper .*stopped or frozen", "exclude Looper", (("Looper", 20, 20, 20, ""),)),
    "hog": Kind("(took|lost) the CPU", "linux-rt-permission", (("GoodSynth", 20, 20, 20, ""),)),
    "small": Kind("^(?!No dropout)", "PULSE_LATENCY_MSEC|linux-rt-permission|history"),
    "late": Kind("^pulse_player .*(on the way|not ready|too late|not written)|sleeptuned does not notice sound that .*pulse_player.* sends too late", "PULSE_LATENCY_MSEC|sleeptune heard"),
    "memory": Kind("^Sampler .*memory", "memory", (("Sampler", 20, 150, 15, "pages"),)),
    "forced": Kind("forced", "clock.force-quantum 0", (("GoodSynth", 60, 60, 20, ""),)),
    "jack": Kind("^Tracker .*waited for a lock", "setting of Tracker"),  # not by default: a client of pw-jack sleeps for 28 ms
    "nothing": Kind("^(?!No dropout)", "", (("GoodSynth", 20, 20, 20, ""),)),  # the gaps are the machine's, and have to be told
}
write_tone = import_module("client-buffer").write_tone
HOG = "while :; do :; done"


class Scene:
    """What plays, and what is beside it."""

    def __init__(self, server, kind, args):
        self.server, self.kind, self.args, self.started = server, kind, args, []
        for name, base, peak, every, mode in KINDS[kind].players:
            self.start(f"{args.build}/tests/integration/stall_pipewire", "0", name, str(base), str(peak), str(every), f"{server.folder}/{name}.log", "-1", mode)
        if kind in ("late", "nothing"):
            self.start(sys.executable, str(pathlib.Path(__file__).with_name("pulse_player.py")), *["--right"] * (kind == "nothing"))
        if kind == "jack":
            self.start("pw-jack", f"{args.build}/tests/integration/stall_jack", "28", "Tracker", "nul:playback_FL")
        if kind == "small":
            self.start("paplay", f"--latency-msec={args.latency_ms}", f"{server.folder}/tone.wav")
        self.begun = time.monotonic()  # nothing in its first second is a dropout, and on a busy machine it begins later
        time.sleep(3)

    def start(self, *command):
        env = {**self.server.env, "STALL_LEVEL": "0.2"}
        self.started.append(subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True))
        return self.started[-1]

    def do(self, line):
        self.started[-1].stdin.write(line + "\n")
        self.started[-1].stdin.flush()

    def hogs(self):
        program = f"{self.server.folder}/videorender"
        shutil.copy("/bin/bash", program)
        for _ in range(2):
            self.start(program, "-c", HOG)

    def stop_for(self, seconds):
        self.started[0].send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.started[0].send_signal(signal.SIGCONT)

    def song(self):
        """All that makes no dropout: one ends, one pauses, the volume, a second sink."""
        song = self.start("pw-play", f"{self.server.folder}/tone.wav")
        self.started.pop()
        for line in ("pause", "play", "volume 50", "seek"):
            self.do(line)
            time.sleep(1)
        self.server.run("pw-cli", "create-node", "adapter", self.server.sink.replace("name=nul", "name=second"))
        song.send_signal(signal.SIGINT)
        song.wait()

    def run(self, seconds):
        end = time.monotonic() + seconds
        if self.kind in ("hog", "small"):
            self.hogs()
        elif self.kind == "forced":
            self.server.run("pw-metadata", "-n", "settings", "0", "clock.force-quantum", "32")
        elif self.kind == "nothing":
            self.song()
        while time.monotonic() < end:
            if self.kind == "stopped":
                self.stop_for(0.5)
            elif self.kind == "late":
                self.do("late 300")
            elif self.kind == "jack":
                self.do("")
            time.sleep(min(0.4 if self.kind == "jack" else 3, max(0, end - time.monotonic())))

    def end(self):
        for process in self.started:
            process.kill()
            process.wait()


def losses(document):
    """Of the programs of a status: the time that they lost, in ms, the longest, and how often each one did why."""
    programs = [program for source in document["observe"] for program in source["clients"] if program["dropouts"] + program["device_dropouts"] > 0]
    return (sum(program["lost_ns"] or 0 for program in programs) / 1e6, max((program["longest_ns"] or 0 for program in programs), default=0) / 1e6,
            {program["name"]: [round((program["lost_ns"] or 0) / 1e6), {row["reason"]: row["dropouts"] for row in program["rows"]}] for program in programs})


def judge(kind, gaps, first, after):
    """What is not right."""
    if kind != "forced" and not gaps:
        return [] if re.search(QUIET, first) else ["first"]
    return [name for name, pattern, text in (("first", KINDS[kind].first, first), ("next", KINDS[kind].next, after)) if not re.search(pattern, text)]


def run(kind, frames, args):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        server = Server(folder)
        server.env.update(PULSE_SERVER=f"unix:{folder}/pulse/native", STATE_DIRECTORY=f"{folder}/state", SLEEPTUNE_SOCKET=f"{folder}/socket", COLUMNS="400")
        os.mkdir(f"{folder}/state")
        scene = None
        try:
            server.begin()
            server.start("pipewire-pulse")
            server.wait(lambda: os.path.exists(f"{folder}/pulse/native"))
            server.run("pw-metadata", "-n", "settings", "0", "clock.quantum" if kind == "forced" else "clock.force-quantum", str(frames))
            write_tone(f"{folder}/tone.wav", round(args.seconds) + 30)
            server.start(f"{args.build}/daemon/sleeptuned", "-f")
            server.wait(lambda: server.run(f"{args.build}/cli/sleeptune", "status"))
            recording = Recording(server, f"{folder}/heard.wav", [])
            time.sleep(1.5)
            scene = Scene(server, kind, args)
            scene.run(args.seconds)
            screen = server.run(f"{args.build}/cli/sleeptune", "status")
            scene.end()
            found = recording.end()
            document = json.loads(server.run(f"{args.build}/cli/sleeptune", "status", "--json"))
            if args.screens:
                pathlib.Path(args.screens, f"{kind}-{frames}").write_text(screen + server.run(f"{args.build}/cli/sleeptune", "history", "--events"), encoding="utf-8")
                shutil.copy(f"{folder}/log", f"{args.screens}/{kind}-{frames}.log")
        finally:
            if scene is not None:
                scene.end()
            server.end()
    first = re.split(r"\n(?=[A-Z][A-Za-z]+  )", screen)[0].replace("\n", " ")
    after = re.sub(r"(?s)^.*?\nNext *", "", screen) if "\nNext" in screen else ""
    gaps = [round(1000 * seconds, 1) for at, seconds in found if at > scene.begun + 1 and (kind != "nothing" or seconds < 0.5)]
    heard = sorted([(at, "left", seconds) for at, seconds in recording.found] + [(at, "right", seconds) for at, seconds in recording.right] +
                   [(at, "skipped", 0) for at in recording.skipped]) if kind == "nothing" else []
    heard = [(time.strftime("%H:%M:%S", time.localtime(time.time() - time.monotonic() + at)), what, round(1000 * seconds, 1)) for at, what, seconds in heard]
    lost_ms, longest_ms, why = losses(document)
    return {"kind": kind, "frames": frames, "wrong": judge(kind, gaps, first, after), "gaps": len(gaps), "gaps_ms": round(sum(gaps), 1),
            "lost_ms": round(lost_ms, 1), "longest_gap_ms": max(gaps, default=0), "longest_ms": round(longest_ms, 1), "why": why,
            "heard": heard, "load": os.getloadavg()[0], "first": first, "next": after.split("\n")[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--out", required=True)
    parser.add_argument("--kinds", default=",".join(kind for kind in KINDS if kind != "jack"))
    parser.add_argument("--frames", default="1024,256")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--latency-ms", type=int, default=2, help="of the small buffer")
    parser.add_argument("--screens", help="a folder for them")
    args = parser.parse_args()
    version = subprocess.run(["pipewire", "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    out = pathlib.Path(args.out)
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()] if out.exists() else []
    there = {(row["version"], row["kind"], row["frames"]) for row in rows}
    for frames in map(int, args.frames.split(",")):
        for kind in args.kinds.split(","):
            if (version, kind, frames) in there:
                continue
            rows.append({"version": version, **run(kind, frames, args)})
            with out.open("a", encoding="utf-8") as file:
                print(json.dumps(rows[-1]), file=file, flush=True)
            print(json.dumps(rows[-1]), flush=True)
    mine = [row for row in rows if row["version"] == version]
    for what in ("first", "next"):
        print(f"# {version}: {what}: right in {sum(what not in row['wrong'] for row in mine)} of {len(mine)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
