# %% bfloat16_and_float64_mixed | points 3 | bfloat16 and float64 mixed
def telling_input():
    return torch.tensor([[1., 0.], [0., 2.]]).bfloat16(), torch.tensor([[2., 1.], [0., 3.]]).double(), torch.tensor([[1.], [0.]])

# %% generator_seeded | points 3 | generator seeded
def telling_input():
    g = torch.Generator().manual_seed(3)
    return torch.randn(3, 3, generator=g) * 2, torch.randn(4, 3, generator=g) * 2, torch.randn(4, 2, generator=g)

# %% half_precision | points 3 | half precision
def telling_input():
    return torch.tensor([[1., 0.], [0., 2.]]).half(), torch.tensor([[2., 1.], [0., 3.]]).half(), torch.tensor([[1.], [0.]]).half()

# %% one_query_only_float64 | points 3 | one-query-only-float64
def telling_input():
    return (torch.tensor([[1., 2., -1.]]).double(), torch.tensor([[1., 0., 0.], [0., 1., 0.]]).double(), torch.tensor([[3.], [-2.]]).double())

# %% parameters | points 3 | parameters
def telling_input():
    return tuple(torch.nn.Parameter(t) for t in (torch.tensor([[1., 0.], [0., 2.]]), torch.tensor([[2., 1.], [0., 3.]]), torch.tensor([[1.], [0.]])))

# %% random_numbers_with_a_seed | points 3 | random-numbers-with-a-seed
def telling_input():
    g = torch.Generator().manual_seed(4)
    return torch.randn(2, 4, generator=g), torch.randn(3, 4, generator=g), torch.randn(3, 2, generator=g) * 3

# %% random_with_the_global_generator | points 3 | random with the global generator
def telling_input():
    torch.manual_seed(12)
    return torch.randn(2, 3) * 3, torch.randn(4, 3) * 2, torch.randn(4, 2) * 2

# %% requires_grad_and_expanded | points 3 | requires_grad and expanded
def telling_input():
    q = torch.tensor([[1., 0.], [0., 2.]], requires_grad=True)
    return q, torch.tensor([[2., 1.], [0., 3.]]), torch.tensor([1., 0.]).unsqueeze(1)

# %% transposed_views | points 3 | transposed views
def telling_input():
    return torch.tensor([[1., 0.], [0., 2.]]).T, torch.tensor([[2., 0.], [1., 3.]]).T, torch.tensor([[1., 0.]]).T

# %% two_queries_of_d_k_3_named_tuple | points 3 | two queries of d_k 3, named tuple
from typing import NamedTuple
class I(NamedTuple):
    query: Tensor
    key: Tensor
    value: Tensor
def telling_input():
    return I(torch.tensor([[1., 2., 0.], [0., 1., -1.]]), torch.tensor([[2., 0., 0.], [0., 1., 3.]]), torch.tensor([[3.], [0.]]))
