# positions begin as zeros, so the first queries see empty slots
# points: 0

class RingBuffer:
    def __init__(self, window, room):
        self.window = window
        self.room = room
        self.reset()

    def reset(self):
        self.count = 0
        self.k = self.v = None
        self.slot_pos = torch.zeros(self.room, dtype=torch.long)

    def update(self, new_key, new_value):
        n = new_key.size(2)
        if n > self.room - self.window + 1:
            raise ValueError
        if self.k is None:
            self.k = new_key.new_zeros(new_key.size(0), new_key.size(1), self.room, new_key.size(3))
            self.v = new_value.new_zeros(new_value.size(0), new_value.size(1), self.room, new_value.size(3))
        pos = torch.arange(n) + self.count
        idx = pos % self.room
        self.k[:, :, idx] = new_key
        self.v[:, :, idx] = new_value
        self.slot_pos[idx] = pos
        self.count += n
        diff = pos[:, None] - self.slot_pos[None, :]
        return self.k, self.v, (diff >= 0) & (diff < self.window)
