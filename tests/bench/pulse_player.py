#!/usr/bin/env python3
"""A client of PulseAudio that plays a tone of 440 Hz and does what a line on its standard input says: "pause" and "play" (it corks its stream), "seek"
(corked for 50 ms, it throws away what it has written), "hasty" (for no time), "skip" (the same, not corked), "volume PERCENT", "late MS" (it
writes nothing for so long), "end". It writes ahead by --latency-ms; --right: the left channel stays silent.

    tests/bench/pulse_player.py --latency-ms 50
"""
import argparse
import array
import ctypes
import math
import sys
import threading
import time

RATE = 48000
READY, FAILED = 4, 5  # of a context; of a stream: 2, 3
STREAM_READY = 2


class Spec(ctypes.Structure):
    _fields_ = [("format", ctypes.c_int), ("rate", ctypes.c_uint32), ("channels", ctypes.c_uint8)]


class Buffer(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("maxlength", "tlength", "prebuf", "minreq", "fragsize")]


def load():
    pulse = ctypes.CDLL("libpulse.so.0")
    for name in ("pa_threaded_mainloop_new", "pa_threaded_mainloop_get_api", "pa_context_new", "pa_stream_new", "pa_stream_cork", "pa_stream_flush"):
        getattr(pulse, name).restype = ctypes.c_void_p
    pulse.pa_stream_writable_size.restype = ctypes.c_size_t
    return pulse


class Player:
    def __init__(self, latency_ms, right):
        self.pulse = pulse = load()
        self.loop = ctypes.c_void_p(pulse.pa_threaded_mainloop_new())
        self.context = ctypes.c_void_p(pulse.pa_context_new(ctypes.c_void_p(pulse.pa_threaded_mainloop_get_api(self.loop)), b"pulse_player"))
        pulse.pa_context_connect(self.context, None, 0, None)
        pulse.pa_threaded_mainloop_start(self.loop)
        self.wait(lambda: pulse.pa_context_get_state(self.context) >= READY)
        self.stream = ctypes.c_void_p(pulse.pa_stream_new(self.context, b"tone", ctypes.byref(Spec(3, RATE, 2)), None))  # 3: S16LE
        nothing = 0xFFFFFFFF
        buffer = Buffer(nothing, latency_ms * RATE // 1000 * 4, nothing, nothing, nothing)
        pulse.pa_stream_connect_playback(self.stream, None, ctypes.byref(buffer), 0x2000, None, None)  # PA_STREAM_ADJUST_LATENCY
        self.wait(lambda: pulse.pa_stream_get_state(self.stream) >= STREAM_READY)
        self.tone = array.array("h", (0 if right and i % 2 == 0 else round(8000 * math.sin(2 * math.pi * 440 * (i // 2) / RATE)) for i in range(2 * RATE))).tobytes()
        self.at, self.corked, self.ended, self.late_s = 0, False, False, 0
        threading.Thread(target=self.write, daemon=True).start()

    def wait(self, there):
        for _ in range(500):
            if there():
                return
            time.sleep(0.01)
        sys.exit("pulse_player.py: no server")

    def call(self, function, *arguments):
        self.pulse.pa_threaded_mainloop_lock(self.loop)
        result = function(*arguments)
        self.pulse.pa_threaded_mainloop_unlock(self.loop)
        return result

    def write(self):
        while not self.ended:
            n = self.call(self.pulse.pa_stream_writable_size, self.stream)
            if not self.corked and 0 < n <= len(self.tone):
                piece = (self.tone + self.tone)[self.at:self.at + n]
                self.at = (self.at + n) % len(self.tone)
                self.call(self.pulse.pa_stream_write, self.stream, piece, ctypes.c_size_t(n), None, ctypes.c_int64(0), 0)
            late_s, self.late_s = self.late_s, 0
            time.sleep(0.004 + late_s)

    def cork(self, corked):
        self.corked = corked
        self.call(self.pulse.pa_stream_cork, self.stream, int(corked), None, None)

    def flush(self):
        self.call(self.pulse.pa_stream_flush, self.stream, None, None)

    def do(self, line):
        if line in ("pause", "play"):
            self.cork(line == "pause")
        elif line in ("seek", "hasty"):
            self.cork(True)
            self.flush()
            time.sleep(0.05 if line == "seek" else 0)
            self.cork(False)
        elif line.startswith("late "):
            self.late_s = int(line.split()[1]) / 1000
        elif line == "skip":
            self.flush()
        elif line.startswith("volume "):
            index = self.call(self.pulse.pa_stream_get_index, self.stream)
            volume = (ctypes.c_uint32 * 33)(*([0] * 33))
            volume[0], level = 2, int(line.split()[1]) * 0x10000 // 100
            volume[1] = volume[2] = level
            self.call(self.pulse.pa_context_set_sink_input_volume, self.context, index, volume, None, None)
        return line != "end"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency-ms", type=int, default=50)
    parser.add_argument("--right", action="store_true")
    player = Player(**vars(parser.parse_args()))
    print("playing", flush=True)
    for line in sys.stdin:
        if not player.do(line.strip()):
            break
    player.ended = True


if __name__ == "__main__":
    main()
