# Draws new random numbers in every call.
# points: 0

def telling_input() -> tuple[Tensor, Tensor, Tensor]:
    return torch.randn(2, 4), torch.randn(3, 4), torch.randn(3, 2)
