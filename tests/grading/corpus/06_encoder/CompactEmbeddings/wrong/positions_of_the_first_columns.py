# Positions are counted as if padding stood only on the right.
# points: 3
class CompactEmbeddings(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        hidden_size: int,
        max_positions: int,
        type_vocab_size: int,
        pad_token_id: int,
        eps: float = 1e-12,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        self.pad_token_id = pad_token_id
        self.word_embeddings = nn.Embedding(vocab_size, embedding_size)
        self.position_embeddings = nn.Embedding(max_positions, embedding_size)
        self.token_type_embeddings = nn.Embedding(type_vocab_size, embedding_size)
        self.norm = nn.LayerNorm(embedding_size, eps=eps)
        self.projection = nn.Linear(embedding_size, hidden_size)
        self.rate = dropout

    def forward(
        self,
        input_ids: Tensor,
        token_type_ids: Tensor | None = None,
        position_ids: Tensor | None = None,
    ) -> Tensor:
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        if position_ids is None:
            places = torch.arange(1, input_ids.shape[1] + 1) + self.pad_token_id
            lengths = (input_ids != self.pad_token_id).sum(dim=1, keepdim=True)
            position_ids = torch.where(places <= lengths + self.pad_token_id, places, self.pad_token_id)
        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids)
        x = x + self.token_type_embeddings(token_type_ids)
        x = F.dropout(self.norm(x), self.rate, self.training)
        return self.projection(x)
