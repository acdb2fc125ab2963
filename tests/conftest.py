"""What a run says of itself before it starts."""

import torch


def pytest_report_header():
    if torch.cuda.is_available():
        return "devices: cpu and cuda"
    return "devices: cpu only. NOT TESTED ON A GPU, because this machine has none"
