# The key layer gets no bias, "which softmax ignores anyway": the weights can't be loaded.
# points: 0
class CrossAttention(nn.Module):
    def __init__(self, hidden_size: int, source_size: int, num_attention_heads: int, dropout: float = 0.0):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size, bias=False)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def heads(self, x):
        return x.unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)

    def forward(
        self, hidden_states: Tensor, source_states: Tensor, source_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        q = self.heads(self.query(hidden_states))
        k, v = self.heads(self.key(source_states)), self.heads(self.value(source_states))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if source_mask is None:
            weights = scores.softmax(dim=-1)
        else:
            keep = source_mask[:, None, None, :]
            empty = ~keep.any(dim=-1, keepdim=True)
            weights = scores.masked_fill(~keep & ~empty, -math.inf).softmax(dim=-1)
            weights = weights.masked_fill(empty, 0.0)
        return self.output((self.dropout(weights) @ v).transpose(1, 2).flatten(2)), weights
