# What the first cell of the notebook imports.

import unicodedata
from collections import Counter
from itertools import pairwise
