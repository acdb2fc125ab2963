"""The shapes in the signatures are not decoration: while the tests run, they are checked."""

import jaxtyping
import pytest
import torch

from solutions.simple_attention import attention_weights


def test_a_key_whose_length_differs_from_the_query_is_caught_by_the_signature():
    with pytest.raises(jaxtyping.TypeCheckError, match="parameter 'key'"):
        attention_weights(torch.randn(2, 5, 4), torch.randn(2, 6, 3))
