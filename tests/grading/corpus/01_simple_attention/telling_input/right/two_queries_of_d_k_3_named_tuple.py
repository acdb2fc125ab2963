# two queries of d_k 3, named tuple
# points: 3

from typing import NamedTuple
class I(NamedTuple):
    query: Tensor
    key: Tensor
    value: Tensor
def telling_input():
    return I(torch.tensor([[1., 2., 0.], [0., 1., -1.]]), torch.tensor([[2., 0., 0.], [0., 1., 3.]]), torch.tensor([[3.], [0.]]))
