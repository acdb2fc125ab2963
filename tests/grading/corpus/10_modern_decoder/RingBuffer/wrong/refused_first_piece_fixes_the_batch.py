# Makes the buffers before it refuses a piece, so a refused first piece fixes batch size and dtype of the text.
# points: 3
class RingBuffer:
    def __init__(self, window, room):
        self.window, self.room = window, room
        self.reset()

    def reset(self):
        self.key = None
        self.value = None
        self.positions = torch.full((self.room,), -(10**9))
        self.length = 0

    def update(self, new_key, new_value):
        new = new_key.shape[2]
        if self.key is None:
            self.key = new_key.new_zeros(*new_key.shape[:2], self.room, new_key.shape[3])
            self.value = new_value.new_zeros(*new_value.shape[:2], self.room, new_value.shape[3])
        if new > self.room - self.window + 1:
            raise ValueError(f"at most {self.room - self.window + 1} tokens at once, not {new}")
        queries = torch.arange(self.length, self.length + new)
        slots = queries % self.room
        self.key[:, :, slots] = new_key.detach()
        self.value[:, :, slots] = new_value.detach()
        self.positions[slots] = queries
        self.length += new
        mask = (self.positions <= queries[:, None]) & (self.positions > queries[:, None] - self.window)
        return self.key.clone(), self.value.clone(), mask
