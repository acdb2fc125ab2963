# functional
# points: 4

class CompactEmbeddings(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, max_positions, type_vocab_size, pad_token_id, eps=1e-12, dropout=0.1):
        super().__init__()
        self.projection = nn.Linear(embedding_size, hidden_size)
        self.norm = nn.LayerNorm(embedding_size, eps)
        for name, rows in (("word", vocab_size), ("position", max_positions), ("token_type", type_vocab_size)):
            self.add_module(name + "_embeddings", nn.Embedding(rows, embedding_size))
        self.pad, self.p = pad_token_id, dropout
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        x = F.embedding(input_ids, self.word_embeddings.weight)
        if position_ids is None:
            rows = []
            for row in input_ids.tolist():
                n, out = self.pad, []
                for i in row:
                    n += i != self.pad
                    out.append(n if i != self.pad else self.pad)
                rows.append(out)
            position_ids = torch.tensor(rows)
        x = x + self.position_embeddings.weight[position_ids]
        x = x + (self.token_type_embeddings.weight[0] if token_type_ids is None else self.token_type_embeddings(token_type_ids))
        x = F.dropout(self.norm(x), self.p, self.training)
        return x @ self.projection.weight.mT + self.projection.bias
