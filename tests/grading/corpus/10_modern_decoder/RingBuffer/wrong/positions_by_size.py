# Keeps the positions of the slots in a table by window and room, which rings of one size share.
# points: 3
POSITIONS = {}


class RingBuffer:
    def __init__(self, window, room):
        self.window, self.room = window, room
        self.positions = POSITIONS.setdefault((window, room), torch.full((room,), -1))
        self.reset()

    def reset(self):
        self.positions.fill_(-1)
        self.key = self.value = None
        self.length = 0

    def update(self, new_key, new_value):
        new = new_key.size(2)
        if new > self.room - self.window + 1:
            raise ValueError("too many new tokens")
        if self.key is None:
            batch, heads = new_key.shape[:2]
            self.key = new_key.new_zeros(batch, heads, self.room, new_key.size(3))
            self.value = new_value.new_zeros(batch, heads, self.room, new_value.size(3))
        now = torch.arange(self.length, self.length + new)
        self.key[:, :, now % self.room] = new_key
        self.value[:, :, now % self.room] = new_value
        self.positions[now % self.room] = now
        self.length += new
        back = now[:, None] - self.positions
        return self.key, self.value, (self.positions >= 0) & (back >= 0) & (back < self.window)
