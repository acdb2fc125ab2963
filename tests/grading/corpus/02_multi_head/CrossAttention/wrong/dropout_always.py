# F.dropout is not told the mode, so it drops in evaluation mode, too.
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
        self.head_size = hidden_size // num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = dropout

    def forward(
        self, hidden_states: Tensor, source_states: Tensor, source_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Output [batch, target, hidden_size] and weights [batch, heads, target, source]."""
        batch, target, hidden_size = hidden_states.shape
        source = source_states.size(1)
        heads, size = self.num_attention_heads, self.head_size
        query = self.query(hidden_states).view(batch, target, heads, size).transpose(1, 2)
        key = self.key(source_states).view(batch, source, heads, size).transpose(1, 2)
        value = self.value(source_states).view(batch, source, heads, size).transpose(1, 2)
        scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(size)
        if source_mask is not None:
            scores = scores.masked_fill(~source_mask[:, None, None, :], float("-inf"))
        weights = F.softmax(scores, dim=-1)
        if source_mask is not None:
            weights = torch.where(source_mask[:, None, None, :], weights, torch.zeros_like(weights))
        context = torch.matmul(F.dropout(weights, p=self.dropout), value)
        context = context.transpose(1, 2).contiguous().view(batch, target, hidden_size)
        return self.output(context), weights
