"""Many numbers from a page: the page writes its arrays as text, and here they are read again."""

import base64

import numpy as np
import torch
from torch import Tensor

# `window.text` turns a list of Float32Array into text.
DEFINE_TEXT = """() => {
  window.text = (arrays) => {
    const bytes = new Uint8Array(arrays.reduce((sum, array) => sum + array.byteLength, 0));
    let at = 0;
    for (const array of arrays) {
      bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
      at += array.byteLength;
    }
    let all = "";
    for (let i = 0; i < bytes.length; i += 9999) {
      all += String.fromCharCode(...bytes.subarray(i, i + 9999));
    }
    return btoa(all);
  };
}"""


def read_text(told: str) -> Tensor:
    """Return the numbers of `window.text`, one after the other."""
    return torch.from_numpy(np.frombuffer(base64.b64decode(told), "<f4").copy())
