# heads in a loop
# points: 5

class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.n = num_attention_heads
        self.output = nn.Linear(hidden_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.query = nn.Linear(hidden_size, hidden_size)
        self.drop = nn.Dropout(p=dropout)
    def forward(self, hidden_states, source_states, source_mask=None):
        contexts, all_weights = [], []
        for q, k, v in zip(*(x.chunk(self.n, -1) for x in (self.query(hidden_states), self.key(source_states), self.value(source_states)))):
            s = torch.bmm(q, k.mT) / math.sqrt(q.size(2))
            if source_mask is not None:
                s = s.masked_fill(~source_mask.unsqueeze(1), -1e30)
            w = s.softmax(2)
            if source_mask is not None:
                w = w.masked_fill(~source_mask.unsqueeze(1), 0.0)
            all_weights.append(w)
            contexts.append(torch.bmm(self.drop(w), v))
        return self.output(torch.cat(contexts, 2)), torch.stack(all_weights, 1)
