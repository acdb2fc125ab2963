# Lets a query of a piece see later tokens of the same piece, but only after the first piece.
# points: 3
class RingBuffer:
    def __init__(self, window: int, room: int):
        self.window = window
        self.room = room
        self.reset()

    def reset(self) -> None:
        self.seen = 0
        self.keys = None
        self.values = None

    def update(self, new_key: Tensor, new_value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        batch, heads, new, head_size = new_key.shape
        if new > self.room - self.window + 1:
            raise ValueError("too many new tokens at once")
        if self.keys is None:
            self.keys = torch.zeros(batch, heads, self.room, head_size, dtype=new_key.dtype)
            self.values = torch.zeros(batch, heads, self.room, new_value.size(3), dtype=new_value.dtype)
        slots = torch.arange(self.room)
        for i in range(new):
            slot = (self.seen + i) % self.room
            self.keys[:, :, slot] = new_key[:, :, i]
            self.values[:, :, slot] = new_value[:, :, i]
        query = torch.arange(self.seen, self.seen + new)[:, None]
        self.seen += new
        last = self.seen - 1
        position = last - (last - slots) % self.room
        mask = (position >= 0) & ((position <= query) | (query[0] > 0)) & (query - position < self.window)
        return self.keys, self.values, mask
