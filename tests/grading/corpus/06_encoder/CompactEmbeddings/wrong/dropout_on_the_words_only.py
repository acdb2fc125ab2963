# Dropout falls on the vectors of the words, before positions and segments are added.
# points: 3
class CompactEmbeddings(nn.Module):
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
        self.pad_token_id = pad_token_id
        self.word_embeddings = nn.Embedding(vocab_size, embedding_size)
        self.position_embeddings = nn.Embedding(max_positions, embedding_size)
        self.token_type_embeddings = nn.Embedding(type_vocab_size, embedding_size)
        self.norm = nn.LayerNorm(embedding_size, eps=eps)
        self.dropout = nn.Dropout(dropout)
        self.projection = nn.Linear(embedding_size, hidden_size)

    def count(self, input_ids):
        real = (input_ids != self.pad_token_id).long()
        return real.cumsum(dim=1) * real + self.pad_token_id

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if position_ids is None:
            position_ids = self.count(input_ids)
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        x = self.dropout(self.word_embeddings(input_ids))
        x = x + self.position_embeddings(position_ids)
        x = x + self.token_type_embeddings(token_type_ids)
        x = self.norm(x)
        return self.projection(x)
