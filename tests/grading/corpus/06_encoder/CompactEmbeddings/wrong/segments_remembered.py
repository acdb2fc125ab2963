# Remembers the last segments and uses them again when a later call of the same shape gives none.
# points: 3

class CompactEmbeddings(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, max_positions, type_vocab_size, pad_token_id, eps=1e-12, dropout=0.1):
        super().__init__()
        for name, rows in (("word", vocab_size), ("position", max_positions), ("token_type", type_vocab_size)):
            setattr(self, name + "_embeddings", nn.Embedding(rows, embedding_size))
        self.norm = nn.LayerNorm(embedding_size, eps=eps)
        self.projection = nn.Linear(embedding_size, hidden_size)
        self.types = None
        self.rate, self.pad = dropout, pad_token_id
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        b, t = input_ids.shape
        if position_ids is None:
            real = input_ids.ne(self.pad)
            upto = torch.ones(t, t).triu().long()
            position_ids = (real.long() @ upto).masked_fill(~real, 0) + self.pad
        if token_type_ids is None:
            if self.types is None or self.types.shape != input_ids.shape:
                self.types = torch.zeros(b, t, dtype=torch.long)
        else:
            self.types = token_type_ids
        x = self.token_type_embeddings(self.types) + self.position_embeddings(position_ids) + self.word_embeddings(input_ids)
        return self.projection(nn.functional.dropout(self.norm(x), self.rate, self.training))
