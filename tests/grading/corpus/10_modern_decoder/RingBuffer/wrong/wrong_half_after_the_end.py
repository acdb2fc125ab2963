# A piece that runs over the end of the buffer is cut in two, but its first tokens are written again at the front.
# points: 3
class RingBuffer:
    def __init__(self, window, room):
        self.window, self.room = window, room
        self.reset()

    def reset(self):
        self.key = self.value = None
        self.seen = 0

    @torch.no_grad()
    def update(self, new_key, new_value):
        new = new_key.shape[2]
        if new > self.room - self.window + 1:
            raise ValueError("too many new tokens")
        if self.key is None:
            self.key = new_key.new_zeros(*new_key.shape[:2], self.room, new_key.shape[3])
            self.value = new_value.new_zeros(*new_value.shape[:2], self.room, new_value.shape[3])
        start = self.seen % self.room
        fits = min(new, self.room - start)
        rest = new - fits
        for buffer, piece in ((self.key, new_key), (self.value, new_value)):
            buffer[:, :, start : start + fits] = piece[:, :, :fits]
            if rest:
                buffer[:, :, :rest] = piece[:, :, :rest]
        at = torch.arange(self.seen, self.seen + new)[:, None]
        self.seen += new
        last = self.seen - 1
        held = last - (last - torch.arange(self.room)) % self.room
        mask = (held >= 0) & (held <= at) & (at - held < self.window)
        return self.key, self.value, mask
