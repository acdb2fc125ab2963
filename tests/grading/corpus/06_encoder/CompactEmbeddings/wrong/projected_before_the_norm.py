# projected before the norm
# points: 0

class CompactEmbeddings(nn.Module):
    def __init__(self, v, e, h, m, t, pad, eps=1e-12, dropout=0.1):
        super().__init__()
        self.word_embeddings, self.position_embeddings = nn.Embedding(v, e), nn.Embedding(m, e)
        self.token_type_embeddings = nn.Embedding(t, e)
        self.norm = nn.LayerNorm(h, eps)
        self.projection = nn.Linear(e, h)
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids) + self.token_type_embeddings(token_type_ids)
        return self.norm(self.projection(x))
