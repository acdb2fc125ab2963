# source-of-padding-output-zero-bias-of-output-missing-there
# points: 4

class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.h = num_attention_heads
        self.d = hidden_size // num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.drop = nn.Dropout(dropout)

    def forward(self, hidden_states, source_states, source_mask=None):
        B, T, _ = hidden_states.shape
        S = source_states.size(1)
        q = self.query(hidden_states).view(B, T, self.h, self.d).transpose(1, 2)
        k = self.key(source_states).view(B, S, self.h, self.d).transpose(1, 2)
        v = self.value(source_states).view(B, S, self.h, self.d).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        if source_mask is not None:
            mask = source_mask[:, None, None, :]
            empty = ~mask.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~mask & ~empty, float("-inf"))
            weights = torch.softmax(scores, dim=-1)
            weights = weights.masked_fill(empty, 0.0)
        else:
            weights = torch.softmax(scores, dim=-1)
        context = self.drop(weights) @ v
        context = context.transpose(1, 2).reshape(B, T, self.h * self.d)
        out = self.output(context)
        if source_mask is not None:
            out = out * source_mask.any(-1)[:, None, None]
        return out, weights
