# Writes a slice, which runs over the end of the buffer.
# points: 3
class RingBuffer:
    """Keys and values of a sliding window, in a buffer that keeps its shape."""

    def __init__(self, window: int, room: int):
        self.window, self.room = window, room
        self.reset()

    def reset(self) -> None:
        """Forget the text."""
        self.read = 0
        self.key = self.value = None
        self.positions = torch.full((self.room,), -1)

    def update(self, new_key: Tensor, new_value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Write the next tokens; return all slots and what the new tokens may see."""
        new = new_key.size(2)
        if new > self.room - self.window + 1:
            raise ValueError(f"{new} new tokens would overwrite keys that they need.")
        if self.key is None:
            self.key = new_key.new_zeros(*new_key.shape[:2], self.room, new_key.size(3))
            self.value = new_value.new_zeros(*new_value.shape[:2], self.room, new_value.size(3))
        query = torch.arange(self.read, self.read + new)
        slots = query % self.room
        start = self.read % self.room
        self.key[:, :, start : start + new] = new_key[:, :, : self.room - start]
        self.value[:, :, start : start + new] = new_value[:, :, : self.room - start]
        self.positions[slots] = query
        self.read += new
        query = query[:, None]
        mask = (self.positions >= 0) & (self.positions <= query)
        mask = mask & (self.positions > query - self.window)
        return self.key, self.value, mask
