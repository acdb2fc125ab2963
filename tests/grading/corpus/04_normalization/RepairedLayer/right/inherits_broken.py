# inherits broken
# points: 4

class RepairedLayer(BrokenLayer):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__(hidden_size, num_heads, width, norm_first, eps, dropout)
        self.norm2.eps = eps
        self.p = dropout
    def forward(self, x):
        self.dropout = self.p if self.training else 0.0
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))
