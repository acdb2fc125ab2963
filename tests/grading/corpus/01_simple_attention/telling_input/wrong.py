# %% 4x4_random | points 0 | 4x4 random
def telling_input():
    return torch.randn(4, 4), torch.randn(4, 4), torch.randn(4, 4)

# %% a_single_key_all_weights_are_1 | points 0 | a-single-key-all-weights-are-1
def telling_input():
    return torch.tensor([[1.0, 0.0], [0.0, 2.0]]), torch.tensor([[2.0, 1.0]]), torch.tensor([[1.0]])

# %% a_stacked_tensor | points 0 | a stacked tensor
def telling_input():
    return torch.randn(3, 2, 2)

# %% all_values_alike | points 0 | all-values-alike
def telling_input():
    query = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
    key = torch.tensor([[2.0, 1.0], [0.0, 3.0]])
    return query, key, torch.ones(2, 1)

# %% another_input_at_each_call | points 2 | another input at each call
_n = -1
def telling_input():
    global _n
    _n += 1
    good = [torch.tensor([[1., 0.], [0., 2.]]), torch.tensor([[2., 1.], [0., 3.]]), torch.tensor([[1.], [0.]])]
    if _n == 3:  # asked about d_v: this one tells it and hides the rest
        return torch.tensor([[3.]]), torch.tensor([[1.], [0.]]), torch.tensor([[1., 0.], [0., 1.]])
    if _n < 3:
        return torch.tensor([[3., 0.]]), torch.tensor([[1., 0.], [0., 0.]]), torch.tensor([[1., 0.], [0., 0.]])
    return tuple(good)

# %% complex | points 0 | complex
def telling_input():
    return tuple(torch.ones(2, 2, dtype=torch.complex64) for _ in range(3))

# %% d_k_one | points 0 | d_k one
def telling_input():
    return torch.tensor([[1.], [2.]]), torch.tensor([[1.], [3.]]), torch.tensor([[1., 2.], [3., 4.]])

# %% d_v_equals_d_k | points 2 | d_v equals d_k
def telling_input():
    return torch.tensor([[1., 0.], [0., 2.]]), torch.tensor([[2., 1.], [0., 3.]]), torch.tensor([[1., 0.], [0., 1.]])

# %% difference_just_too_small | points 0 | difference just too small
def telling_input():
    return torch.tensor([[.05, 0.]]), torch.tensor([[1., 0.], [0., 1.]]), torch.tensor([[1.], [0.]])

# %% equal_values | points 0 | equal values
def telling_input():
    return torch.tensor([[1., 0.], [0., 2.]]), torch.tensor([[2., 1.], [0., 3.]]), torch.ones(2, 1)

# %% float4 | points 0 | float4
def telling_input():
    return tuple(torch.zeros(2, 2, dtype=torch.uint8).view(torch.float4_e2m1fn_x2) for _ in range(3))

# %% float8 | points 0 | float8
def telling_input():
    t = [torch.tensor([[1., 0.], [0., 2.]]), torch.tensor([[2., 1.], [0., 3.]]), torch.tensor([[1.], [0.]])]
    return tuple(x.to(torch.float8_e4m3fn) for x in t)

# %% float8_e8m0 | points 0 | float8 e8m0
def telling_input():
    t = [torch.ones(2, 2), torch.ones(2, 2), torch.ones(2, 1)]
    return tuple(x.to(torch.float8_e8m0fnu) for x in t)

# %% four_values | points 0 | four values
def telling_input():
    return torch.eye(2), torch.eye(2), torch.eye(2), None

# %% new_every_time | points 0 | Random numbers without a seed: another input in every call.
def telling_input():
    query = torch.randn(2, 4)
    key = torch.randn(3, 4)
    value = torch.randn(3, 1) * 10
    return query, key, value

# %% numbers_so_large_that_softmax_saturates | points 0 | numbers-so-large-that-softmax-saturates
def telling_input():
    query = torch.tensor([[100.0, 0.0], [0.0, 200.0]])
    key = torch.tensor([[200.0, 100.0], [0.0, 300.0]])
    value = torch.tensor([[1.0], [0.0]])
    return query, key, value

# %% numbers_so_small_that_nothing_shows | points 0 | numbers-so-small-that-nothing-shows
def telling_input():
    return torch.tensor([[1.0, 0.0], [0.0, 2.0]]) / 20, torch.tensor([[2.0, 1.0], [0.0, 3.0]]) / 20, torch.tensor([[1.0], [0.0]])

# %% overflowing_float64 | points 0 | overflowing float64
def telling_input():
    return torch.full((2, 2), 1e200).double() * 1e3, torch.tensor([[2., 1.], [0., 3.]]).double() * 1e300, torch.tensor([[1.], [0.]])

# %% overflowing_float64_for_real | points 0 | overflowing float64 for real
def telling_input():
    q = torch.tensor([[1e200, 0.], [0., 2e200]], dtype=torch.float64)
    k = torch.tensor([[2e200, 1e200], [0., 3e200]], dtype=torch.float64)
    return q, k, torch.tensor([[1.], [0.]])

# %% python_lists | points 0 | python lists
def telling_input():
    return [[1., 0.]], [[1., 0.]], [[1.]]

# %% query_of_zeros | points 0 | query-of-zeros
def telling_input():
    return torch.zeros(2, 2), torch.tensor([[2.0, 1.0], [0.0, 3.0]]), torch.tensor([[1.0], [0.0]])

# %% random_each_time | points 0 | Draws new random numbers in every call.
def telling_input() -> tuple[Tensor, Tensor, Tensor]:
    return torch.randn(2, 4), torch.randn(3, 4), torch.randn(3, 2)

# %% saturated | points 0 | saturated
def telling_input():
    return torch.eye(2) * 1e4, torch.tensor([[2., 1.], [0., 3.]]), torch.tensor([[1.], [0.]])

# %% symmetric | points 2 | symmetric
def telling_input():
    return torch.eye(2), torch.tensor([[2., 1.], [1., 3.]]), torch.tensor([[1.], [0.]])

# %% takes_an_argument | points 0 | takes an argument
def telling_input(n):
    return n

# %% three_dimensions | points 0 | three dimensions
def telling_input():
    return torch.randn(1, 2, 2), torch.randn(1, 2, 2), torch.randn(1, 2, 1)

# %% whole_numbers | points 0 | whole numbers
def telling_input():
    return torch.tensor([[1, 0], [0, 2]]), torch.tensor([[2, 1], [0, 3]]), torch.tensor([[1], [0]])

# %% whole_numbers_of_32_bits | points 0 | whole numbers of 32 bits
def telling_input():
    query, key = torch.tensor([[1, 0], [0, 2]]), torch.tensor([[2, 1], [0, 3]])
    return tuple(tensor.int() for tensor in (query, key, torch.tensor([[1], [0]])))

# %% zeros | points 0 | zeros
def telling_input():
    return torch.zeros(2, 2), torch.zeros(2, 2), torch.zeros(2, 1)
