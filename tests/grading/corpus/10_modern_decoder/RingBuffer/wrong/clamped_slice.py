# Writes a piece into neighbouring slots and moves it back if it would run over the end, instead of going on at slot 0.
# points: 3
class RingBuffer:
    def __init__(self, window, room):
        self.window, self.room = window, room
        self.reset()

    def reset(self):
        self.read = 0
        self.key = self.value = None
        self.positions = torch.full((self.room,), -(10**9))

    def update(self, new_key, new_value):
        new = new_key.size(2)
        if new > self.room - self.window + 1:
            raise ValueError("too many")
        if self.key is None:
            self.key = new_key.new_zeros(*new_key.shape[:2], self.room, new_key.size(3))
            self.value = new_value.new_zeros(*new_value.shape[:2], self.room, new_value.size(3))
        start = min(self.read % self.room, self.room - new)
        query = torch.arange(self.read, self.read + new)
        self.key[:, :, start : start + new] = new_key
        self.value[:, :, start : start + new] = new_value
        self.positions[start : start + new] = query
        self.read += new
        distance = query[:, None] - self.positions
        return self.key, self.value, (distance >= 0) & (distance < self.window)
