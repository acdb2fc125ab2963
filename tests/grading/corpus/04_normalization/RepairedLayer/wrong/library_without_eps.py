# library without eps
# points: 3

class RepairedLayer(nn.TransformerEncoderLayer):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__(hidden_size, num_heads, width, dropout, batch_first=True, norm_first=norm_first)
