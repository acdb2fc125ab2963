# text by text
# points: 4

def pooled(hidden_states, attention_mask, kind):
    out = []
    for x, m in zip(hidden_states, attention_mask):
        x = x[m == 1]
        if len(x) == 0:
            out.append(torch.zeros_like(hidden_states[0, 0]))
        else:
            out.append({"mean": lambda: x.mean(0), "max": lambda: x.max(0).values, "first": lambda: x[0], "last": lambda: x[-1]}[kind]())
    return torch.stack(out)
