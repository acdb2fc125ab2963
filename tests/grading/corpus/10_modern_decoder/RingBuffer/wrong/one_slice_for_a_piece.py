# a piece is written as one slice, which fails at the end of the buffer
# points: 3

class RingBuffer:
    def __init__(self, window, room):
        self.window, self.room = window, room
        self.reset()

    def reset(self):
        self.start = 0
        self.total = 0
        self.key = self.value = None
        self.pos = torch.full((self.room,), -10**9)

    def update(self, new_key, new_value):
        n = new_key.shape[2]
        if n > self.room - self.window + 1:
            raise ValueError("piece too long")
        if self.key is None:
            self.key = torch.zeros(*new_key.shape[:2], self.room, new_key.shape[-1], dtype=new_key.dtype)
            self.value = torch.zeros(*new_value.shape[:2], self.room, new_value.shape[-1], dtype=new_value.dtype)
        self.key[:, :, self.start : self.start + n] = new_key
        self.value[:, :, self.start : self.start + n] = new_value
        new_pos = torch.arange(self.total, self.total + n)
        self.pos[self.start : self.start + n] = new_pos
        self.start = (self.start + n) % self.room
        self.total += n
        d = new_pos[:, None] - self.pos
        return self.key, self.value, (d >= 0) & (d < self.window)
