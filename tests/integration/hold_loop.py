"""Holds the loop's thread of a sleeptuned (Linux, ptrace), as if it got no CPU, until the process ends."""
import ctypes
import os
import sys

PTRACE_SEIZE, PTRACE_INTERRUPT, WALL = 0x4206, 0x4207, 0x40000000
tasks = f"/proc/{sys.argv[1]}/task"


def name_of(tid):
    with open(f"{tasks}/{tid}/comm", encoding="ascii") as comm:
        return comm.read().strip()


loop = [int(tid) for tid in os.listdir(tasks) if name_of(tid) == "st-loop"][0]
ptrace = ctypes.CDLL(None, use_errno=True).ptrace
ptrace.argtypes = [ctypes.c_long] * 4
for request in (PTRACE_SEIZE, PTRACE_INTERRUPT):
    if ptrace(request, loop, 0, 0) != 0:
        sys.exit(os.strerror(ctypes.get_errno()))
os.waitpid(loop, WALL)
print("held", flush=True)
os.waitpid(loop, WALL)
