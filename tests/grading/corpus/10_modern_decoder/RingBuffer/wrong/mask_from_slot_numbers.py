# the mask goes by the slots' numbers, as if the ring never went around
# points: 0

class RingBuffer:
    def __init__(self, window, room):
        self.window, self.room = window, room
        self.reset()

    def reset(self):
        self.seen = 0
        self.key = None
        self.value = None

    def update(self, new_key, new_value):
        b, h, n, d = new_key.shape
        if n > self.room - self.window + 1:
            raise ValueError("too many tokens")
        if self.key is None:
            self.key = torch.zeros(b, h, self.room, d, dtype=new_key.dtype)
            self.value = torch.zeros(b, h, self.room, new_value.shape[-1], dtype=new_value.dtype)
        pos = torch.arange(self.seen, self.seen + n)
        self.key[:, :, pos % self.room] = new_key
        self.value[:, :, pos % self.room] = new_value
        self.seen += n
        slots = torch.arange(self.room)
        mask = (slots[None] <= pos[:, None]) & (slots[None] > pos[:, None] - self.window)
        return self.key, self.value, mask
