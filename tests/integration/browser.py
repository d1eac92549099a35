"""Opens a page in headless Chromium, and in this order waits until expressions are true or prints their value.

usage: browser.py CHROMIUM URL [--width N] [--height N] [--dark] [--no-scripts] [--wait EXPRESSION]...
                  [--print EXPRESSION]... [--tree] [--screenshot FILE]

--tree prints what a screen reader could not name: the role of each button, link, heading, table and picture without a
name in the accessibility tree; and what keeps browsers from installing the page.

It speaks the DevTools protocol over a pipe, so it needs nothing but Python. What the page says on the console (a
refusal by its policy, an error of its script) goes to standard error as "console: ...". Status 1: EXPRESSION did not
become true within a minute.
"""
import argparse
import base64
import json
import os
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("chromium")
parser.add_argument("url")
parser.add_argument("--width", type=int, default=1280)
parser.add_argument("--height", type=int, default=1000)
parser.add_argument("--dark", action="store_true")
parser.add_argument("--no-scripts", action="store_true")
parser.add_argument("--wait", action="append", dest="steps", default=[], type=lambda text: (True, text))
parser.add_argument("--print", action="append", dest="steps", type=lambda text: (False, text))
parser.add_argument("--tree", action="store_true")
parser.add_argument("--screenshot")
args = parser.parse_args()


class Browser:
    def __init__(self, profile):
        to_read, self.to = os.pipe()
        self.back, from_write = os.pipe()

        def fds():  # Chromium reads from 3 and writes to 4
            spare = [os.dup(to_read), os.dup(from_write)]
            os.dup2(spare[0], 3)
            os.dup2(spare[1], 4)

        self.process = subprocess.Popen(
            [args.chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
             "--disable-dev-shm-usage", "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=fds, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.number, self.buffer, self.session, self.loaded = 0, b"", None, False

    def message(self):
        while b"\0" not in self.buffer:
            data = os.read(self.back, 1 << 20)
            if not data:
                sys.exit("browser.py: Chromium ended")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        self.loaded = self.loaded or message.get("method") == "Page.loadEventFired"
        return message

    def call(self, method, **params):
        self.number += 1
        call = {"id": self.number, "method": method, "params": params}
        if self.session:
            call["sessionId"] = self.session
        os.write(self.to, json.dumps(call).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("method") == "Log.entryAdded":
                print("console:", answer["params"]["entry"]["text"], file=sys.stderr)
            elif answer.get("method") == "Runtime.exceptionThrown":
                details = answer["params"]["exceptionDetails"]
                print("console:", details.get("exception", {}).get("description", details["text"]), file=sys.stderr)
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"browser.py: {method}: {answer['error']['message']}")
                return answer["result"]

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            return "exception: " + result["exceptionDetails"]["exception"].get("description", "")
        return result["result"].get("value")


with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
    browser = Browser(folder)
    try:
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        browser.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            browser.call(domain + ".enable")
        browser.call("Emulation.setDeviceMetricsOverride", width=args.width, height=args.height, deviceScaleFactor=1,
                     mobile=args.width < 600)
        browser.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if args.dark else "light"}])
        browser.call("Emulation.setScriptExecutionDisabled", value=args.no_scripts)
        browser.call("Page.navigate", url=args.url)
        while not browser.loaded:  # before that there may be no page to take a picture of
            browser.message()
        for wait, expression in args.steps:
            if not wait:
                value = browser.value(expression)
                print(value if isinstance(value, str) else json.dumps(value), flush=True)
                continue
            end = time.monotonic() + 60
            while browser.value(expression) is not True:
                if time.monotonic() > end:
                    sys.exit(f"browser.py: not true within a minute: {expression}; it is {browser.value(expression)!r}")
                time.sleep(0.2)
        if args.tree:
            for node in browser.call("Accessibility.getFullAXTree")["nodes"]:
                role = node.get("role", {}).get("value")
                if role in ("button", "link", "heading", "image", "columnheader", "rowheader") and not node["ignored"] \
                        and not node.get("name", {}).get("value"):
                    print("without a name:", role)
            for error in browser.call("Page.getInstallabilityErrors")["installabilityErrors"]:
                print("cannot be installed:", error["errorId"])
        if args.screenshot:
            picture = browser.call("Page.captureScreenshot", captureBeyondViewport=True)
            with open(args.screenshot, "wb") as file:
                file.write(base64.b64decode(picture["data"]))
    finally:
        browser.process.terminate()
        browser.process.wait()
