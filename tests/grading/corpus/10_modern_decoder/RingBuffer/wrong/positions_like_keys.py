# Keeps the positions in the dtype of the keys, which for float16 and bfloat16 rounds them in longer texts.
# points: 3
class RingBuffer:
    """Keys and values of a sliding window, in a buffer that keeps its shape."""

    def __init__(self, window: int, room: int):
        self.window = window
        self.room = room
        self.reset()

    def reset(self) -> None:
        """Forget the text."""
        self.seen = 0
        self.key = None
        self.value = None
        self.places = None

    def update(self, new_key: Tensor, new_value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Write the next tokens; return all slots and what the new tokens may see."""
        batch, heads, new, size = new_key.shape
        if new > self.room - self.window + 1:
            raise ValueError("too many new tokens at once")
        if self.key is None:
            self.places = new_key.new_full((self.room,), -1)
            self.key = torch.zeros(batch, heads, self.room, size, dtype=new_key.dtype)
            self.value = torch.zeros(
                batch, heads, self.room, new_value.size(-1), dtype=new_value.dtype
            )
        now = torch.arange(self.seen, self.seen + new)
        slots = now % self.room
        self.key[:, :, slots] = new_key
        self.value[:, :, slots] = new_value
        self.places[slots] = now.to(self.places.dtype)
        self.seen += new
        now = now[:, None]
        mask = (self.places >= 0) & (self.places <= now) & (self.places > now - self.window)
        return self.key, self.value, mask
