# Weights are dropped without a mask only; with one, dropout is forgotten.
# points: 4

class CrossAttention(nn.Module):
    """Every token of a text looks at the tokens of a source."""

    def __init__(
        self,
        hidden_size: int,
        source_size: int,
        num_attention_heads: int,
        dropout: float = 0.0,
    ):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def split_heads(self, states: Tensor) -> Tensor:
        return states.unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)

    def forward(
        self, hidden_states: Tensor, source_states: Tensor, source_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Output [batch, target, hidden_size] and weights [batch, heads, target, source]."""
        query = self.split_heads(self.query(hidden_states))
        key = self.split_heads(self.key(source_states))
        value = self.split_heads(self.value(source_states))
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if source_mask is None:
            weights = scores.softmax(dim=-1)
        else:
            keep = source_mask[:, None, None, :]
            empty = ~keep.any(dim=-1, keepdim=True)
            weights = scores.masked_fill(~keep & ~empty, -math.inf).softmax(dim=-1)
            weights = weights.masked_fill(empty, 0.0)
        context = ((self.dropout(weights) if source_mask is None else weights) @ value).transpose(1, 2).flatten(2)
        return self.output(context), weights
