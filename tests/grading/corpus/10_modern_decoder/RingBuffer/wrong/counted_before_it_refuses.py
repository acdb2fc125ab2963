# Raises the ValueError after it has counted the tokens, so the text can't go on as if nothing had happened.
# points: 3
class RingBuffer:
    def __init__(self, window: int, room: int):
        self.window, self.room = window, room
        self.reset()

    def reset(self) -> None:
        self.count, self.key, self.value = 0, None, None

    def update(self, new_key, new_value):
        new = new_key.shape[2]
        queries = torch.arange(self.count, self.count + new)
        self.count += new
        if new > self.room - self.window + 1:
            raise ValueError("too many tokens")
        if self.key is None:
            self.key = new_key.new_zeros(*new_key.shape[:2], self.room, new_key.shape[3])
            self.value = new_value.new_zeros(*new_value.shape[:2], self.room, new_value.shape[3])
        slots = queries % self.room
        self.key[:, :, slots] = new_key.detach()
        self.value[:, :, slots] = new_value.detach()
        last = self.count - 1
        held = last - (last - torch.arange(self.room)) % self.room
        distance = queries[:, None] - held[None]
        return self.key, self.value, (held >= 0) & (distance >= 0) & (distance < self.window)
