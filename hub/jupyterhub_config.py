"""The hub that `make hub` starts: who may log in, what runs as whom, and what nbgrader is told."""

import os
import sys
from pathlib import Path

from jupyterhub.utils import random_port

sys.path.insert(0, str(Path(__file__).parent))

import accounts

c = get_config()
HERE = Path(__file__).parent

accounts.begin()

# Who may log in is up to `login_passwords.py`, or to another file that HUB_LOGIN names.
login = HERE / f"login_{os.environ['HUB_LOGIN']}.py"
if not login.exists():  # `load_subconfig` would go on without it
    raise SystemExit(f"HUB_LOGIN: there is no {login}.")
load_subconfig(str(login))

# Each person's server has an origin of its own, so that no page of one can act in another's name,
# and formgrader may stand in JupyterLab's frame. Browsers take *.localhost for this machine.
PORT = os.environ["PORT"]
c.JupyterHub.bind_url = f"http://127.0.0.1:{PORT}"
c.JupyterHub.subdomain_host = f"http://course.localhost:{PORT}"
c.JupyterHub.hub_port = random_port()
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{random_port()}"
c.ConfigurableHTTPProxy.command = [
    os.environ["NODE"],
    str(HERE / "node_modules/configurable-http-proxy/bin/configurable-http-proxy"),
]

# A server runs under an account of Linux, with JupyterLab and nbgrader from the course's .venv.
c.JupyterHub.spawner_class = accounts.AccountSpawner
c.Spawner.cmd = [sys.executable, "-m", "jupyterhub.singleuser"]
c.Spawner.default_url = "/lab"
c.Spawner.env_keep = ["PATH", "LANG"]
c.Spawner.environment = {
    # what Jupyter and nbgrader are told
    "JUPYTER_CONFIG_PATH": lambda spawner: ":".join(
        str(HERE / "jupyter" / kind)
        for kind in ("instructor" if spawner.teaches else "student", "everyone")
    ),
    # the grader is imported from the course's folder
    "PYTHONPATH": lambda spawner: str(accounts.COURSE) if spawner.teaches else "",
}
