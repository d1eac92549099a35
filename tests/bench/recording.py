"""What came out of the sink while something was watched: a recording, when each of its silences began, and when each line of the observer came."""
import array
import bisect
import math
import os
import signal
import subprocess
import threading
import time
import wave

from dropouts import RATE

HOLE_MS, SOUND_MS = 1, 20
HEADER, FRAME = 44, 4  # bytes, of a WAV file with two channels of 16 bits


def read(path):
    """The left channel, and the right one without what is on the left."""
    if not os.path.exists(path):
        return array.array("h"), array.array("h")
    with wave.open(path, "rb") as file:
        samples = array.array("h", file.readframes(file.getnframes()))
    return samples[::2], array.array("i", (right - left for left, right in zip(samples[::2], samples[1::2])))


def holes(samples):
    """The silences between sounds: (first frame, frames); and the frames of sound."""
    loud = [i for i, sample in enumerate(samples) if abs(sample) > 100]
    found = []
    for last, first in zip(loud, loud[1:]):
        if first - last <= RATE * HOLE_MS / 1000:
            continue
        if found and last - found[-1][1] < RATE * SOUND_MS / 1000:
            found[-1][1] = first
        else:
            found.append([last, first])
    found = [(last, first - last) for last, first in found]
    return found, loud[-1] - loud[0] - sum(n for _, n in found) if loud else 0


def skips(samples, silences, tone_hz=440, near=2000):
    """Where a tone goes on at another place of its wave, not beside a silence: a cycle is missing for the recorder, too. Each sample of a tone follows from the
    two before it."""
    factor, found = 2 * math.cos(2 * math.pi * tone_hz / RATE), []
    edges = sorted(edge for first, n in silences for edge in (first, first + n))
    for i, (a, b, c) in enumerate(zip(samples, samples[1:], samples[2:])):
        if abs(c - factor * b + a) < 30 or (found and i - found[-1] < near):
            continue
        at = bisect.bisect(edges, i)
        if all(abs(edge - i) > near for edge in edges[max(0, at - 1):at + 1]):
            found.append(i)
    return found


class Recording:
    """Records the sink "nul" from now on; lines: of the observer. It does not keep the sink from being suspended; then PipeWire 0.3.65 gives it silence
    until it begins anew."""

    def __init__(self, server, path, lines):
        self.server, self.path, self.lines, self.ended = server, path, lines, False
        self.stamps, self.found, self.sound_s = [], [], 0
        self.right, self.skipped = [], []  # of the right channel's tone, where it has one
        self.begin()
        self.watch = threading.Thread(target=self.run, daemon=True)
        self.watch.start()

    def begin(self):
        path = self.path
        while os.path.exists(path):
            path += "+"
        self.part = path, [0], [time.monotonic()]  # its frames, and when it had so many
        self.process = subprocess.Popen(["pw-record", "--target", "nul", "-P", "{ stream.capture.sink=true node.passive=true }", "--rate", str(RATE),
                                         "--channels", "2", "--format", "s16", path], env=self.server.env)

    def run(self):
        while not self.ended:
            now = time.monotonic()
            path, frames, times = self.part
            size = (os.path.getsize(path) - HEADER) // FRAME if os.path.exists(path) else 0
            if size > frames[-1]:
                times.append(now)
                frames.append(size)
            self.stamps += [now] * (len(self.lines) - len(self.stamps))
            time.sleep(0.01)

    def keep(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        path, frames, times = self.part
        left, right = read(path)
        found, sound_n = holes(left)
        silences, _ = holes(right)
        self.sound_s += sound_n / RATE

        def when(frame):
            return times[min(bisect.bisect_left(frames, frame), len(frames) - 1)]
        self.found += [(when(first), n / RATE) for first, n in found]
        self.right += [(when(first), n / RATE) for first, n in silences]
        self.skipped += [when(first) for first in skips(right, silences)]

    def again(self):
        self.keep()
        self.begin()

    def end(self, report_s=2.5):
        """@return the holes: (when it began, seconds); a report comes up to report_s later."""
        self.keep()
        time.sleep(report_s)
        self.ended = True
        self.watch.join()
        return self.found


def pair(reports, found, report_s=2.5):
    """Each report, by its time, with the first hole that ended before it and has none yet. @return {report: hole}, by index."""
    pairs, free = {}, list(range(len(found)))
    for i, at in enumerate(reports):
        for j in free:
            if found[j][0] - 0.2 <= at and found[j][0] + found[j][1] >= at - report_s:
                pairs[i] = j
                free.remove(j)
                break
    return pairs
