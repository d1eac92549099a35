#!/usr/bin/env python3
"""sleeptune status --watch on a pseudo-terminal: what its screen shows, and how it leaves the terminal."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

try:
    import pyte
except ImportError:
    # the packages of the system belong to its own python, which need not be the first in PATH
    if os.environ.get("PYTHON", sys.executable) != sys.executable and os.access(os.environ["PYTHON"], os.X_OK):
        os.execv(os.environ["PYTHON"], [os.environ["PYTHON"], *sys.argv])
    print("1..0 # SKIP python3-pyte is not installed")
    sys.exit(0)

WAIT_S = 60  # how long it takes says nothing
tmp = tempfile.TemporaryDirectory()
sock = os.path.join(tmp.name, "sock")
tests = failed = 0


def ok(good, name, why=""):
    global tests, failed
    tests += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {tests} - {name}", flush=True)
    if not good:
        print("\n".join("# " + line for line in str(why).splitlines()), flush=True)


class Daemon:
    def __init__(self):
        conf = os.path.join(tmp.name, "conf")
        with open(conf, "w") as file:
            file.write(f'socket: {{ path = "{sock}"; }}; audio: {{ backend = "none"; }};\n')
        with open(os.path.join(tmp.name, "log"), "w") as log:
            self.process = subprocess.Popen([os.environ["SLEEPTUNED"], "-a", "-f", "-c", conf], stderr=log,
                                            env={**os.environ, "XDG_STATE_HOME": tmp.name})

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait()


class Watch:
    """The command on a terminal of its own; what it writes goes to `screen`."""

    def __init__(self, rows=24, columns=80, **env):
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NO_COLOR", "LANG", "LC_CTYPE")}
        # pyte does not know the repeated characters (rep) of xterm
        environment.update({"TERM": "screen-256color", "LC_ALL": "C.UTF-8", "SLEEPTUNE_SOCKET": sock}, **env)
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.before = termios.tcgetattr(slave)
        self.slave = slave

        def own_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        self.process = subprocess.Popen([os.environ["SLEEPTUNE"], "status", "--watch"], stdin=slave, stdout=slave, stderr=slave,
                                        env=environment, preexec_fn=own_terminal)

    def read(self, seconds):
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        data = os.read(self.master, 65536)
        self.raw += data
        self.stream.feed(data)
        return True

    def shows(self, *patterns):
        end = time.monotonic() + WAIT_S
        while not all(re.search(pattern, self.text(), re.M) for pattern in patterns):
            if time.monotonic() > end or self.process.poll() is not None:
                return False
            self.read(0.2)
        return True

    def text(self):
        return "\n".join(line.rstrip() for line in self.screen.display)

    def resize(self, rows, columns):
        self.screen.resize(rows, columns)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def ended(self):
        """Its status, or None when it does not end; reads on, as a terminal does."""
        end = time.monotonic() + WAIT_S
        while self.process.poll() is None and time.monotonic() < end:
            self.read(0.1)
        while self.read(0):
            pass
        return self.process.poll()

    def restored(self):
        return (termios.tcgetattr(self.slave) == self.before and self.raw.rfind(b"\x1b[?1049l") > self.raw.rfind(b"\x1b[?1049h")
                and not self.screen.cursor.hidden)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for fd in (self.master, self.slave):
            try:
                os.close(fd)
            except OSError:
                pass


LIVE = r"^Live, \d\d:\d\d:\d\d; Ctrl-C quits$"
NOT_LIVE = r"(?s)\A(?!.*^Live, )"  # the whole screen is drawn anew, not only its first lines
daemon = None
try:
    watch = Watch()
    ok(watch.shows(r"^Waiting: no sleeptuned is listening"), "without a daemon it says so and waits", watch.text())
    daemon = Daemon()
    ok(watch.shows(r"(?s)^This computer.*128\s+frames", LIVE), "and shows it when it comes", watch.text())
    ok(watch.shows(r"^sleeptuned watches no sound server|^No dropout since", r"^This computer .*at most [\d.]+ .?s late", r"^Next +sleeptune",
                   r"^Causes"), "80x24: figures, next step, details", watch.text())
    ok(re.search(rb"\x1b\[0;1;3[123]m", watch.raw), "in colour", watch.raw[-300:])
    watch.resize(12, 40)
    ok(watch.shows(r"at most\s+[\d.]+ .?s late", LIVE), "40x12 after a change of size", watch.text())
    watch.resize(5, 20)
    ok(watch.shows(r"^Live, ", r"no sound server|No dropout|dropouts"), "20x5 has the answer and the message", watch.text())
    watch.resize(24, 80)
    ok(watch.shows(r"^This computer timing .*at most", LIVE), "and back", watch.text())
    daemon.end(signal.SIGKILL)
    ok(watch.shows(r"^No connection since \d\d:\d\d:\d\d: no sleeptuned is listening", r"^This computer", NOT_LIVE), "the daemon is killed: since when, with what was known", watch.text())
    daemon = Daemon()
    ok(watch.shows(LIVE), "and it comes back", watch.text())
    os.kill(daemon.process.pid, signal.SIGSTOP)
    ok(watch.shows(r"(?s)^No connection since .*does\s+not\s+answer", NOT_LIVE), "one that hangs is said, too", watch.text())
    os.write(watch.master, b"\x03")
    ok(watch.ended() == 0, "Ctrl-C quits meanwhile", watch.text())
    ok(watch.restored(), "the terminal is as it was", watch.raw[-300:])
    os.kill(daemon.process.pid, signal.SIGCONT)
    watch.close()

    for name, end in (("Ctrl-C", lambda w: os.write(w.master, b"\x03")), ("SIGTERM", lambda w: w.process.terminate())):
        watch = Watch()
        ok(watch.shows(LIVE), f"{name}: it runs", watch.text())
        end(watch)
        ok(watch.ended() == 0 and watch.restored(), f"{name} ends it and restores the terminal", (watch.process.poll(), watch.raw[-300:]))
        watch.close()
    watch = Watch()
    ok(watch.shows(LIVE), "a terminal that hangs up: it runs", watch.text())
    os.close(watch.slave)
    os.close(watch.master)
    try:
        status = watch.process.wait(WAIT_S)
    except subprocess.TimeoutExpired:
        status = None
    ok(status is not None, "it ends with its terminal", status)
    watch.close()

    watch = Watch(NO_COLOR="1")
    ok(watch.shows(LIVE, r"^This computer"), "NO_COLOR: it runs", watch.text())
    ok(not re.search(rb"\x1b\[[0-9;]*3[0-7]m", watch.raw), "and has no colour", watch.raw[-300:])
    watch.close()
    watch = Watch(TERM="vt100", LC_ALL="C")
    ok(watch.shows(LIVE, r"^This computer", r"^Causes"), "a vt100 without Unicode: it runs", watch.text())
    ok(all(byte < 0x80 for byte in watch.raw), "in ASCII", watch.raw[-300:])
    watch.close()
    watch = Watch(TERM="dumb")
    ok(watch.ended() == 4 and "leave out --watch" in " ".join(watch.text().split()), "a terminal that cannot: it says what to do instead", watch.text())
    watch.close()

    def plain(*arguments):
        return subprocess.run([os.environ["SLEEPTUNE"], "status", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=WAIT_S,
                              env={**os.environ, "SLEEPTUNE_SOCKET": sock, "LC_ALL": "C.UTF-8", "COLUMNS": "80"}, check=False)
    once = plain("--watch")
    ok(once.returncode == 0 and re.search(r"^This computer timing .*late", once.stdout, re.M) and "\x1b" not in once.stdout,
       "where standard output is no terminal one screen is printed, as text", once.stdout + once.stderr)
    ok(all(len(line) <= 80 for line in once.stdout.splitlines()), "in 80 columns", once.stdout)
    daemon.end()
    daemon = None
    away = plain("--watch")
    ok(away.returncode == 4 and away.stdout == "" and "no sleeptuned is listening" in away.stderr, "once, without a daemon, fails", away.stderr)
finally:
    if daemon is not None:
        daemon.end(signal.SIGKILL)
print(f"1..{tests}")
sys.exit(failed > 0)
