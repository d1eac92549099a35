#!/usr/bin/env python3
"""What watching PipeWire costs.

    quiet       wake-ups of sleeptuned and its helper programs (all threads) while nothing plays, and their resident memory
    playing     CPU time of sleeptune-observe-pipewire, of the daemon, of its test loop and of PipeWire while ten clients play at 128 frames
    missing     CPU time of one sleeptune-observe-pipewire for each --build, all at once, while the ten clients have many dropouts
    coming      its resident memory while 500 clients come and go, ten at a time

A wake-up is a voluntary context switch. The server and the clients are those of dropouts.py.

    tests/bench/observer-cost.py --build build            8 minutes
    tests/bench/observer-cost.py --seconds 10 --runs 1 --clients 50 playing coming
"""
import argparse
import importlib.util
import os
import pathlib
import re
import subprocess
import tempfile
import time

spec = importlib.util.spec_from_file_location("dropouts", pathlib.Path(__file__).with_name("dropouts.py"))
dropouts = importlib.util.module_from_spec(spec)
spec.loader.exec_module(dropouts)


def threads(pid):
    return [pathlib.Path(f"/proc/{pid}/task/{tid}") for tid in os.listdir(f"/proc/{pid}/task")]


def cpu_ns(pid):
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads(pid))


def status(folder, key):
    return int(re.search(rf"^{key}:\s*(\d+)", (folder / "status").read_text(), re.M)[1])


def wakes(pids):
    return sum(status(thread, "voluntary_ctxt_switches") for pid in pids for thread in threads(pid))


def rss_mb(pid):
    return status(pathlib.Path(f"/proc/{pid}"), "VmRSS") / 1024


def load():
    return os.getloadavg()[0]


def play(server, args, count):
    """Starts clients, with real-time priority if they may. @return them."""
    env = {**server.env, "PIPEWIRE_CONFIG_NAME": "client-rt.conf"} if os.path.exists("/usr/share/pipewire/client-rt.conf") else server.env
    started = [subprocess.Popen([f"{args.build}/tests/integration/stall_pipewire", "0", f"client {i}"], env=env, stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE) for i in range(count)]
    for client in started:
        client.stdout.readline()
    return started


def end(clients):
    for client in clients:
        client.stdin.close()
    for client in clients:
        client.wait()
        client.stdout.close()


def cpu_of(daemon, pipewire):
    """CPU time so far, in ns: of PipeWire's helper, of the daemon without its test loop, of the loop, of PipeWire."""
    helper = sum(cpu_ns(pid) for pid in children(daemon))
    loop = sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads(daemon) if (thread / "comm").read_text() == "st-loop\n")
    return [helper, cpu_ns(daemon) - loop, loop, cpu_ns(pipewire)]


def share(seconds, *asked):
    """% of one CPU in the next seconds."""
    before, begin = cpu_of(*asked), time.monotonic()
    time.sleep(seconds)
    return [(now - was) / (time.monotonic() - begin) / 1e7 for now, was in zip(cpu_of(*asked), before)]


def playing(server, args):
    clients = play(server, args, 10)
    pipewire = server.started[1].pid
    before, begin = cpu_ns(pipewire), time.monotonic()
    time.sleep(args.seconds)
    print(f"playing: PipeWire alone {(cpu_ns(pipewire) - before) / (time.monotonic() - begin) / 1e7:.2f} % of one CPU", flush=True)
    daemon = begin_daemon(server, args)
    try:
        time.sleep(12)  # the loop has the music's period
        for _ in range(args.runs):
            helper, rest, loop, server_now = share(args.seconds, daemon.pid, pipewire)
            print(f"playing: helper {helper:.2f} %, daemon {rest:.2f} %, together {helper + rest:.2f} %; its test loop {loop:.2f} %; PipeWire "
                  f"{server_now:.2f} %; load average {load():.1f}", flush=True)
    finally:
        end_daemon(daemon)
    end(clients)


def missed_n(observer):
    return sum(int(dropouts.fields(line).get("cycles_n", 0)) for line in observer.lines if line.startswith(("client-dropout ", "device-dropout ")))


def missing(server, args):
    """The clients run on the last CPU, of which another program takes 4 ms once a second."""
    clients = play(server, args, 10)
    for client in clients:
        for thread in threads(client.pid):
            os.sched_setaffinity(int(thread.name), {os.cpu_count() - 1})
    observers = [dropouts.Observer(server, os.path.abspath(build)) for build in [args.build, *args.beside]]
    hog = subprocess.Popen([f"{args.build}/tests/integration/hog", str(os.cpu_count() - 1), "95", "4000", "100000", "1000"], stdout=subprocess.DEVNULL)
    try:
        time.sleep(5)
        for _ in range(args.runs):
            before, begin = [cpu_ns(observer.process.pid) for observer in observers], time.monotonic()
            time.sleep(args.seconds)
            took = [(cpu_ns(observer.process.pid) - was) / (time.monotonic() - begin) / 1e7 for observer, was in zip(observers, before)]
            print(f"missing: helper {', '.join(f'{one:.2f} %' for one in took)}; "
                  f"{missed_n(observers[0])} dropouts so far; load average {load():.1f}", flush=True)
    finally:
        hog.terminate()
        hog.wait()
    for observer in observers:
        observer.end()
    end(clients)


def coming(server, args):
    observer = dropouts.Observer(server, args.build)
    for n in range(10, args.clients + 1, 10):
        end(play(server, args, 10))
        if n % 100 == 0 or n in (10, args.clients):
            print(f"coming: after {n} clients {rss_mb(observer.process.pid):.1f} MB", flush=True)
    observer.end()


def begin_daemon(server, args):
    folder = pathlib.Path(server.folder)
    (folder / "conf").write_text(f'socket: {{ path = "{folder}/sock"; }};\n', encoding="ascii")
    with open(folder / "daemon.log", "w", encoding="utf-8") as log:
        return subprocess.Popen([f"{args.build}/daemon/sleeptuned", "-f", "-c", str(folder / "conf")], stderr=log, stdin=subprocess.DEVNULL,
                                env={**server.env, "STATE_DIRECTORY": server.folder, "SLEEPTUNE_OBSERVE_DIR": f"{args.build}/xruns/helpers"})


def end_daemon(daemon):
    daemon.terminate()
    daemon.wait()


def children(pid):
    return [int(child) for child in subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout.split()]


def quiet(server, args):
    daemon = begin_daemon(server, args)
    try:
        time.sleep(150)  # the loop rests, and servers that are not there are looked for each minute
        pids = [daemon.pid, *children(daemon.pid)]
        for _ in range(args.runs):
            before = [wakes([pid]) for pid in pids]
            time.sleep(2 * args.seconds)
            woken = [wakes([pid]) - was for pid, was in zip(pids, before)]
            print(f"quiet: {sum(woken)} wake-ups in {2 * args.seconds:.0f} s (daemon {woken[0]}, helpers {woken[1:]}); daemon "
                  f"{rss_mb(pids[0]):.1f} MB, helpers {[round(rss_mb(pid), 1) for pid in pids[1:]]} MB", flush=True)
    finally:
        end_daemon(daemon)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = {"quiet": quiet, "playing": playing, "missing": missing, "coming": coming}  # quiet first: a sink that has just played is still awake
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(parts)}; all of them if none is named")
    parser.add_argument("--build", default="build")
    parser.add_argument("--beside", action="append", default=[], help="missing: another build")
    parser.add_argument("--seconds", type=float, default=30, help="of each run; quiet: twice as long")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--clients", type=int, default=500)
    args = parser.parse_args()
    args.build = os.path.abspath(args.build)
    with tempfile.TemporaryDirectory() as folder:
        server = dropouts.Server(folder)
        try:
            server.begin()
            server.run("pw-metadata", "-n", "settings", "0", "clock.force-quantum", "128")
            for name in args.parts or parts:
                parts[name](server, args)
        finally:
            server.end()


if __name__ == "__main__":
    main()
