# list result, loops over batch
# points: 4

def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    out = []
    for x in (query, key):
        rows = []
        for b in range(x.size(0)):
            ang = torch.outer(position_ids[b].double(), base ** (-torch.arange(0, rotary_size, 2).double() / rotary_size))
            h = rotary_size // 2
            a, c = x[b, :, :, :h].double(), x[b, :, :, h:rotary_size].double()
            rows.append(torch.cat([(a * ang.cos() - c * ang.sin()).to(x.dtype), (c * ang.cos() + a * ang.sin()).to(x.dtype), x[b, :, :, rotary_size:]], -1))
        out.append(torch.stack(rows))
    return out
