# Writes one slice, which fails at the end of the buffer, and reset forgets the count only.
# points: 2
class RingBuffer:
    def __init__(self, window: int, room: int):
        self.window, self.room = window, room
        self.read = 0
        self.key = self.value = None
        self.positions = torch.full((room,), -1)

    def reset(self) -> None:
        self.read = 0

    def update(self, new_key: Tensor, new_value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        new = new_key.size(2)
        if new > self.room - self.window + 1:
            raise ValueError(f"at most {self.room - self.window + 1} new tokens")
        if self.key is None:
            self.key = new_key.new_zeros(*new_key.shape[:2], self.room, new_key.size(3))
            self.value = new_value.new_zeros(*new_value.shape[:2], self.room, new_value.size(3))
        start = self.read % self.room
        self.key[:, :, start : start + new] = new_key
        self.value[:, :, start : start + new] = new_value
        query = torch.arange(self.read, self.read + new)
        self.positions[start : start + new] = query
        self.read += new
        distance = query[:, None] - self.positions[None, :]
        mask = (self.positions >= 0) & (distance >= 0) & (distance < self.window)
        return self.key, self.value, mask
