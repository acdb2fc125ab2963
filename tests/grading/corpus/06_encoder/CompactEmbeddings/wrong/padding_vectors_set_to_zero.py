# padding vectors set to zero
# points: 0

class CompactEmbeddings(nn.Module):
    def __init__(self, v, e, h, m, t, pad, eps=1e-12, dropout=0.1):
        super().__init__()
        self.word_embeddings, self.position_embeddings = nn.Embedding(v, e), nn.Embedding(m, e)
        self.token_type_embeddings = nn.Embedding(t, e)
        self.norm = nn.LayerNorm(e, eps)
        self.projection = nn.Linear(e, h)
        self.dropout = nn.Dropout(dropout)
        self.pad = pad
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if token_type_ids is None: token_type_ids = torch.zeros_like(input_ids)
        r = (input_ids != self.pad).long()
        if position_ids is None: position_ids = r.cumsum(1) * r + self.pad
        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids) + self.token_type_embeddings(token_type_ids)
        return self.projection(self.dropout(self.norm(x))) * r[..., None]
