# What the first cell of the notebook imports.

import copy
