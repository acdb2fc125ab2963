# The limit isn't applied to the first piece, and reset() keeps the old buffers with their numbers, shape and dtype.
# points: 3
class RingBuffer:
    def __init__(self, window: int, room: int):
        self.window = window
        self.room = room
        self.keys = self.values = None
        self.reset()

    def reset(self) -> None:
        self.seen = 0
        self.where = torch.full((self.room,), -1, dtype=torch.long)

    def update(self, new_key: Tensor, new_value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        n = new_key.shape[2]
        if self.seen and n > self.room - self.window + 1:
            raise ValueError("too many new tokens")
        if self.keys is None:
            b, h, _, d = new_key.shape
            self.keys = torch.zeros(b, h, self.room, d, dtype=new_key.dtype)
            self.values = torch.zeros(b, h, self.room, new_value.shape[-1], dtype=new_value.dtype)
        positions = torch.arange(n) + self.seen
        slots = positions % self.room
        self.keys[:, :, slots] = new_key
        self.values[:, :, slots] = new_value
        self.where[slots] = positions
        self.seen += n
        distance = positions[:, None] - self.where[None, :]
        mask = (self.where >= 0) & (distance >= 0) & (distance < self.window)
        return self.keys, self.values, mask
