# %% all_rows_at_once_with_rotary_size | points 0 | all rows at once with rotary_size
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n in state:
        if n[0] in 'qk':
            x = state[n]; r = rotary_size
            new[n] = torch.cat([x[:r].unflatten(0, (2, -1)).transpose(0, 1).flatten(0, 1), x[r:]], 0)
    return new

# %% bias_not_by_heads | points 3 | The bias is taken for one long head: its numbers wander from head to head.
def to_interleaved(
    state: dict[str, Tensor], num_attention_heads: int, num_key_value_heads: int, rotary_size: int
) -> dict[str, Tensor]:
    new = dict(state)
    for layer, heads in (("query", num_attention_heads), ("key", num_key_value_heads)):
        weight = state[f"{layer}.weight"]
        rows = weight.unflatten(0, (heads, -1))
        part, rest = rows[:, :rotary_size], rows[:, rotary_size:]
        part = part.unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2)
        new[f"{layer}.weight"] = torch.cat([part, rest], dim=1).reshape(weight.shape)
        if f"{layer}.bias" in state:
            bias = state[f"{layer}.bias"]
            total = rotary_size * heads
            first = bias[:total].view(2, -1).T.flatten()
            new[f"{layer}.bias"] = torch.cat([first, bias[total:]])
    return new

# %% bias_of_queries_only | points 3 | The bias of the queries is reordered, that of the keys forgotten.
def to_interleaved(
    state: dict[str, Tensor], num_attention_heads: int, num_key_value_heads: int, rotary_size: int
) -> dict[str, Tensor]:
    """Weights for interleaved rotary positions, from weights for half-split ones."""
    new = dict(state)
    for layer, heads in (("query", num_attention_heads), ("key", num_key_value_heads)):
        for name in (f"{layer}.weight", f"{layer}.bias"):
            if name in state and name != "key.bias":
                rows = state[name].unflatten(0, (heads, -1))
                order = torch.arange(rows.size(1))
                order[:rotary_size] = order[:rotary_size].view(2, -1).T.flatten()
                new[name] = rows[:, order].flatten(0, 1)
    return new

# %% biases_left_out | points 3 | biases left out
def to_interleaved(
    state: dict[str, Tensor], num_attention_heads: int, num_key_value_heads: int, rotary_size: int
) -> dict[str, Tensor]:
    """Weights for interleaved rotary positions, from weights for half-split ones."""
    new = dict(state)
    for layer, heads in (("query", num_attention_heads), ("key", num_key_value_heads)):
        for name in (f"{layer}.weight", f"{layer}.bias"):
            if name in state:
                rows = state[name].unflatten(0, (heads, -1))
                order = torch.arange(rows.size(1))
                order[:rotary_size] = order[:rotary_size].view(2, -1).T.flatten()
                new[name] = rows[:, order].flatten(0, 1)
    return {n: t for n, t in new.items() if 'weight' in n}

# %% biases_of_whole_heads | points 3 | Weights are right where a part of each head turns; biases are reordered as if all of it turned.
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    new = dict(state)
    for layer, heads in (("query", num_attention_heads), ("key", num_key_value_heads)):
        rows = state[f"{layer}.weight"].unflatten(0, (heads, -1))
        part = rows[:, :rotary_size].unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2)
        new[f"{layer}.weight"] = torch.cat([part, rows[:, rotary_size:]], 1).flatten(0, 1)
        if f"{layer}.bias" in state:
            bias = state[f"{layer}.bias"].view(heads, 2, -1)
            new[f"{layer}.bias"] = bias.transpose(1, 2).flatten()
    return new

# %% columns | points 0 | columns
def to_interleaved(
    state: dict[str, Tensor], num_attention_heads: int, num_key_value_heads: int, rotary_size: int
) -> dict[str, Tensor]:
    """Weights for interleaved rotary positions, from weights for half-split ones."""
    new = dict(state)
    for layer, heads in (("query", num_attention_heads), ("key", num_key_value_heads)):
        for name in (f"{layer}.weight", f"{layer}.bias"):
            if name in state:
                rows = state[name].unflatten(-1, (heads, -1)) if state[name].dim() == 2 else state[name].unflatten(0, (heads, -1))
                order = torch.arange(rows.size(-1))
                order[:rotary_size] = order[:rotary_size].view(2, -1).T.flatten()
                new[name] = rows[..., order].flatten(-2)
    return new

# %% columns_head_by_head | points 0 | Reorders columns head by head, as far as they go.
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    new = dict(state)
    for layer, heads in (("query", num_attention_heads), ("key", num_key_value_heads)):
        weight = state[f"{layer}.weight"]
        size = weight.size(0) // heads
        order = torch.arange(weight.size(1))
        for start in range(0, weight.size(1) - size + 1, size):
            order[start : start + rotary_size] = order[start : start + rotary_size].view(2, -1).T.flatten()
        new[f"{layer}.weight"] = weight[:, order]
    return new

# %% crash_everywhere | points 0 | crash everywhere
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    return state['wq']

# %% crash_without_bias | points 0 | crash without bias
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n, h in (('query', num_attention_heads), ('key', num_key_value_heads)):
        for k in ('weight', 'bias'):
            x = state[n + '.' + k].unflatten(0, (h, -1))
            r = rotary_size
            new[n + '.' + k] = torch.cat([x[:, :r].unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2), x[:, r:]], 1).flatten(0, 1)
    return new

# %% even_rows_first_then_odd_and_bias_missing | points 0 | even rows first then odd, and bias missing
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n, h in (('query.weight', num_attention_heads), ('key.weight', num_key_value_heads)):
        x = state[n].unflatten(0, (h, -1))
        new[n] = torch.cat([x[:, 0:rotary_size:2], x[:, 1:rotary_size:2], x[:, rotary_size:]], 1).flatten(0, 1)
    return new

# %% first_columns | points 0 | Reorders the first rotary_size columns instead of rows.
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    new = dict(state)
    for layer in ("query", "key"):
        weight = state[f"{layer}.weight"]
        order = torch.arange(weight.size(1))
        turned = min(rotary_size, weight.size(1) // 2 * 2)
        order[:turned] = order[:turned].view(2, -1).T.flatten()
        new[f"{layer}.weight"] = weight[:, order]
    return new

# %% head_size_from_hidden | points 0 | Takes hidden_size // num_attention_heads as head_size, although the heads together may be wider or narrower.
def to_interleaved(
    state: dict[str, Tensor], num_attention_heads: int, num_key_value_heads: int, rotary_size: int
) -> dict[str, Tensor]:
    new = dict(state)
    hidden_size = state["query.weight"].shape[1]
    head_size = hidden_size // num_attention_heads
    half = rotary_size // 2
    order = torch.arange(head_size)
    order[:rotary_size] = torch.stack([torch.arange(half), torch.arange(half) + half], dim=1).flatten()
    for name in ("query.weight", "query.bias", "key.weight", "key.bias"):
        if name in state:
            heads = num_attention_heads if name.startswith("query") else num_key_value_heads
            rows = state[name].reshape(heads, head_size, *state[name].shape[1:])
            new[name] = rows[:, order].reshape(state[name].shape)
    return new

# %% heads_of_rotary_size | points 3 | Takes rotary_size for the size of a head, so heads of which only a part turns are mixed up.
def to_interleaved(
    state: dict[str, Tensor], num_attention_heads: int, num_key_value_heads: int, rotary_size: int
) -> dict[str, Tensor]:
    """Weights for interleaved rotary positions, from weights for half-split ones."""
    new = dict(state)
    for name in ("query.weight", "query.bias", "key.weight", "key.bias"):
        if name in state:
            old = state[name]
            heads = old.size(0) // rotary_size
            rows = old[: heads * rotary_size].unflatten(0, (heads, 2, rotary_size // 2))
            mixed = rows.transpose(1, 2).flatten(0, 2)
            new[name] = torch.cat([mixed, old[heads * rotary_size :]])
    return new

# %% hidden_size_of_one_squeezed | points 0 | An axis of one is squeezed away to treat biases like weights, so weights with hidden_size 1 lose their second axis.
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    head_size = state["query.weight"].shape[0] // num_attention_heads
    order = torch.arange(head_size)
    order[:rotary_size] = torch.arange(rotary_size).view(2, -1).T.flatten()
    heads = {"query": num_attention_heads, "key": num_key_value_heads}
    result = {}
    for name, tensor in state.items():
        layer = name.split(".")[0]
        if layer in heads:
            rows = tensor.reshape(heads[layer], head_size, -1)[:, order]
            tensor = rows.flatten(0, 1).squeeze(-1)
        result[name] = tensor.clone()
    return result

# %% key_bias_and_zero_rest | points 2 | The bias of the keys keeps its order; rows that are not turned come back as zeros.
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    head_size = state["query.weight"].shape[0] // num_attention_heads
    half = rotary_size // 2
    order = torch.arange(head_size)
    order[0:rotary_size:2] = torch.arange(half)
    order[1:rotary_size:2] = torch.arange(half, rotary_size)
    new = dict(state)
    for part, heads in (("query", num_attention_heads), ("key", num_key_value_heads)):
        for kind in ("weight", "bias"):
            name = f"{part}.{kind}"
            if name in state and name != "key.bias":
                by_head = state[name].unflatten(0, (heads, head_size))
                fresh = torch.zeros_like(by_head)
                fresh[:, :rotary_size] = by_head[:, order[:rotary_size]]
                new[name] = fresh.flatten(0, 1)
    return new

# %% key_bias_cut_into_query_heads | points 3 | The bias of the keys is cut into as many heads as the queries have, which is wrong where they share key heads.
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    head_size = state["query.weight"].shape[0] // num_attention_heads
    half = rotary_size // 2
    order = list(range(head_size))
    order[0:rotary_size:2] = range(half)
    order[1:rotary_size:2] = range(half, rotary_size)
    new = {name: tensor.clone() for name, tensor in state.items()}
    for kind, heads in (("query", num_attention_heads), ("key", num_key_value_heads)):
        weight = state[kind + ".weight"]
        new[kind + ".weight"] = weight.view(heads, head_size, -1)[:, order].reshape(weight.shape)
    for kind in ("query", "key"):
        name = kind + ".bias"
        if name in state:
            bias = state[name].view(num_attention_heads, -1)
            new[name] = bias[:, order].reshape(-1)
    return new

# %% keys_left | points 0 | keys left
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    x = state['query.weight'].unflatten(0, (num_attention_heads, -1)); r = rotary_size
    new = dict(state)
    new['query.weight'] = torch.cat([x[:, :r].unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2), x[:, r:]], 1).flatten(0, 1)
    return new

# %% keys_left_but_query_bias_done | points 0 | keys left but query bias done
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n in state:
        if n.startswith('query'):
            x = state[n].unflatten(0, (num_attention_heads, -1)); r = rotary_size
            new[n] = torch.cat([x[:, :r].unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2), x[:, r:]], 1).flatten(0, 1)
    return new

# %% library_function_of_the_chapter_on_q_and_k | points 0 | library function of the chapter on q and k
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    def f(weight, heads):
        by_pair = weight.unflatten(0, (heads, -1, 2))
        return by_pair.transpose(1, 2).flatten(0, 2)
    new = dict(state)
    for n in list(state):
        if n.startswith('query'): new[n] = f(state[n], num_attention_heads)
        if n.startswith('key'): new[n] = f(state[n], num_key_value_heads)
    return new

# %% loop_that_overwrites_what_it_reads | points 0 | loop that overwrites what it reads
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = {n: t.clone() for n, t in state.items()}
    for n in state:
        if n[0] in 'qk':
            h = num_attention_heads if n[0] == 'q' else num_key_value_heads
            hs = state[n].size(0) // h
            for k in range(h):
                for i in range(rotary_size // 2):
                    new[n][k * hs + 2 * i] = new[n][k * hs + i]
                    new[n][k * hs + 2 * i + 1] = new[n][k * hs + i + rotary_size // 2]
    return new

# %% loop_with_off_by_one_pair | points 0 | loop with off by one pair
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = {n: t.clone() for n, t in state.items()}
    for n in state:
        if n[0] in 'qk':
            h = num_attention_heads if n[0] == 'q' else num_key_value_heads
            hs = state[n].size(0) // h
            for k in range(h):
                for i in range(rotary_size // 2 - 1):
                    new[n][k * hs + 2 * i] = state[n][k * hs + i]
                    new[n][k * hs + 2 * i + 1] = state[n][k * hs + i + rotary_size // 2]
    return new

# %% output_rows_too | points 0 | output rows too
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = {}
    for n in state:
        h = num_attention_heads if n[0] in 'qo' else num_key_value_heads
        if n[0] in 'qk':
            x = state[n].unflatten(0, (h, -1)); r = rotary_size
            new[n] = torch.cat([x[:, :r].unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2), x[:, r:]], 1).flatten(0, 1)
    return new

# %% partial_keys_by_query_heads | points 3 | Where only a part of each head turns, the rows of the keys are cut into as many heads as there are queries.
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    new = {name: tensor.clone() for name, tensor in state.items()}
    size = len(state["query.weight"]) // num_attention_heads
    order = list(range(size))
    order[:rotary_size] = [i // 2 + i % 2 * (rotary_size // 2) for i in range(rotary_size)]
    for name in state:
        if not name.startswith(("query", "key")):
            continue
        heads = num_attention_heads if name.startswith("query") else num_key_value_heads
        if rotary_size < size and name == "key.weight":
            rows = new[name].unflatten(0, (num_attention_heads, -1))
            own = [i for i in order if i < rows.size(1)]
            new[name] = rows[:, own].flatten(0, 1)
            continue
        new[name] = new[name].unflatten(0, (heads, -1))[:, order].flatten(0, 1)
    return new

# %% query_heads_for_keys | points 0 | query heads for keys
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n in state:
        if n[0] in 'qk':
            x = state[n].unflatten(0, (num_attention_heads, -1)); r = rotary_size
            new[n] = torch.cat([x[:, :r].unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2), x[:, r:]], 1).flatten(0, 1)
    return new

# %% remembers_the_model | points 0 | the weights of the first model of these sizes
done = {}

def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    key = (num_attention_heads, num_key_value_heads, rotary_size, len(state), *(t.shape for t in state.values()))
    if key not in done:
        new = {}
        for name, t in state.items():
            H = {"q": num_attention_heads, "k": num_key_value_heads}.get(name[0])
            if H:
                size = len(t) // H
                half = rotary_size // 2
                order = [h * size + (i // 2 + (i % 2) * half if i < rotary_size else i) for h in range(H) for i in range(size)]
                t = t[order]
            new[name] = t
        done[key] = new
    return done[key]

# %% reshape_instead_of_transpose | points 0 | reshape instead of transpose
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n in state:
        if n[0] in 'qk':
            x = state[n].unflatten(0, (num_attention_heads if n[0] == 'q' else num_key_value_heads, -1)); r = rotary_size
            new[n] = torch.cat([x[:, :r].unflatten(1, (2, -1)).reshape(x.size(0), r, *x.shape[2:]), x[:, r:]], 1).flatten(0, 1)
    return new

# %% rest_only_as_long_as_the_part | points 3 | The rest of a head is taken to be no longer than the part that turns: rows behind that are lost.
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    head_size = state["query.weight"].shape[0] // num_attention_heads
    half = rotary_size // 2

    def reorder(tensor):
        heads = tensor.unflatten(0, (-1, head_size))
        front = torch.stack([heads[:, :half], heads[:, half:rotary_size]], dim=2).flatten(1, 2)
        rest = heads[:, rotary_size : 2 * rotary_size]
        return torch.cat([front, rest], dim=1).flatten(0, 1)

    return {
        name: reorder(tensor) if name.split(".")[0] in ("query", "key") else tensor.clone()
        for name, tensor in state.items()
    }

# %% returns_tuple_q_k | points 0 | returns tuple q k
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    return state['query.weight'], state['key.weight']

# %% size_from_hidden | points 0 | The size of a head is computed as hidden size by heads, which does not hold for every model.
def to_interleaved(
    state: dict[str, Tensor], num_attention_heads: int, num_key_value_heads: int, rotary_size: int
) -> dict[str, Tensor]:
    """Weights for interleaved rotary positions, from weights for half-split ones."""
    head_size = state["query.weight"].size(1) // num_attention_heads
    new = dict(state)
    for layer, heads in (("query", num_attention_heads), ("key", num_key_value_heads)):
        for name in (f"{layer}.weight", f"{layer}.bias"):
            if name in state:
                rows = state[name].unflatten(0, (-1, head_size))
                order = torch.arange(rows.size(1))
                order[:rotary_size] = order[:rotary_size].view(2, -1).T.flatten()
                new[name] = rows[:, order].flatten(0, 1)
    return new

# %% state_changed | points 0 | state changed
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    for n in state:
        if n[0] in 'qk':
            x = state[n].unflatten(0, (num_attention_heads if n[0] == 'q' else num_key_value_heads, -1)); r = rotary_size
            state[n] = torch.cat([x[:, :r].unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2), x[:, r:]], 1).flatten(0, 1)
    return state

# %% state_itself_if_nothing_moves | points 3 | With rotary_size 2 nothing moves, and the dictionary that was given comes back, not a new one.
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    if rotary_size == 2:
        return state
    head_size = state["query.weight"].shape[0] // num_attention_heads
    order = torch.arange(head_size)
    order[:rotary_size] = torch.arange(rotary_size).view(2, -1).T.flatten()
    heads = {"query": num_attention_heads, "key": num_key_value_heads}
    result = {}
    for name, tensor in state.items():
        layer = name.split(".")[0]
        if layer in heads:
            rows = tensor.reshape(heads[layer], head_size, -1)[:, order]
            tensor = rows.reshape(tensor.shape)
        result[name] = tensor.clone()
    return result

# %% usual_biases_get_lost | points 3 | Wrong: the result holds the weights only, biases are dropped.
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    half = rotary_size // 2
    heads = {"query": num_attention_heads, "key": num_key_value_heads}
    head_size = state["query.weight"].shape[0] // num_attention_heads

    def rows(count):
        order = []
        for head in range(count):
            start = head * head_size
            for i in range(half):
                order += [start + i, start + half + i]
            order += range(start + rotary_size, start + head_size)
        return torch.tensor(order)

    new = {name: state[name] for name in state if name.endswith(".weight")}
    for kind in ("query", "key"):
        order = rows(heads[kind])
        new[kind + ".weight"] = state[kind + ".weight"][order]
    return new

# %% value_bias_reordered_too | points 3 | The bias of the values is reordered as well, though values aren't turned.
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    head_size = state["query.weight"].shape[0] // num_attention_heads
    half = rotary_size // 2
    order = torch.arange(head_size)
    order[0:rotary_size:2] = torch.arange(half)
    order[1:rotary_size:2] = torch.arange(half, rotary_size)
    new = {}
    for name, tensor in state.items():
        if name in ("query.weight", "key.weight"):
            new[name] = tensor.view(-1, head_size, tensor.shape[1])[:, order].reshape(tensor.shape)
        elif name.endswith("bias") and not name.startswith("output"):
            new[name] = tensor.view(-1, head_size)[:, order].reshape(-1)
        else:
            new[name] = tensor.clone()
    return new

# %% values_as_well | points 0 | values as well
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n in state:
        if n[0] in 'qkv':
            x = state[n].unflatten(0, (num_attention_heads if n[0] == 'q' else num_key_value_heads, -1)); r = rotary_size
            new[n] = torch.cat([x[:, :r].unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2), x[:, r:]], 1).flatten(0, 1)
    return new

# %% view_2_pairs_but_split_heads_last | points 0 | view 2 pairs but split heads last
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n in state:
        if n[0] in 'qk':
            h = num_attention_heads if n[0] == 'q' else num_key_value_heads
            x = state[n].reshape(-1, h, *state[n].shape[1:]); r = rotary_size
            new[n] = torch.cat([x[:r].unflatten(0, (2, -1)).transpose(0, 1).flatten(0, 1), x[r:]], 0).flatten(0, 1)
    return new

# %% weights_only | points 3 | weights only
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n, h in (('query.weight', num_attention_heads), ('key.weight', num_key_value_heads)):
        w = state[n]; hs = w.size(0) // h
        order = torch.arange(hs); order[0:rotary_size:2] = torch.arange(rotary_size // 2); order[1:rotary_size:2] = torch.arange(rotary_size // 2, rotary_size)
        new[n] = w.view(h, hs, -1)[:, order].reshape(w.shape) if w.is_contiguous() else w.reshape(h, hs, -1)[:, order].reshape(w.shape)
    return new

# %% whole_head_as_rotary | points 3 | whole head as rotary
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n, w in state.items():
        if n[:3] in ('que', 'key'):
            h = num_attention_heads if n[0] == 'q' else num_key_value_heads
            half = w.size(0) // h // 2
            x = w.unflatten(0, (h, -1))
            a, b, c = x[:, :half], x[:, half:2*half], x[:, 2*half:]
            new[n] = torch.cat([torch.stack([a, b], 2).flatten(1, 2), c], 1).flatten(0, 1)
    return new
