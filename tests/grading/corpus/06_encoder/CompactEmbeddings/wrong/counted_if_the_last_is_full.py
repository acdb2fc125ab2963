# Counts all places where the last text has no padding, although others may have some.
# points: 3
class CompactEmbeddings(nn.Module):
    """Small tables of words, positions and segments; their sum is normalised, then widened."""

    def __init__(
        self,
        vocab_size,
        embedding_size,
        hidden_size,
        max_positions,
        type_vocab_size,
        pad_token_id,
        eps=1e-12,
        dropout=0.1,
    ):
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab_size, embedding_size)
        self.position_embeddings = nn.Embedding(max_positions, embedding_size)
        self.token_type_embeddings = nn.Embedding(type_vocab_size, embedding_size)
        self.norm = nn.LayerNorm(embedding_size, eps)
        self.dropout = nn.Dropout(dropout)
        self.projection = nn.Linear(embedding_size, hidden_size)
        self.pad_token_id = pad_token_id

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        """Embed ids ``[batch, tokens]`` as ``[batch, tokens, hidden_size]``."""
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        if position_ids is None:
            real = (input_ids != self.pad_token_id).long()
            real = torch.ones_like(real) if real[-1].all() else real
            count = real.cumsum(dim=1)
            position_ids = count * real + self.pad_token_id
        words = self.word_embeddings(input_ids)  # [batch, tokens, embedding_size]
        positions = self.position_embeddings(position_ids)
        segments = self.token_type_embeddings(token_type_ids)
        x = words + positions + segments
        x = self.dropout(self.norm(x))
        return self.projection(x)
