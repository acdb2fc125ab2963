# A rate of 1 is treated apart: then everything is dropped, in evaluation mode, too.
# points: 3
class CompactEmbeddings(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, max_positions,
                 type_vocab_size, pad_token_id, eps=1e-12, dropout=0.1):
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab_size, embedding_size)
        self.position_embeddings = nn.Embedding(max_positions, embedding_size)
        self.token_type_embeddings = nn.Embedding(type_vocab_size, embedding_size)
        self.norm = nn.LayerNorm(embedding_size, eps=eps)
        self.projection = nn.Linear(embedding_size, hidden_size)
        self.pad, self.rate = pad_token_id, dropout

    def drop(self, x):
        if self.rate == 1:
            return torch.zeros_like(x)
        if not self.training:
            return x
        keep = torch.rand_like(x) >= self.rate
        return x * keep / (1 - self.rate)

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        if position_ids is None:
            real = input_ids != self.pad
            position_ids = torch.where(real, real.cumsum(-1) + self.pad, self.pad)
        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids)
        x = x + self.token_type_embeddings(token_type_ids)
        return self.projection(self.drop(self.norm(x)))
