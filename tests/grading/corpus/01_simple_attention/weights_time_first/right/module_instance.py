# module instance
# points: 3

class W(torch.nn.Module):
    def forward(self, query, key):
        return (query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))).softmax(-1)
weights_time_first = W()
