# %% a_list_of_positions | points 4 | positions in a list of Python, the mask row by row
class RingBuffer:
    def __init__(self, window, room):
        self.window = window
        self.room = room
        self.reset()

    def reset(self):
        self.pos = [None] * self.room
        self.n = 0
        self.k, self.v = None, None

    def update(self, new_key, new_value):
        new = new_key.shape[2]
        if new > self.room - self.window + 1:
            raise ValueError(f"at most {self.room - self.window + 1} tokens")
        if self.k is None:
            B, H, _, D = new_key.shape
            self.k = torch.zeros(B, H, self.room, D, dtype=new_key.dtype)
            self.v = torch.zeros(B, H, self.room, new_value.shape[-1], dtype=new_value.dtype)
        for t in range(new):
            s = (self.n + t) % self.room
            self.k[:, :, s] = new_key[:, :, t]
            self.v[:, :, s] = new_value[:, :, t]
            self.pos[s] = self.n + t
        mask = torch.zeros(new, self.room, dtype=torch.bool)
        for t in range(new):
            q = self.n + t
            for s, p in enumerate(self.pos):
                mask[t, s] = p is not None and q - self.window < p <= q
        self.n += new
        return self.k, self.v, mask

# %% age_of_each_slot | points 4 | an nn.Module that keeps the age of each slot instead of its position
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
