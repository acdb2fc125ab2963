"""A hub as `make hub` starts it, in a folder of its own, and people who log in with a browser."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[2] / "chapters"))

from _ext.site.chromium import ARGUMENTS, program

ROOT = Path(__file__).parents[2]

# Run Python in a kernel of the server that the page belongs to, and return what it prints.
IN_A_KERNEL = """
async (code) => {
  const settings = JSON.parse(document.getElementById('jupyter-config-data').textContent);
  const xsrf = document.cookie.match(/_xsrf=([^;]*)/)[1];
  const ask = (method, path) =>
    fetch(settings.baseUrl + path, {method, headers: {'X-XSRFToken': xsrf}});
  const kernel = await (await ask('POST', 'api/kernels')).json();
  const channels = new WebSocket(
    `ws://${location.host}${settings.baseUrl}api/kernels/${kernel.id}/channels`);
  await new Promise((resolve) => { channels.onopen = resolve; });
  const header = {msg_id: 'question', msg_type: 'execute_request', username: '', session: 'test',
                  date: new Date().toISOString(), version: '5.3'};
  const content = {code, silent: false, store_history: false, user_expressions: {},
                   allow_stdin: false, stop_on_error: true};
  let printed = '';
  const done = new Promise((resolve, reject) => {
    channels.onmessage = (event) => {
      const message = JSON.parse(event.data);
      if (message.parent_header.msg_id !== 'question') return;
      if (message.msg_type === 'stream') printed += message.content.text;
      if (message.msg_type === 'error') reject(new Error(message.content.traceback.join('\\n')));
      if (message.msg_type === 'status' && message.content.execution_state === 'idle') resolve();
    };
  });
  channels.send(JSON.stringify({header, parent_header: {}, metadata: {}, content,
                                channel: 'shell', buffers: []}));
  await done;
  channels.close();
  await ask('DELETE', 'api/kernels/' + kernel.id);
  return printed;
}
"""


class Hub:
    """A running hub: its address, its passwords, and the folder that holds what it keeps."""

    def __init__(self, folder: Path, port: int, process: subprocess.Popen, log: Path):
        self.folder, self.port, self.process, self.log = folder, port, process, log
        self.address = f"http://course.localhost:{port}"

    def wait(self, seconds: float = 90) -> None:
        """Wait until it answers."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            assert self.process.poll() is None, self.log.read_text()
            try:
                urllib.request.urlopen(
                    urllib.request.Request(
                        f"http://127.0.0.1:{self.port}/hub/health",
                        headers={"Host": f"course.localhost:{self.port}"},
                    ),
                    timeout=5,
                )
                return
            except OSError:
                time.sleep(0.2)
        pytest.fail(f"The hub does not answer:\n{self.log.read_text()}")

    def password(self, name: str) -> str:
        """The password that the hub has made for this person."""
        return json.loads((self.folder / "hub" / "passwords.json").read_text())[name]


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    """A hub that has never run before."""
    folder = tmp_path_factory.mktemp("hub")
    log = folder / "log.txt"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "HUB_FOLDER": str(folder / "kept"), "PORT": str(port)}
    with open(log, "w") as stream:
        process = subprocess.Popen(
            ["bash", str(ROOT / "hub" / "start")],
            env=environment, stdout=stream, stderr=stream, start_new_session=True,
        )  # fmt: skip
    running = Hub(folder / "kept", port, process, log)
    try:
        running.wait()
        yield running
    finally:
        os.killpg(process.pid, signal.SIGINT)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def browser():
    """Headless Chromium."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program(), args=ARGUMENTS)
        yield chromium
        chromium.close()


class Person:
    """Somebody who has logged in, in front of JupyterLab."""

    def __init__(self, hub: Hub, browser, name: str):
        self.name = name
        context = browser.new_context(viewport={"width": 1400, "height": 1000})
        self.page = context.new_page()
        self.page.set_default_timeout(60_000)
        self.page.goto(f"{hub.address}/hub/login")
        self.page.fill("#username_input", name)
        self.page.fill("#password_input", hub.password(name))
        self.page.click("#login_submit")
        self.page.wait_for_url(f"http://{name}.course.localhost:{hub.port}/user/{name}/lab**")
        self.server = f"http://{name}.course.localhost:{hub.port}/user/{name}"
        self.page.locator("#jp-MainMenu >> text=Nbgrader").wait_for()

    def open(self, path: str) -> None:
        """Open a file of this person's in JupyterLab."""
        self.page.goto(f"{self.server}/lab/tree/{path}?reset")

    def choose(self, command: str) -> None:
        """Choose an entry of the menu *Nbgrader*."""
        self.page.locator("#jp-MainMenu >> text=Nbgrader").click()
        self.page.locator(f'#jp-mainmenu-nbgrader li[data-command="nbgrader:{command}"]').click()

    def run(self, code: str) -> str:
        """Run Python in this person's own server; return what it prints."""
        if "/lab" not in self.page.url:
            self.page.goto(f"{self.server}/lab")
            self.page.locator("#jupyter-config-data").wait_for(state="attached")
        return self.page.evaluate(IN_A_KERNEL, code)


@pytest.fixture(scope="module")
def people(hub, browser):
    """The instructor and the two students, each logged in."""
    return {name: Person(hub, browser, name) for name in ("instructor", "ada", "emmy")}
