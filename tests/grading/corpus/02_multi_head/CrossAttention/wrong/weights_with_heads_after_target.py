# Returns the weights as [batch, target, heads, source].
# points: 4
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

    def forward(
        self, hidden_states: Tensor, source_states: Tensor, source_mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        query = self.query(hidden_states).unflatten(-1, (self.heads, -1))
        key = self.key(source_states).unflatten(-1, (self.heads, -1))
        value = self.value(source_states).unflatten(-1, (self.heads, -1))
        scores = torch.einsum("bthd,bshd->bths", query, key) / math.sqrt(query.size(-1))
        if source_mask is None:
            weights = scores.softmax(dim=-1)
        else:
            hidden = ~source_mask[:, None, None, :]
            nothing = hidden.all(dim=-1, keepdim=True)
            weights = scores.masked_fill(hidden & ~nothing, -math.inf).softmax(dim=-1)
            weights = weights.masked_fill(nothing, 0.0)
        context = torch.einsum("bths,bshd->bthd", self.dropout(weights), value).flatten(2)
        return self.output(context), weights
