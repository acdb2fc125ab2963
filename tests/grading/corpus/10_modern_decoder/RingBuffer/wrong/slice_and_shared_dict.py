# Writes a slice, which can't run over the end, and keeps the positions in a dictionary of the class.
# points: 2
class RingBuffer:
    positions = {}

    def __init__(self, window, room):
        self.window, self.room = window, room
        self.reset()

    def reset(self):
        self.positions.clear()
        self.seen = 0
        self.key = self.value = None

    def update(self, new_key, new_value):
        new = new_key.size(2)
        if new > self.room - self.window + 1:
            raise ValueError(f"at most {self.room - self.window + 1} tokens")
        if self.seen == 0:
            self.key = new_key.new_zeros(*new_key.shape[:2], self.room, new_key.size(3))
            self.value = new_value.new_zeros(*new_value.shape[:2], self.room, new_value.size(3))
        slot = self.seen % self.room
        self.key[:, :, slot : slot + new] = new_key
        self.value[:, :, slot : slot + new] = new_value
        mask = torch.zeros(new, self.room, dtype=torch.bool)
        for i in range(new):
            self.positions[slot + i] = self.seen + i
        for i in range(new):
            for s, p in self.positions.items():
                mask[i, s] = self.seen + i - self.window < p <= self.seen + i
        self.seen += new
        return self.key, self.value, mask
