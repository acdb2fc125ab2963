# %% all_positions_one_up | points 3 | all counted positions are one too large, those of padding, too
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
            position_ids = real.cumsum(dim=1) * real + self.pad_token_id + 1
        x = (
            self.word_embeddings(input_ids)
            + self.position_embeddings(position_ids)
            + self.token_type_embeddings(token_type_ids)
        )
        return self.projection(self.dropout(self.norm(x)))

# %% berts_block_plain_positions_projection | points 3 | BERT's block, plain positions, projection
class CompactEmbeddings(nn.Module):
    def __init__(self, v, e, h, m, t, pad, eps=1e-12, dropout=0.1):
        super().__init__()
        self.word_embeddings = nn.Embedding(v, e, padding_idx=pad)
        self.position_embeddings = nn.Embedding(m, e)
        self.token_type_embeddings = nn.Embedding(t, e)
        self.norm = nn.LayerNorm(e, eps)
        self.projection = nn.Linear(e, h)
        self.dropout = nn.Dropout(dropout)
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if token_type_ids is None: token_type_ids = torch.zeros_like(input_ids)
        if position_ids is None: position_ids = torch.arange(input_ids.size(1))[None]
        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids) + self.token_type_embeddings(token_type_ids)
        return self.projection(self.dropout(self.norm(x)))

# %% counted_if_the_last_is_full | points 3 | Counts all places where the last text has no padding, although others may have some.
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

# %% cumsum_along_the_batch | points 3 | cumsum along the batch
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
        if position_ids is None:
            r = (input_ids != self.pad).long()
            position_ids = r.cumsum(0) * r + self.pad
        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids) + self.token_type_embeddings(token_type_ids)
        return self.projection(self.dropout(self.norm(x)))

# %% dropout_kept_stay | points 3 | Zeroes numbers in training and forgets to divide the others by 1 - p.
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
        self.pad = pad_token_id
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
        if position_ids is None:
            real = input_ids.ne(self.pad).int()
            position_ids = (torch.cumsum(real, dim=1) * real).long() + self.pad
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        x = self.word_embeddings(input_ids)
        x = x + self.position_embeddings(position_ids) + self.token_type_embeddings(token_type_ids)
        x = self.norm(x)
        if self.training:
            x = x * (torch.rand(x.shape) >= self.dropout.p)
        return self.projection(x)

# %% dropout_of_one_is_nan | points 3 | Dropout is written by hand and divides by zero when the probability is 1.
class CompactEmbeddings(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, max_positions, type_vocab_size,
                 pad_token_id, eps=1e-12, dropout=0.1):
        super().__init__()
        self.pad_token_id = pad_token_id
        self.p = dropout
        self.word_embeddings = nn.Embedding(vocab_size, embedding_size)
        self.position_embeddings = nn.Embedding(max_positions, embedding_size)
        self.token_type_embeddings = nn.Embedding(type_vocab_size, embedding_size)
        self.norm = nn.LayerNorm(embedding_size, eps=eps)
        self.projection = nn.Linear(embedding_size, hidden_size)

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        if position_ids is None:
            real = (input_ids != self.pad_token_id).long()
            position_ids = real.cumsum(dim=1) * real + self.pad_token_id
        x = self.norm(self.word_embeddings(input_ids) + self.position_embeddings(position_ids)
                      + self.token_type_embeddings(token_type_ids))
        if self.training and self.p > 0:
            keep = (torch.rand_like(x) >= self.p).float()
            x = x * (keep / torch.tensor(1 - self.p))
        return self.projection(x)

# %% dropout_on_the_words_only | points 3 | Dropout falls on the vectors of the words, before positions and segments are added.
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

# %% dropout_whole_tokens | points 3 | Drops whole tokens: nn.Dropout1d takes the tokens for channels.
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
        self.pad = pad_token_id
        self.word_embeddings = nn.Embedding(vocab_size, embedding_size)
        self.position_embeddings = nn.Embedding(max_positions, embedding_size)
        self.token_type_embeddings = nn.Embedding(type_vocab_size, embedding_size)
        self.norm = nn.LayerNorm(embedding_size, eps=eps)
        self.dropout = nn.Dropout1d(dropout)
        self.projection = nn.Linear(embedding_size, hidden_size)

    def forward(
        self,
        input_ids: Tensor,
        token_type_ids: Tensor | None = None,
        position_ids: Tensor | None = None,
    ) -> Tensor:
        if position_ids is None:
            real = input_ids.ne(self.pad).int()
            position_ids = (torch.cumsum(real, dim=1) * real).long() + self.pad
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        x = self.word_embeddings(input_ids)
        x = x + self.position_embeddings(position_ids) + self.token_type_embeddings(token_type_ids)
        return self.projection(self.dropout(self.norm(x)))

# %% eps_added_to_deviation | points 0 | eps beside the root
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

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if token_type_ids is None:
            token_type_ids = input_ids.new_zeros(input_ids.shape)
        if position_ids is None:
            real = input_ids.ne(self.pad).long(); position_ids = real.cumsum(1) * real + self.pad
        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids) + self.token_type_embeddings(token_type_ids)
        return self.projection(self.dropout((x - x.mean(-1, keepdim=True)) / (x.std(-1, unbiased=False, keepdim=True) + self.norm.eps) * self.norm.weight + self.norm.bias))

# %% eps_forgotten_dropout_forgotten | points 0 | eps forgotten, dropout forgotten
class CompactEmbeddings(nn.Module):
    def __init__(self, v, e, h, m, t, pad, eps=1e-12, dropout=0.1):
        super().__init__()
        self.word_embeddings, self.position_embeddings = nn.Embedding(v, e), nn.Embedding(m, e)
        self.token_type_embeddings = nn.Embedding(t, e)
        self.norm = nn.LayerNorm(e)
        self.projection = nn.Linear(e, h)
        self.pad = pad
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if token_type_ids is None: token_type_ids = torch.zeros_like(input_ids)
        if position_ids is None:
            r = (input_ids != self.pad).long()
            position_ids = r.cumsum(1) * r + self.pad
        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids) + self.token_type_embeddings(token_type_ids)
        return self.projection(self.norm(x))

# %% eps_never_below | points 0 | An eps below 1e-5 is raised to 1e-5.
class CompactEmbeddings(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, max_positions, type_vocab_size, pad_token_id, eps=1e-12, dropout=0.1):
        super().__init__()
        self.pad_token_id = pad_token_id
        self.word_embeddings = nn.Embedding(vocab_size, embedding_size)
        self.position_embeddings = nn.Embedding(max_positions, embedding_size)
        self.token_type_embeddings = nn.Embedding(type_vocab_size, embedding_size)
        self.norm = nn.LayerNorm(embedding_size, eps=max(eps, 1e-5))
        self.dropout = nn.Dropout(dropout)
        self.projection = nn.Linear(embedding_size, hidden_size)

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        if position_ids is None:
            real = (input_ids != self.pad_token_id).long()
            position_ids = real.cumsum(dim=1) * real + self.pad_token_id
        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids)
        x = x + self.token_type_embeddings(token_type_ids)
        return self.projection(self.dropout(self.norm(x)))

# %% equally_long_texts | points 3 | Counts the first text for all where all have as many real tokens, wherever these stand.
class CompactEmbeddings(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, max_positions, type_vocab_size, pad_token_id, eps=1e-12, dropout=0.1):
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab_size, embedding_size)
        self.position_embeddings = nn.Embedding(max_positions, embedding_size)
        self.token_type_embeddings = nn.Embedding(type_vocab_size, embedding_size)
        self.norm = nn.LayerNorm(embedding_size, eps)
        self.dropout = nn.Dropout(dropout)
        self.projection = nn.Linear(embedding_size, hidden_size)
        self.pad = pad_token_id

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        if position_ids is None:
            real = (input_ids != self.pad).long()
            position_ids = real.cumsum(1) * real + self.pad
            if bool((real.sum(1) == real.sum(1)[0]).all()):
                position_ids = position_ids[:1]

        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids) + self.token_type_embeddings(token_type_ids)
        return self.projection(self.dropout(self.norm(x)))

# %% given_positions_overridden | points 0 | Positions that are given are overwritten where the ids are padding.
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
            position_ids = real.cumsum(dim=1) * real + self.pad_token_id
        position_ids = torch.where(input_ids == self.pad_token_id, self.pad_token_id, position_ids)
        x = (
            self.word_embeddings(input_ids)
            + self.position_embeddings(position_ids)
            + self.token_type_embeddings(token_type_ids)
        )
        return self.projection(self.dropout(self.norm(x)))

# %% left_out_segment_gets_no_gradient | points 3 | If segments are left out, row 0 is added as a constant and gets no gradient.
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

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        real = (input_ids != self.pad_token_id).long()
        if position_ids is None:
            position_ids = real.cumsum(dim=1) * real + self.pad_token_id
        x = self.word_embeddings(input_ids)
        x = x + self.position_embeddings(position_ids)
        if token_type_ids is None:
            x = x + self.token_type_embeddings.weight[0].detach()
        else:
            x = x + self.token_type_embeddings(token_type_ids)
        x = self.dropout(self.norm(x))
        return self.projection(x)

# %% norm_applied_twice | points 0 | the norm is called when the sum is made and again
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

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if token_type_ids is None:
            token_type_ids = input_ids.new_zeros(input_ids.shape)
        if position_ids is None:
            real = input_ids.ne(self.pad).long(); position_ids = real.cumsum(1) * real + self.pad
        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids) + self.token_type_embeddings(token_type_ids)
        return self.projection(self.dropout(self.norm(self.norm(x))))

# %% one_drops_in_evaluation | points 3 | A rate of 1 is treated apart: then everything is dropped, in evaluation mode, too.
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

# %% one_is_added | points 3 | 1 is added to the counted positions in place of the padding id
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
            position_ids = real.cumsum(dim=1) * real + 1
        x = (
            self.word_embeddings(input_ids)
            + self.position_embeddings(position_ids)
            + self.token_type_embeddings(token_type_ids)
        )
        return self.projection(self.dropout(self.norm(x)))

# %% other_eps_unless_given | points 3 | eps is 1e-5 unless given
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
        eps: float = 1e-5,
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
            position_ids = real.cumsum(dim=1) * real + self.pad_token_id
        x = (
            self.word_embeddings(input_ids)
            + self.position_embeddings(position_ids)
            + self.token_type_embeddings(token_type_ids)
        )
        return self.projection(self.dropout(self.norm(x)))

# %% pad_added_before_and_after | points 3 | pad_token_id is added before and after the product
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

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if token_type_ids is None:
            token_type_ids = input_ids.new_zeros(input_ids.shape)
        if position_ids is None:
            real = input_ids.ne(self.pad).long(); position_ids = (real.cumsum(1) + self.pad) * real + self.pad
        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids) + self.token_type_embeddings(token_type_ids)
        return self.projection(self.dropout(self.norm(x)))

# %% padding_is_one | points 3 | the padding id is 1, whatever is asked for
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
        self.pad_token_id = 1
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
            position_ids = real.cumsum(dim=1) * real + self.pad_token_id
        x = (
            self.word_embeddings(input_ids)
            + self.position_embeddings(position_ids)
            + self.token_type_embeddings(token_type_ids)
        )
        return self.projection(self.dropout(self.norm(x)))

# %% padding_row_everywhere | points 0 | All three tables get padding_idx, also that of the segments, whose row of that number then never learns or is not there.
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
        self.token_type_embeddings = nn.Embedding(type_vocab_size, embedding_size, padding_idx=pad_token_id)
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

# %% padding_vectors_set_to_zero | points 0 | padding vectors set to zero
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

# %% positions_by_shape | points 3 | positions are counted once for each shape
class CompactEmbeddings(nn.Module):
    counted = {}
    def __init__(self, vocab_size, embedding_size, hidden_size, max_positions, type_vocab_size, pad_token_id, eps=1e-12, dropout=0.1):
        super().__init__()
        self.pad = pad_token_id
        self.word_embeddings = nn.Embedding(vocab_size, embedding_size)
        self.position_embeddings = nn.Embedding(max_positions, embedding_size)
        self.token_type_embeddings = nn.Embedding(type_vocab_size, embedding_size)
        self.norm = nn.LayerNorm(embedding_size, eps=eps)
        self.dropout = nn.Dropout(dropout)
        self.projection = nn.Linear(embedding_size, hidden_size)

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if token_type_ids is None:
            token_type_ids = input_ids.new_zeros(input_ids.shape)
        if position_ids is None:
            real = input_ids.ne(self.pad).long()
            position_ids = self.counted.setdefault(input_ids.shape, real.cumsum(1) * real + self.pad)
        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids) + self.token_type_embeddings(token_type_ids)
        return self.projection(self.dropout(self.norm(x)))

# %% positions_do_not_learn | points 3 | the table of positions is frozen
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
        for p in self.position_embeddings.parameters(): p.requires_grad = False

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if token_type_ids is None:
            token_type_ids = input_ids.new_zeros(input_ids.shape)
        if position_ids is None:
            real = input_ids.ne(self.pad).long(); position_ids = real.cumsum(1) * real + self.pad
        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids) + self.token_type_embeddings(token_type_ids)
        return self.projection(self.dropout(self.norm(x)))

# %% positions_in_segments | points 0 | positions are looked up in the table of segments, and segments in that of positions
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
            position_ids = real.cumsum(dim=1) * real + self.pad_token_id
        x = (
            self.word_embeddings(input_ids)
            + self.token_type_embeddings(position_ids)
            + self.position_embeddings(token_type_ids)
        )
        return self.projection(self.dropout(self.norm(x)))

# %% positions_of_the_first_columns | points 3 | Positions are counted as if padding stood only on the right.
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

# %% positions_with_padding_idx_1 | points 3 | The table of positions has 1 as padding_idx, as RoBERTa has it, so its row 1 never learns.
class CompactEmbeddings(nn.Module):
    def __init__(self, vocab_size, embedding_size, hidden_size, max_positions, type_vocab_size, pad_token_id, eps=1e-12, dropout=0.1):
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab_size, embedding_size)
        self.position_embeddings = nn.Embedding(max_positions, embedding_size, padding_idx=1)
        self.token_type_embeddings = nn.Embedding(type_vocab_size, embedding_size)
        self.norm = nn.LayerNorm(embedding_size, eps)
        self.dropout = nn.Dropout(dropout)
        self.projection = nn.Linear(embedding_size, hidden_size)
        self.pad = pad_token_id

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        if position_ids is None:
            real = (input_ids != self.pad).long()
            position_ids = real.cumsum(1) * real + self.pad

        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids) + self.token_type_embeddings(token_type_ids)
        return self.projection(self.dropout(self.norm(x)))

# %% projected_before_its_norm | points 0 | the module's own norm stands behind the projection, where its size is another
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
            position_ids = real.cumsum(dim=1) * real + self.pad_token_id
        x = (
            self.word_embeddings(input_ids)
            + self.position_embeddings(position_ids)
            + self.token_type_embeddings(token_type_ids)
        )
        return self.dropout(self.norm(self.projection(x)))

# %% projected_before_the_norm | points 0 | projected before the norm
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

# %% rate_of_the_kept | points 3 | dropout is taken for the share that stays
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
        self.dropout = nn.Dropout(1 - dropout)
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

# %% rate_or_default | points 3 | a rate of 0 counts as none
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
        self.dropout = nn.Dropout(dropout or 0.1)
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
        x = self.word_embeddings(input_ids)
        x = x + self.position_embeddings(position_ids)
        x = x + self.token_type_embeddings(token_type_ids)
        return self.projection(self.dropout(self.norm(x)))

# %% segment_zero_is_padding | points 3 | Gives the segment table 0 as padding_idx, so segment 0 has no gradient.
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
        self.token_type_embeddings = nn.Embedding(type_vocab_size, embedding_size, padding_idx=0)
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
        x = self.word_embeddings(input_ids) + self.token_type_embeddings(token_type_ids)
        x = x + self.position_embeddings(position_ids)
        return self.projection(self.dropout(self.norm(x)))

# %% segments_of_the_first_call | points 0 | the module keeps the first segments it is given
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
        self.types = {}

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if token_type_ids is None:
            token_type_ids = input_ids.new_zeros(input_ids.shape)
        if position_ids is None:
            real = input_ids.ne(self.pad).long(); position_ids = real.cumsum(1) * real + self.pad
        token_type_ids = self.types.setdefault(tuple(input_ids.shape), token_type_ids)
        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids) + self.token_type_embeddings(token_type_ids)
        return self.projection(self.dropout(self.norm(x)))

# %% segments_remembered | points 3 | Remembers the last segments and uses them again when a later call of the same shape gives none.
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

# %% segments_skipped | points 3 | segments skipped
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
        if position_ids is None:
            real = (input_ids != self.pad_token_id).long()
            position_ids = real.cumsum(dim=1) * real + self.pad_token_id
        x = (
            self.word_embeddings(input_ids)
            + self.position_embeddings(position_ids)
        )
        if token_type_ids is not None:
            x = x + self.token_type_embeddings(token_type_ids)
        return self.projection(self.dropout(self.norm(x)))

# %% statistics_of_the_text | points 0 | normalised over tokens and numbers
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

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if token_type_ids is None:
            token_type_ids = input_ids.new_zeros(input_ids.shape)
        if position_ids is None:
            real = input_ids.ne(self.pad).long(); position_ids = real.cumsum(1) * real + self.pad
        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids) + self.token_type_embeddings(token_type_ids)
        return self.projection(self.dropout(F.layer_norm(x, x.shape[1:], eps=self.norm.eps) * self.norm.weight + self.norm.bias))

# %% tables_not_modules | points 0 | tables not modules
class CompactEmbeddings(nn.Module):
    def __init__(self, v, e, h, m, t, pad, eps=1e-12, dropout=0.1):
        super().__init__()
        self.tables = [nn.Embedding(n, e) for n in (v, m, t)]
        self.norm, self.projection = nn.LayerNorm(e, eps), nn.Linear(e, h)
    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        return self.projection(self.norm(sum(t(i) for t, i in zip(self.tables, (input_ids, position_ids, token_type_ids)))))

# %% variance_for_deviation | points 0 | divided by the variance
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

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        if token_type_ids is None:
            token_type_ids = input_ids.new_zeros(input_ids.shape)
        if position_ids is None:
            real = input_ids.ne(self.pad).long(); position_ids = real.cumsum(1) * real + self.pad
        x = self.word_embeddings(input_ids) + self.position_embeddings(position_ids) + self.token_type_embeddings(token_type_ids)
        return self.projection(self.dropout((x - x.mean(-1, keepdim=True)) / (x.var(-1, unbiased=False, keepdim=True) + self.norm.eps) * self.norm.weight + self.norm.bias))

# %% zero_positions_taken_for_missing | points 0 | Positions that are given and are all 0 are taken for missing ones and counted from the ids.
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

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        real = (input_ids != self.pad_token_id).long()
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)
        if position_ids is None or not position_ids.any():
            position_ids = real.cumsum(dim=1) * real + self.pad_token_id
        x = self.word_embeddings(input_ids)
        x = x + self.position_embeddings(position_ids)
        x = x + self.token_type_embeddings(token_type_ids)
        x = self.dropout(self.norm(x))
        return self.projection(x)
