from dataclasses import replace

import pytest
import torch
from torch import nn

from solutions import TransformerConfig
from solutions.decoder import LanguageModel
from solutions.quantization import QuantizedLinear, quantize, quantize_linear_layers


@pytest.mark.parametrize("by_row", [True, False])
@pytest.mark.parametrize("bits", [2, 4, 8])
def test_no_number_is_off_by_more_than_half_a_step(bits, by_row):
    weight = torch.randn(20, 30) * torch.logspace(-3, 3, 20)[:, None]
    values, scale = quantized = quantize(weight, bits, by_row)
    assert values.dtype == torch.int8
    assert values.abs().max() == 2 ** (bits - 1) - 1
    assert scale.shape == ((20, 1) if by_row else (1, 1))
    error = (quantized.dequantize() - weight).abs()
    assert (error <= scale / 2 * (1 + 1e-4)).all()
    if by_row:  # the largest of each row is met exactly, and every row uses all steps
        assert (values.abs().amax(dim=1) == 2 ** (bits - 1) - 1).all()
    else:  # the smallest rows have disappeared
        assert (values[:5] == 0).all()


def test_eight_bits_by_row_are_pytorchs_quantisation_by_channel(close):
    weight = torch.randn(6, 9)
    quantized = quantize(weight)
    zero = torch.zeros(6, dtype=torch.int32)
    scale = quantized.scale.flatten()
    expected = torch.fake_quantize_per_channel_affine(weight, scale, zero, 0, -127, 127)
    close(quantized.dequantize(), expected)


def test_a_row_of_zeros_stays_one_and_odd_numbers_of_bits_are_refused():
    weight = torch.tensor([[0.0, 0.0], [1.0, -2.0]])
    assert quantize(weight).dequantize()[0].tolist() == [0, 0]
    assert (quantize(torch.zeros(2, 3), by_row=False).dequantize() == 0).all()
    for bits in (1, 9):
        with pytest.raises(ValueError, match=f"bits is {bits}; expected 2 to 8"):
            quantize(weight, bits)


@pytest.mark.parametrize("bias", [True, False])
def test_a_quantised_map_is_the_map_with_rounded_weights(bias, close):
    linear = nn.Linear(12, 5, bias=bias)
    quantised = QuantizedLinear(linear)
    x = torch.randn(2, 3, 12)
    with torch.no_grad():
        linear.weight.copy_(quantize(linear.weight).dequantize())
        close(quantised(x), linear(x))
    assert {name for name, _ in quantised.named_buffers()} == {"values", "scale"}


@torch.no_grad()
def test_a_language_model_keeps_nearly_its_logits_in_a_quarter_of_the_bytes(with_drawn_weights):
    config = TransformerConfig(
        vocab_size=20,
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=16,
        pre_norm=True,
    )
    ids = torch.randint(0, 20, (2, 16))
    off = {}
    for config_ in (config, replace(config, attn_implementation="sdpa")):
        for bits in (8, 4):
            torch.manual_seed(0)
            model = with_drawn_weights(LanguageModel(config_))
            expected = model(ids).logits
            quantize_linear_layers(model, bits)
            assert not [m for m in model.modules() if isinstance(m, nn.Linear)]
            off[bits] = ((model(ids).logits - expected).std() / expected.std()).item()
        assert 0 < off[8] < 0.03 < off[4] < 0.6

    layer = model.decoder.stack.layers[0].feed_forward.output
    assert layer.values.nbytes == 64 * 128
    assert layer.scale.nbytes == 64 * 4
