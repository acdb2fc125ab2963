# The positions are a dictionary of the class, which all rings share.
# points: 3
class RingBuffer:
    """Keys and values of a sliding window, in a buffer that keeps its shape."""

    places = {}  # slot: position

    def __init__(self, window: int, room: int):
        self.window = window
        self.room = room
        self.reset()

    def reset(self) -> None:
        """Forget the text."""
        self.count = 0
        self.keys = None
        self.values = None
        self.places.clear()

    def update(self, new_key: Tensor, new_value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Write the next tokens; return all slots and what the new tokens may see."""
        new = new_key.shape[2]
        if new > self.room - self.window + 1:
            raise ValueError("too many new tokens")
        if self.keys is None:
            batch, heads = new_key.shape[:2]
            self.keys = new_key.new_zeros(batch, heads, self.room, new_key.shape[-1])
            self.values = new_value.new_zeros(batch, heads, self.room, new_value.shape[-1])
        mask = torch.zeros(new, self.room, dtype=torch.bool)
        for i in range(new):
            slot = (self.count + i) % self.room
            self.keys[:, :, slot] = new_key[:, :, i]
            self.values[:, :, slot] = new_value[:, :, i]
            self.places[slot] = self.count + i
        for i in range(new):
            for slot, place in self.places.items():
                mask[i, slot] = self.count + i - self.window < place <= self.count + i
        self.count += new
        return self.keys, self.values, mask
