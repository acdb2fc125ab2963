# custom autograd function
# points: 3

class Soft(torch.autograd.Function):
    @staticmethod
    def forward(ctx, s):
        w = s.softmax(-1); ctx.save_for_backward(w); return w
    @staticmethod
    def backward(ctx, g):
        (w,) = ctx.saved_tensors
        return w * (g - (g * w).sum(-1, keepdim=True))
def weights_time_first(query, key):
    return Soft.apply(query.transpose(0, 1) @ key.permute(1, 2, 0) / math.sqrt(query.size(-1)))
