# an nn.Module that keeps the age of each slot instead of its position
# points: 4

class RingBuffer(nn.Module):
    def __init__(self, window: int, room: int):
        super().__init__()
        self.window, self.room = window, room
        self.reset()

    def reset(self):
        self.next = 0
        self.age = torch.full((self.room,), 10**6)
        self.store = None

    @torch.no_grad()
    def update(self, new_key, new_value):
        n = new_key.size(-2)
        if n + self.window - 1 > self.room:
            raise ValueError("too many new tokens at once")
        if self.store is None:
            self.store = [
                torch.zeros_like(x[..., :1, :]).expand(-1, -1, self.room, -1).contiguous()
                for x in (new_key, new_value)
            ]
        slots = (self.next + torch.arange(n)) % self.room
        self.age += n
        self.age[slots] = torch.arange(n - 1, -1, -1)
        for store, x in zip(self.store, (new_key, new_value)):
            store[:, :, slots, :] = x
        self.next = (self.next + n) % self.room
        back = self.age - torch.arange(n - 1, -1, -1)[:, None]
        return self.store[0], self.store[1], (back >= 0) & (back < self.window)
