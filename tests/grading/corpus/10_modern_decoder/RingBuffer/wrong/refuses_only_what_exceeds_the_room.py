# the limit is the room, and the window is one too wide
# points: 0

class RingBuffer:
    def __init__(self, window, room):
        self.window, self.room = window, room
        self.reset()

    def reset(self):
        self.t = 0
        self.buf = None
        self.at = torch.full((self.room,), -(2**40))

    def update(self, new_key, new_value):
        n = new_key.shape[2]
        if n > self.room:
            raise ValueError("more tokens than slots")
        if self.buf is None:
            self.buf = (
                new_key.new_zeros(*new_key.shape[:2], self.room, new_key.shape[3]),
                new_value.new_zeros(*new_value.shape[:2], self.room, new_value.shape[3]),
            )
        now = torch.arange(self.t, self.t + n)
        self.buf[0][:, :, now % self.room] = new_key
        self.buf[1][:, :, now % self.room] = new_value
        self.at[now % self.room] = now
        self.t += n
        gap = now[:, None] - self.at
        return self.buf[0], self.buf[1], (gap >= 0) & (gap <= self.window)
