"""What came out of the sink while something was watched: a recording, when each of its silences began, and when each line of the observer came."""
import array
import bisect
import os
import signal
import subprocess
import threading
import time
import wave

from dropouts import RATE

HOLE_MS, SOUND_MS = 3, 20
HEADER, FRAME = 44, 4  # bytes, of a WAV file with two channels of 16 bits


def holes(path):
    """The silences between sounds: (first frame, frames)."""
    with wave.open(path, "rb") as file:
        samples = array.array("h", file.readframes(file.getnframes()))[::file.getnchannels()]
    loud = [i for i, sample in enumerate(samples) if abs(sample) > 100]
    found = []
    for last, first in zip(loud, loud[1:]):
        if first - last <= RATE * HOLE_MS / 1000:
            continue
        if found and last - found[-1][1] < RATE * SOUND_MS / 1000:
            found[-1][1] = first
        else:
            found.append([last, first])
    return [(last, first - last) for last, first in found]


class Recording:
    """Records the sink "nul" from now on; lines: of the observer. It does not keep the sink from being suspended."""

    def __init__(self, server, path, lines):
        self.path, self.lines, self.ended = path, lines, False
        self.frames, self.times, self.stamps = [], [], []
        if os.path.exists(path):
            os.remove(path)
        self.process = subprocess.Popen(["pw-record", "--target", "nul", "-P", "{ stream.capture.sink=true node.passive=true }", "--rate", str(RATE),
                                         "--channels", "2", "--format", "s16", path], env=server.env)
        self.watch = threading.Thread(target=self.run)
        self.watch.start()

    def run(self):
        while not self.ended:
            now = time.monotonic()
            frames = (os.path.getsize(self.path) - HEADER) // FRAME if os.path.exists(self.path) else 0
            if not self.frames or frames > self.frames[-1]:
                self.frames.append(frames)
                self.times.append(now)
            self.stamps += [now] * (len(self.lines) - len(self.stamps))
            time.sleep(0.01)

    def end(self, report_s=2.5):
        """@return the holes: (when it began, seconds); a report comes up to report_s later."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        time.sleep(report_s)
        self.ended = True
        self.watch.join()
        return [(self.times[min(bisect.bisect_left(self.frames, first), len(self.times) - 1)], n / RATE) for first, n in holes(self.path)]


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
