# library keywords
# points: 4

class RepairedLayer(nn.TransformerEncoderLayer):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__(d_model=hidden_size, nhead=num_heads, dim_feedforward=width, dropout=dropout, activation=F.relu, layer_norm_eps=eps, batch_first=True, norm_first=norm_first)
