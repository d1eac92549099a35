"""Plays the listener of 'sleeptune heard --practice': practice_listener.py SOUND SHARE REACTION_S COMMAND...

SOUND grows while the sound is played (a recording of the sink, 48 kHz, two channels, 16 bits). Runs COMMAND in a terminal of its own, and
presses the space bar REACTION_S after each hole of the first SHARE of eight; -1: presses q at once. Prints what the command printed, then "status N, holes N"."""
import os
import pty
import select
import sys
import time

sound, share, reaction, command = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4:]
pid, fd = pty.fork()
if pid == 0:
    os.execv(command[0], command)
heard = output = b""
at, zeros, holes, presses, loud = 0, 0, 0, [], False
status = None
said_q = share >= 0
while status is None:
    ready = select.select([fd], [], [], 0.02)[0]
    if ready:
        try:
            output += os.read(fd, 4096)
        except OSError:
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            break
    if b"ends" in output and not said_q:
        said_q = True
        os.write(fd, b"q")
    if os.path.exists(sound):
        with open(sound, "rb") as recorded:
            recorded.seek(at * 4 + 88)
            data = recorded.read()
        data = data[: len(data) // 4 * 4]
        at += len(data) // 4
        for i in range(0, len(data), 4):
            if data[i : i + 2] == b"\0\0":
                zeros += 1
                continue
            if loud and 200 <= zeros <= 300:  # 5 ms
                holes += 1
                if holes <= share:
                    presses.append(time.monotonic() + reaction)
            loud, zeros = True, 0
    while presses and time.monotonic() >= presses[0]:
        presses.pop(0)
        os.write(fd, b" ")
print(output.decode().replace("\r", ""), end="")
print(f"status {status}, holes {holes}")
