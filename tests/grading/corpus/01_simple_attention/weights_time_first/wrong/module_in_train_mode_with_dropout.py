# module in train mode with dropout
# points: 0

class A(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = torch.nn.Dropout(0.1)
    def forward(self, query, key):
        s = query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))
        return self.drop(s.softmax(-1))
weights_time_first = A()
