# %% buffers_stay_after_reset | points 3 | reset() only sets the count and the positions; the buffers keep their numbers, batch size and dtype.
class RingBuffer:
    def __init__(self, window: int, room: int):
        self.window = window
        self.room = room
        self.keys = None
        self.values = None
        self.reset()

    def reset(self) -> None:
        self.seen = 0
        self.where = torch.full((self.room,), -1, dtype=torch.long)

    def update(self, new_key, new_value):
        n = new_key.shape[2]
        if n > self.room - self.window + 1:
            raise ValueError("too many new tokens at once")
        if self.keys is None:
            batch, heads = new_key.shape[:2]
            self.keys = torch.zeros(batch, heads, self.room, new_key.shape[3], dtype=new_key.dtype)
            self.values = torch.zeros(batch, heads, self.room, new_value.shape[3], dtype=new_value.dtype)
        for i in range(n):
            slot = (self.seen + i) % self.room
            self.keys[:, :, slot] = new_key[:, :, i]
            self.values[:, :, slot] = new_value[:, :, i]
            self.where[slot] = self.seen + i
        position = torch.arange(self.seen, self.seen + n).unsqueeze(1)
        self.seen += n
        distance = position - self.where
        mask = (self.where != -1) & (distance >= 0) & (distance < self.window)
        return self.keys, self.values, mask

# %% clamped_slice | points 3 | Writes a piece into neighbouring slots and moves it back if it would run over the end, instead of going on at slot 0.
class RingBuffer:
    def __init__(self, window, room):
        self.window, self.room = window, room
        self.reset()

    def reset(self):
        self.read = 0
        self.key = self.value = None
        self.positions = torch.full((self.room,), -(10**9))

    def update(self, new_key, new_value):
        new = new_key.size(2)
        if new > self.room - self.window + 1:
            raise ValueError("too many")
        if self.key is None:
            self.key = new_key.new_zeros(*new_key.shape[:2], self.room, new_key.size(3))
            self.value = new_value.new_zeros(*new_value.shape[:2], self.room, new_value.size(3))
        start = min(self.read % self.room, self.room - new)
        query = torch.arange(self.read, self.read + new)
        self.key[:, :, start : start + new] = new_key
        self.value[:, :, start : start + new] = new_value
        self.positions[start : start + new] = query
        self.read += new
        distance = query[:, None] - self.positions
        return self.key, self.value, (distance >= 0) & (distance < self.window)

# %% counted_before_it_refuses | points 3 | Raises the ValueError after it has counted the tokens, so the text can't go on as if nothing had happened.
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

# %% cut_at_the_end | points 3 | Writes a slice, which runs over the end of the buffer.
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

# %% empty_slots_have_position_zero | points 0 | positions begin as zeros, so the first queries see empty slots
class RingBuffer:
    def __init__(self, window, room):
        self.window = window
        self.room = room
        self.reset()

    def reset(self):
        self.count = 0
        self.k = self.v = None
        self.slot_pos = torch.zeros(self.room, dtype=torch.long)

    def update(self, new_key, new_value):
        n = new_key.size(2)
        if n > self.room - self.window + 1:
            raise ValueError
        if self.k is None:
            self.k = new_key.new_zeros(new_key.size(0), new_key.size(1), self.room, new_key.size(3))
            self.v = new_value.new_zeros(new_value.size(0), new_value.size(1), self.room, new_value.size(3))
        pos = torch.arange(n) + self.count
        idx = pos % self.room
        self.k[:, :, idx] = new_key
        self.v[:, :, idx] = new_value
        self.slot_pos[idx] = pos
        self.count += n
        diff = pos[:, None] - self.slot_pos[None, :]
        return self.k, self.v, (diff >= 0) & (diff < self.window)

# %% first_piece_and_reset | points 3 | The limit isn't applied to the first piece, and reset() keeps the old buffers with their numbers, shape and dtype.
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

# %% float16_positions | points 3 | Keeps the positions as float16, which knows only even numbers beyond 2048, so the masks of long texts are wrong.
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

# %% int8_positions | points 0 | Saves memory with positions in int8: from position 128 on they are negative.
class RingBuffer:
    def __init__(self, window, room):
        self.window = window
        self.room = room
        self.reset()

    def reset(self):
        self.count = 0
        self.keys = None
        self.values = None
        self.where = torch.full((self.room,), -1, dtype=torch.int8)

    def update(self, new_key, new_value):
        n = new_key.shape[2]
        if n > self.room - self.window + 1:
            raise ValueError("too many new tokens")
        if self.keys is None:
            b, h, _, d = new_key.shape
            self.keys = torch.zeros(b, h, self.room, d, dtype=new_key.dtype)
            self.values = torch.zeros(b, h, self.room, new_value.shape[-1], dtype=new_value.dtype)
        now = torch.arange(self.count, self.count + n)
        self.keys[:, :, now % self.room] = new_key
        self.values[:, :, now % self.room] = new_value
        self.where[now % self.room] = now.to(torch.int8)
        self.count += n
        distance = now[:, None] - self.where
        mask = (self.where >= 0) & (distance >= 0) & (distance < self.window)
        return self.keys, self.values, mask

# %% keys_always_float32 | points 3 | The buffer of keys is always float32, that of values has the dtype of the values; tokens are written one by one.
class RingBuffer:
    def __init__(self, window, room):
        self.window, self.room = window, room
        self.reset()

    def reset(self):
        self.read, self.key, self.value = 0, None, None
        self.positions = torch.full((self.room,), -1)

    def update(self, new_key, new_value):
        batch, heads, new, size = new_key.shape
        if new > self.room - self.window + 1:
            raise ValueError("too many new tokens")
        if self.key is None:
            self.key = torch.zeros(batch, heads, self.room, size)
            self.value = new_value.new_zeros(batch, heads, self.room, new_value.size(3))
        for token in range(new):
            slot = (self.read + token) % self.room
            self.key[:, :, slot] = new_key[:, :, token]
            self.value[:, :, slot] = new_value[:, :, token]
            self.positions[slot] = self.read + token
        query = torch.arange(self.read, self.read + new)[:, None]
        self.read += new
        distance = query - self.positions
        mask = (self.positions >= 0) & (distance >= 0) & (distance < self.window)
        return self.key, self.value, mask

# %% later_new_tokens_visible | points 3 | Lets a query of a piece see later tokens of the same piece, but only after the first piece.
class RingBuffer:
    def __init__(self, window: int, room: int):
        self.window = window
        self.room = room
        self.reset()

    def reset(self) -> None:
        self.seen = 0
        self.keys = None
        self.values = None

    def update(self, new_key: Tensor, new_value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        batch, heads, new, head_size = new_key.shape
        if new > self.room - self.window + 1:
            raise ValueError("too many new tokens at once")
        if self.keys is None:
            self.keys = torch.zeros(batch, heads, self.room, head_size, dtype=new_key.dtype)
            self.values = torch.zeros(batch, heads, self.room, new_value.size(3), dtype=new_value.dtype)
        slots = torch.arange(self.room)
        for i in range(new):
            slot = (self.seen + i) % self.room
            self.keys[:, :, slot] = new_key[:, :, i]
            self.values[:, :, slot] = new_value[:, :, i]
        query = torch.arange(self.seen, self.seen + new)[:, None]
        self.seen += new
        last = self.seen - 1
        position = last - (last - slots) % self.room
        mask = (position >= 0) & ((position <= query) | (query[0] > 0)) & (query - position < self.window)
        return self.keys, self.values, mask

# %% left_tokens_erased | points 0 | Fills the slots of tokens that have left the window with zeros, though the text keeps them in their slot.
class RingBuffer:
    def __init__(self, window, room):
        self.window = window
        self.room = room
        self.reset()

    def reset(self):
        self.count = 0
        self.keys = None
        self.values = None
        self.where = torch.full((self.room,), -1)

    def update(self, new_key, new_value):
        n = new_key.shape[2]
        if n > self.room - self.window + 1:
            raise ValueError("too many new tokens")
        if self.keys is None:
            b, h, _, d = new_key.shape
            self.keys = torch.zeros(b, h, self.room, d, dtype=new_key.dtype)
            self.values = torch.zeros(b, h, self.room, new_value.shape[-1], dtype=new_value.dtype)
        now = torch.arange(self.count, self.count + n)
        self.keys[:, :, now % self.room] = new_key
        self.values[:, :, now % self.room] = new_value
        self.where[now % self.room] = now
        self.count += n
        old = self.where <= self.count - 1 - self.window
        self.keys[:, :, old] = 0
        self.values[:, :, old] = 0
        distance = now[:, None] - self.where
        mask = (self.where >= 0) & (distance >= 0) & (distance < self.window)
        return self.keys, self.values, mask

# %% mask_from_slot_numbers | points 0 | the mask goes by the slots' numbers, as if the ring never went around
class RingBuffer:
    def __init__(self, window, room):
        self.window, self.room = window, room
        self.reset()

    def reset(self):
        self.seen = 0
        self.key = None
        self.value = None

    def update(self, new_key, new_value):
        b, h, n, d = new_key.shape
        if n > self.room - self.window + 1:
            raise ValueError("too many tokens")
        if self.key is None:
            self.key = torch.zeros(b, h, self.room, d, dtype=new_key.dtype)
            self.value = torch.zeros(b, h, self.room, new_value.shape[-1], dtype=new_value.dtype)
        pos = torch.arange(self.seen, self.seen + n)
        self.key[:, :, pos % self.room] = new_key
        self.value[:, :, pos % self.room] = new_value
        self.seen += n
        slots = torch.arange(self.room)
        mask = (slots[None] <= pos[:, None]) & (slots[None] > pos[:, None] - self.window)
        return self.key, self.value, mask

# %% one_slice_for_a_piece | points 3 | a piece is written as one slice, which fails at the end of the buffer
class RingBuffer:
    def __init__(self, window, room):
        self.window, self.room = window, room
        self.reset()

    def reset(self):
        self.start = 0
        self.total = 0
        self.key = self.value = None
        self.pos = torch.full((self.room,), -10**9)

    def update(self, new_key, new_value):
        n = new_key.shape[2]
        if n > self.room - self.window + 1:
            raise ValueError("piece too long")
        if self.key is None:
            self.key = torch.zeros(*new_key.shape[:2], self.room, new_key.shape[-1], dtype=new_key.dtype)
            self.value = torch.zeros(*new_value.shape[:2], self.room, new_value.shape[-1], dtype=new_value.dtype)
        self.key[:, :, self.start : self.start + n] = new_key
        self.value[:, :, self.start : self.start + n] = new_value
        new_pos = torch.arange(self.total, self.total + n)
        self.pos[self.start : self.start + n] = new_pos
        self.start = (self.start + n) % self.room
        self.total += n
        d = new_pos[:, None] - self.pos
        return self.key, self.value, (d >= 0) & (d < self.window)

# %% places_shared | points 3 | The positions are a dictionary of the class, which all rings share.
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

# %% positions_by_size | points 3 | Keeps the positions of the slots in a table by window and room, which rings of one size share.
POSITIONS = {}


class RingBuffer:
    def __init__(self, window, room):
        self.window, self.room = window, room
        self.positions = POSITIONS.setdefault((window, room), torch.full((room,), -1))
        self.reset()

    def reset(self):
        self.positions.fill_(-1)
        self.key = self.value = None
        self.length = 0

    def update(self, new_key, new_value):
        new = new_key.size(2)
        if new > self.room - self.window + 1:
            raise ValueError("too many new tokens")
        if self.key is None:
            batch, heads = new_key.shape[:2]
            self.key = new_key.new_zeros(batch, heads, self.room, new_key.size(3))
            self.value = new_value.new_zeros(batch, heads, self.room, new_value.size(3))
        now = torch.arange(self.length, self.length + new)
        self.key[:, :, now % self.room] = new_key
        self.value[:, :, now % self.room] = new_value
        self.positions[now % self.room] = now
        self.length += new
        back = now[:, None] - self.positions
        return self.key, self.value, (self.positions >= 0) & (back >= 0) & (back < self.window)

# %% positions_like_keys | points 3 | Keeps the positions in the dtype of the keys, which for float16 and bfloat16 rounds them in longer texts.
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

# %% refused_first_piece_fixes_the_batch | points 3 | Makes the buffers before it refuses a piece, so a refused first piece fixes batch size and dtype of the text.
class RingBuffer:
    def __init__(self, window, room):
        self.window, self.room = window, room
        self.reset()

    def reset(self):
        self.key = None
        self.value = None
        self.positions = torch.full((self.room,), -(10**9))
        self.length = 0

    def update(self, new_key, new_value):
        new = new_key.shape[2]
        if self.key is None:
            self.key = new_key.new_zeros(*new_key.shape[:2], self.room, new_key.shape[3])
            self.value = new_value.new_zeros(*new_value.shape[:2], self.room, new_value.shape[3])
        if new > self.room - self.window + 1:
            raise ValueError(f"at most {self.room - self.window + 1} tokens at once, not {new}")
        queries = torch.arange(self.length, self.length + new)
        slots = queries % self.room
        self.key[:, :, slots] = new_key.detach()
        self.value[:, :, slots] = new_value.detach()
        self.positions[slots] = queries
        self.length += new
        mask = (self.positions <= queries[:, None]) & (self.positions > queries[:, None] - self.window)
        return self.key.clone(), self.value.clone(), mask

# %% refuses_only_what_exceeds_the_room | points 0 | the limit is the room, and the window is one too wide
class RingBuffer:
    def __init__(self, window, room):
        self.window, self.room = window, room
        self.reset()

    def reset(self):
        self.t = 0
        self.buf = None
        self.at = torch.full((self.room,), -(2**40))

    def update(self, new_key, new_value):
        n = new_key.shape[2]
        if n > self.room:
            raise ValueError("more tokens than slots")
        if self.buf is None:
            self.buf = (
                new_key.new_zeros(*new_key.shape[:2], self.room, new_key.shape[3]),
                new_value.new_zeros(*new_value.shape[:2], self.room, new_value.shape[3]),
            )
        now = torch.arange(self.t, self.t + n)
        self.buf[0][:, :, now % self.room] = new_key
        self.buf[1][:, :, now % self.room] = new_value
        self.at[now % self.room] = now
        self.t += n
        gap = now[:, None] - self.at
        return self.buf[0], self.buf[1], (gap >= 0) & (gap <= self.window)

# %% reset_keeps_the_buffers | points 3 | reset sets the counters back and leaves keys and values
class RingBuffer:
    def __init__(self, window, room):
        self.window, self.room = window, room
        self.key = self.value = None
        self.reset()

    def reset(self):
        self.n = 0
        self.positions = torch.full((self.room,), -1)

    def update(self, new_key, new_value):
        new = new_key.shape[2]
        if new > self.room - self.window + 1:
            raise ValueError("too many")
        if self.key is None:
            self.key = new_key.new_zeros(*new_key.shape[:2], self.room, new_key.shape[3])
            self.value = new_value.new_zeros(*new_value.shape[:2], self.room, new_value.shape[3])
        p = torch.arange(self.n, self.n + new)
        self.n += new
        s = p.remainder(self.room)
        self.key[:, :, s], self.value[:, :, s], self.positions[s] = new_key, new_value, p
        p = p.unsqueeze(-1)
        mask = (self.positions >= 0) & (self.positions <= p) & (self.positions > p - self.window)
        return self.key, self.value, mask

# %% slice_and_old_positions | points 2 | Writes one slice, which fails at the end of the buffer, and reset forgets the count only.
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

# %% slice_and_shared_dict | points 2 | Writes a slice, which can't run over the end, and keeps the positions in a dictionary of the class.
class RingBuffer:
    positions = {}

    def __init__(self, window, room):
        self.window, self.room = window, room
        self.reset()

    def reset(self):
        self.positions.clear()
        self.seen = 0
        self.key = self.value = None

    def update(self, new_key, new_value):
        new = new_key.size(2)
        if new > self.room - self.window + 1:
            raise ValueError(f"at most {self.room - self.window + 1} tokens")
        if self.seen == 0:
            self.key = new_key.new_zeros(*new_key.shape[:2], self.room, new_key.size(3))
            self.value = new_value.new_zeros(*new_value.shape[:2], self.room, new_value.size(3))
        slot = self.seen % self.room
        self.key[:, :, slot : slot + new] = new_key
        self.value[:, :, slot : slot + new] = new_value
        mask = torch.zeros(new, self.room, dtype=torch.bool)
        for i in range(new):
            self.positions[slot + i] = self.seen + i
        for i in range(new):
            for s, p in self.positions.items():
                mask[i, s] = self.seen + i - self.window < p <= self.seen + i
        self.seen += new
        return self.key, self.value, mask

# %% wrong_half_after_the_end | points 3 | A piece that runs over the end of the buffer is cut in two, but its first tokens are written again at the front.
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

# %% zero_key_is_empty | points 0 | Takes a slot whose key is zero for an empty one.
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
        self.key[:, :, slots] = new_key
        self.value[:, :, slots] = new_value
        self.positions[slots] = query
        self.read += new
        query = query[:, None]
        mask = self.key.ne(0).any(-1)[0, 0] & (self.positions <= query)
        mask = mask & (self.positions > query - self.window)
        return self.key, self.value, mask
