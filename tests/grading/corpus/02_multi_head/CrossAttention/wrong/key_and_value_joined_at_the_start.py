# Joins the weights of key and value in the constructor, so weights that are loaded later have no effect on them.
# points: 0
class CrossAttention(nn.Module):
    def __init__(
        self,
        hidden_size: int,
        source_size: int,
        num_attention_heads: int,
        dropout: float = 0.0,
    ):
        super().__init__()
        self.heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)
        self.joined_weight = torch.cat([self.key.weight, self.value.weight])
        self.joined_bias = torch.cat([self.key.bias, self.value.bias])

    def split(self, vectors: Tensor) -> Tensor:
        return vectors.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(
        self, hidden_states: Tensor, source_states: Tensor, source_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        joined = F.linear(source_states, self.joined_weight, self.joined_bias)
        key, value = map(self.split, joined.chunk(2, dim=-1))
        query = self.split(self.query(hidden_states))
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.size(-1))
        if source_mask is None:
            weights = scores.softmax(dim=-1)
        else:
            hidden = ~source_mask[:, None, None, :]
            nothing = hidden.all(dim=-1, keepdim=True)
            weights = scores.masked_fill(hidden & ~nothing, -math.inf).softmax(dim=-1)
            weights = weights.masked_fill(nothing, 0.0)
        context = (self.dropout(weights) @ value).transpose(1, 2).flatten(2)
        return self.output(context), weights
