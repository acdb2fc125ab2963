# %% embedding_bag_of_three_tables | points 4 | embedding bag of three tables
class CompactEmbeddings(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, max_positions, type_vocab_size, pad_token_id, eps=1e-12, dropout=0.1):
        super().__init__()
        for name, rows in (("word", vocab_size), ("position", max_positions), ("token_type", type_vocab_size)):
            setattr(self, name + "_embeddings", nn.Embedding(rows, embedding_size))
        self.norm = nn.LayerNorm(embedding_size, eps=eps)
        self.projection = nn.Linear(embedding_size, hidden_size)
        self.rate, self.pad = dropout, pad_token_id
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        b, t = input_ids.shape
        if position_ids is None:
            real = input_ids.ne(self.pad)
            upto = torch.ones(t, t).triu().long()
            position_ids = (real.long() @ upto).masked_fill(~real, 0) + self.pad
        if token_type_ids is None:
            token_type_ids = torch.zeros(b, t, dtype=torch.long)
        x = self.token_type_embeddings(token_type_ids) + self.position_embeddings(position_ids) + self.word_embeddings(input_ids)
        return self.projection(nn.functional.dropout(self.norm(x), self.rate, self.training))

# %% functional | points 4 | functional
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

# %% one_hot_tables | points 4 | one hot tables
class CompactEmbeddings(nn.Module):
    """Small tables, normalised and widened; positions that skip padding."""

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
        self.dropout = nn.Dropout(dropout)
        self.projection = nn.Linear(embedding_size, hidden_size)

    def forward(
        self,
        input_ids: Tensor,
        token_type_ids: Tensor | None = None,
        position_ids: Tensor | None = None,
    ) -> Tensor:
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        if position_ids is None:
            real = (input_ids != self.pad_token_id).long()
            position_ids = torch.where(real.bool(), real.cumsum(dim=1) + self.pad_token_id, self.pad_token_id)
        x = (
            self.word_embeddings(input_ids)
            + self.position_embeddings(position_ids)
            + nn.functional.one_hot(token_type_ids, self.token_type_embeddings.num_embeddings).float() @ self.token_type_embeddings.weight
        )
        return self.projection(self.dropout(self.norm(x)))

# %% padding_idx_of_both | points 4 | The tables of words and of positions have a padding_idx.
class CompactEmbeddings(nn.Module):
    """Small tables, normalised and widened; positions that skip padding."""

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
        self.word_embeddings = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_token_id)
        self.position_embeddings = nn.Embedding(max_positions, embedding_size, padding_idx=pad_token_id)
        self.token_type_embeddings = nn.Embedding(type_vocab_size, embedding_size)
        self.norm = nn.LayerNorm(embedding_size, eps=eps)
        self.dropout = nn.Dropout(dropout)
        self.projection = nn.Linear(embedding_size, hidden_size)

    def forward(
        self,
        input_ids: Tensor,
        token_type_ids: Tensor | None = None,
        position_ids: Tensor | None = None,
    ) -> Tensor:
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        if position_ids is None:
            real = (input_ids != self.pad_token_id).long()
            position_ids = real.cumsum(dim=1) * real + self.pad_token_id
        x = (
            self.word_embeddings(input_ids)
            + self.position_embeddings(position_ids)
            + self.token_type_embeddings(token_type_ids)
        )
        return self.projection(self.dropout(self.norm(x)))

# %% padding_index_frozen | points 4 | padding index frozen
class CompactEmbeddings(nn.Module):
    """Small tables, normalised and widened; positions that skip padding."""

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
        self.word_embeddings = nn.Embedding(vocab_size, embedding_size, padding_idx=pad_token_id)
        self.position_embeddings = nn.Embedding(max_positions, embedding_size)
        self.token_type_embeddings = nn.Embedding(type_vocab_size, embedding_size)
        self.norm = nn.LayerNorm(embedding_size, eps=eps)
        self.dropout = nn.Dropout(dropout)
        self.projection = nn.Linear(embedding_size, hidden_size)

    def forward(
        self,
        input_ids: Tensor,
        token_type_ids: Tensor | None = None,
        position_ids: Tensor | None = None,
    ) -> Tensor:
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        if position_ids is None:
            real = (input_ids != self.pad_token_id).long()
            position_ids = real.cumsum(dim=1) * real + self.pad_token_id
        x = (
            self.word_embeddings(input_ids)
            + self.position_embeddings(position_ids)
            + self.token_type_embeddings(token_type_ids)
        )
        return self.projection(self.dropout(self.norm(x)))

# %% positions_in_a_buffer | points 4 | a buffer, and dropout by function
class CompactEmbeddings(nn.Module):
    pass
    def __init__(self, vocab_size, embedding_size, hidden_size, max_positions, type_vocab_size, pad_token_id, eps=1e-12, dropout=0.1):
        super().__init__()
        self.pad = pad_token_id
        self.word_embeddings = nn.Embedding(vocab_size, embedding_size)
        self.position_embeddings = nn.Embedding(max_positions, embedding_size)
        self.token_type_embeddings = nn.Embedding(type_vocab_size, embedding_size)
        self.norm = nn.LayerNorm(embedding_size, eps=eps)
        self.dropout = nn.Dropout(dropout)
        self.projection = nn.Linear(embedding_size, hidden_size)
        self.register_buffer("first", torch.tensor(pad_token_id), persistent=False)

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if token_type_ids is None:
            token_type_ids = input_ids.new_zeros(input_ids.shape)
        if position_ids is None:
            real = (input_ids != self.first).int(); position_ids = torch.cumsum(real, 1) * real + self.first
        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids) + self.token_type_embeddings(token_type_ids)
        return self.projection(self.dropout(self.norm(x)))

# %% with_a_buffer_of_its_own | points 4 | with a buffer of its own
class CompactEmbeddings(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, max_positions, type_vocab_size, pad_token_id, eps=1e-12, dropout=0.1):
        super().__init__()
        self.register_buffer("position_ids", torch.arange(512)[None])
        for name, rows in (("word", vocab_size), ("position", max_positions), ("token_type", type_vocab_size)):
            setattr(self, name + "_embeddings", nn.Embedding(rows, embedding_size))
        self.norm = nn.LayerNorm(embedding_size, eps=eps)
        self.projection = nn.Linear(embedding_size, hidden_size)
        self.rate, self.pad = dropout, pad_token_id
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        b, t = input_ids.shape
        if position_ids is None:
            real = input_ids.ne(self.pad)
            upto = torch.ones(t, t).triu().long()
            position_ids = (real.long() @ upto).masked_fill(~real, 0) + self.pad
        if token_type_ids is None:
            token_type_ids = torch.zeros(b, t, dtype=torch.long)
        x = self.token_type_embeddings(token_type_ids) + self.position_embeddings(position_ids) + self.word_embeddings(input_ids)
        return self.projection(nn.functional.dropout(self.norm(x), self.rate, self.training))
