# the bug hunt undone: the broken stack under its new name
# points: 0

RepairedStack = BrokenStack
