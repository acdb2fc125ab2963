# Keeps the positions as float16, which knows only even numbers beyond 2048, so the masks of long texts are wrong.
# points: 3
class RingBuffer:
    def __init__(self, window, room):
        self.window = window
        self.room = room
        self.reset()

    def reset(self):
        self.key = None
        self.value = None
        self.position = torch.full((self.room,), -1.0, dtype=torch.float16)
        self.count = 0

    def update(self, new_key, new_value):
        new = new_key.shape[2]
        if new > self.room - self.window + 1:
            raise ValueError("too many new tokens")
        if self.key is None:
            self.key = new_key.new_zeros(*new_key.shape[:2], self.room, new_key.shape[3])
            self.value = new_value.new_zeros(*new_value.shape[:2], self.room, new_value.shape[3])
        query = torch.arange(self.count, self.count + new)
        slot = query % self.room
        self.key[:, :, slot] = new_key
        self.value[:, :, slot] = new_value
        self.position[slot] = query.half()
        self.count += new
        held = self.position[None, :]
        query = query[:, None]
        mask = (held >= 0) & (held <= query) & (held > query - self.window)
        return self.key, self.value, mask
