# Cuts keys and values into heads with the number of tokens of the target.
# points: 0
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
        self.heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, hidden_states: Tensor, source_states: Tensor, source_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Output [batch, target, hidden_size] and weights [batch, heads, target, source]."""
        batch, target, hidden = hidden_states.shape
        q = self.query(hidden_states).view(batch, target, self.heads, -1).transpose(1, 2)
        k = self.key(source_states).view(batch, target, self.heads, -1).transpose(1, 2)
        v = self.value(source_states).view(batch, target, self.heads, -1).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if source_mask is None:
            weights = scores.softmax(dim=-1)
        else:
            keep = source_mask[:, None, None, :]
            scores = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)
            weights = scores.softmax(dim=-1) * keep
        context = (self.dropout(weights) @ v).transpose(1, 2).reshape(batch, target, hidden)
        return self.output(context), weights
