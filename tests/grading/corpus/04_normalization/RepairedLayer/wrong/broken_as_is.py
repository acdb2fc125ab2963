# broken as is
# points: 0

class RepairedLayer(BrokenLayer):
    pass
