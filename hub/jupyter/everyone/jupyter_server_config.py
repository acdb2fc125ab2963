"""Jupyter for everybody on the hub."""

c = get_config()
# Formgrader stands in a frame of JupyterLab. Each server has its own origin, so this is no other's.
c.ServerApp.tornado_settings = {"headers": {"Content-Security-Policy": "frame-ancestors 'self'"}}
