# reset sets the counters back and leaves keys and values
# points: 3

class RingBuffer:
    def __init__(self, window, room):
        self.window, self.room = window, room
        self.key = self.value = None
        self.reset()

    def reset(self):
        self.n = 0
        self.positions = torch.full((self.room,), -1)

    def update(self, new_key, new_value):
        new = new_key.shape[2]
        if new > self.room - self.window + 1:
            raise ValueError("too many")
        if self.key is None:
            self.key = new_key.new_zeros(*new_key.shape[:2], self.room, new_key.shape[3])
            self.value = new_value.new_zeros(*new_value.shape[:2], self.room, new_value.shape[3])
        p = torch.arange(self.n, self.n + new)
        self.n += new
        s = p.remainder(self.room)
        self.key[:, :, s], self.value[:, :, s], self.positions[s] = new_key, new_value, p
        p = p.unsqueeze(-1)
        mask = (self.positions >= 0) & (self.positions <= p) & (self.positions > p - self.window)
        return self.key, self.value, mask
