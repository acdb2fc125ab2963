"""Weights from one layout to another: for each library a table of names, and a few moves.

Every function takes the state of one module and returns the state for another, ready for
``load_state_dict``; entries that have no place there are left out. A matrix that is transposed, or
has its heads in another order, would train as well and load wrong, so every layout is written down.

Ours packs queries, keys and values: ``query_key_value.weight`` ``[3 * hidden, hidden]`` holds all
query rows, then all key rows, then all value rows, in each third head 0 first. Where query heads
share keys and values, there are fewer rows of these, in the same order.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

State = Mapping[str, Tensor]
Names = Mapping[str, str]  # how a name begins there: how it begins here


def part_of(state: State, prefix: str) -> dict[str, Tensor]:
    """The entries whose names begin with ``prefix``, without it."""
    return {name.removeprefix(prefix): t for name, t in state.items() if name.startswith(prefix)}


# ---- PyTorch: packed as ours is ----------------------------------------------------------------

TORCH_ATTENTION = {"in_proj_": "query_key_value.", "out_proj.": "output."}
TORCH_ENCODER_LAYER = {
    "self_attn.in_proj_": "attention.query_key_value.",
    "self_attn.out_proj.": "attention.output.",
    "norm1.": "attention_norm.",
    "linear1.": "feed_forward.intermediate.",
    "linear2.": "feed_forward.output.",
    "norm2.": "feed_forward_norm.",
}
TORCH_DECODER_LAYER = TORCH_ENCODER_LAYER | {
    "multihead_attn.in_proj_": "cross_attention.query_key_value.",
    "multihead_attn.out_proj.": "cross_attention.output.",
    "norm2.": "cross_attention_norm.",
    "norm3.": "feed_forward_norm.",
}


def torch_to_packed(state: State) -> dict[str, Tensor]:
    """Convert ``nn.MultiheadAttention`` (with equal sizes and biases) to ``MultiHeadAttention``."""
    return _renamed(state, TORCH_ATTENTION)


def packed_to_torch(state: State) -> dict[str, Tensor]:
    """Convert ``MultiHeadAttention`` to ``nn.MultiheadAttention``."""
    return _renamed(state, _turned_round(TORCH_ATTENTION))


def torch_to_encoder_layer(state: State) -> dict[str, Tensor]:
    """Convert ``nn.TransformerEncoderLayer`` to ``EncoderLayer``."""
    return _renamed(state, TORCH_ENCODER_LAYER)


def encoder_layer_to_torch(state: State) -> dict[str, Tensor]:
    """Convert ``EncoderLayer`` to ``nn.TransformerEncoderLayer``."""
    return _renamed(state, _turned_round(TORCH_ENCODER_LAYER))


def torch_to_decoder_layer(state: State) -> dict[str, Tensor]:
    """Convert ``nn.TransformerDecoderLayer`` to ``DecoderLayer`` with cross-attention."""
    return _renamed(state, TORCH_DECODER_LAYER)


def decoder_layer_to_torch(state: State) -> dict[str, Tensor]:
    """Convert ``DecoderLayer`` with cross-attention to ``nn.TransformerDecoderLayer``."""
    return _renamed(state, _turned_round(TORCH_DECODER_LAYER))


# ---- The list of heads: heads.0.query.weight [head_size, hidden] and so on ---------------------


def list_to_packed(state: State) -> dict[str, Tensor]:
    """Convert ``MultiHeadAttentionList`` to ``MultiHeadAttention``."""
    heads = range(sum(name.endswith("query.weight") for name in state))
    thirds = _renamed(state, {"output.": "output."}) | {
        f"{part}.{kind}": torch.cat([state[f"heads.{h}.{part}.{kind}"] for h in heads])
        for part in ("query", "key", "value")
        for kind in ("weight", "bias")
    }
    return _packed(thirds)


def packed_to_list(state: State, num_attention_heads: int) -> dict[str, Tensor]:
    """Convert ``MultiHeadAttention`` to ``MultiHeadAttentionList``."""
    thirds = _unpacked(state)
    result = _renamed(state, {"output.": "output."})
    for part in ("query", "key", "value"):
        for kind in ("weight", "bias"):
            for h, rows in enumerate(thirds[f"{part}.{kind}"].chunk(num_attention_heads)):
                result[f"heads.{h}.{part}.{kind}"] = rows  # [head_size, hidden] or [head_size]
    return result


# ---- BERT: query, key and value each a matrix [hidden, hidden], head 0 in the first rows -------

BERT_ATTENTION = {"self.": "", "output.dense.": "output."}  # its LayerNorm is the layer's
BERT_LAYER = {
    "attention.self.": "attention.",
    "attention.output.dense.": "attention.output.",
    "attention.output.LayerNorm.": "attention_norm.",
    "intermediate.dense.": "feed_forward.intermediate.",
    "output.dense.": "feed_forward.output.",
    "output.LayerNorm.": "feed_forward_norm.",
}
BERT_EMBEDDINGS = {
    "embeddings.word_embeddings.": "embeddings.word_embeddings.",
    "embeddings.position_embeddings.": "embeddings.position_embeddings.",
    "embeddings.token_type_embeddings.": "embeddings.token_type_embeddings.",
    "embeddings.LayerNorm.": "embeddings.norm.",
}
BERT_CLASSIFIER_HEAD = {
    "bert.pooler.dense.": "head.pooler.dense.",
    "classifier.": "head.linear.",
}
BERT_MASKED_LANGUAGE_HEAD = {
    "cls.predictions.transform.dense.": "head.dense.",
    "cls.predictions.transform.LayerNorm.": "head.norm.",
    "cls.predictions.bias": "head.bias",
    "bert.embeddings.word_embeddings.": "head.word_embeddings.",
}


def bert_to_packed(state: State) -> dict[str, Tensor]:
    """Convert Hugging Face's ``BertAttention`` to ``MultiHeadAttention``."""
    return _packed(_renamed(state, BERT_ATTENTION))


def packed_to_bert(state: State) -> dict[str, Tensor]:
    """Convert ``MultiHeadAttention`` to ``BertAttention``, without its ``output.LayerNorm``."""
    names = {"output.": "output.dense."} | {p: f"self.{p}" for p in ("query.", "key.", "value.")}
    return _renamed(_unpacked(state), names)


def bert_to_encoder(state: State) -> dict[str, Tensor]:
    """Convert ``BertModel`` to ``Encoder``; its pooler is left out."""
    layers = _renamed_layers(state, "encoder.layer.", BERT_LAYER, "layers.")
    return _renamed(state, BERT_EMBEDDINGS) | _packed(layers)


def bert_to_classifier(state: State) -> dict[str, Tensor]:
    """Convert a BERT with a classifier's head to our model with the same.

    ``BertForSequenceClassification`` becomes a ``Classifier`` (with ``pooler=True``, and
    ``pooling="first"``), ``BertForTokenClassification`` a ``TokenClassifier``.
    """
    return _encoder_of_bert(state) | _renamed(state, BERT_CLASSIFIER_HEAD)


def bert_to_masked_language_model(state: State) -> dict[str, Tensor]:
    """Convert ``BertForMaskedLM`` to ``MaskedLanguageModel``."""
    return _encoder_of_bert(state) | _renamed(state, BERT_MASKED_LANGUAGE_HEAD)


def _encoder_of_bert(state: State) -> dict[str, Tensor]:
    return _renamed(bert_to_encoder(part_of(state, "bert.")), {"": "encoder."})


# ---- GPT-2: packed, but its Conv1D computes x @ weight, so matrices are ours transposed --------

GPT2_ATTENTION = {"c_attn.": "query_key_value.", "c_proj.": "output."}
GPT2_LAYER = {
    "ln_1.": "attention_norm.",
    "attn.c_attn.": "attention.query_key_value.",
    "attn.c_proj.": "attention.output.",
    "ln_2.": "feed_forward_norm.",
    "mlp.c_fc.": "feed_forward.intermediate.",
    "mlp.c_proj.": "feed_forward.output.",
}
GPT2_OUTSIDE = {
    "transformer.wte.": "decoder.embeddings.word_embeddings.",  # its head is this table too
    "transformer.wpe.": "decoder.embeddings.position_embeddings.",
    "transformer.ln_f.": "decoder.stack.final_norm.",
}


def gpt2_to_packed(state: State) -> dict[str, Tensor]:
    """Convert Hugging Face's ``GPT2Attention`` to ``MultiHeadAttention``."""
    return _transposed(_renamed(state, GPT2_ATTENTION))


def packed_to_gpt2(state: State) -> dict[str, Tensor]:
    """Convert ``MultiHeadAttention`` to ``GPT2Attention``."""
    return _transposed(_renamed(state, _turned_round(GPT2_ATTENTION)))


def gpt2_to_language_model(state: State) -> dict[str, Tensor]:
    """Convert ``GPT2LMHeadModel`` to ``LanguageModel``."""
    layers = _renamed_layers(state, "transformer.h.", GPT2_LAYER, "decoder.stack.layers.")
    return _renamed(state, GPT2_OUTSIDE) | _transposed(layers)


# ---- Llama: query, key and value each a matrix, which it gives no biases by default --------------

LLAMA_LAYER = {
    "self_attn.q_proj.": "attention.query.",
    "self_attn.k_proj.": "attention.key.",
    "self_attn.v_proj.": "attention.value.",
    "self_attn.o_proj.": "attention.output.",
    "input_layernorm.": "attention_norm.",
    "mlp.gate_proj.": "feed_forward.gate.",
    "mlp.up_proj.": "feed_forward.intermediate.",
    "mlp.down_proj.": "feed_forward.output.",
    "post_attention_layernorm.": "feed_forward_norm.",
}
LLAMA_OUTSIDE = {
    "model.embed_tokens.": "decoder.embeddings.word_embeddings.",
    "model.norm.": "decoder.stack.final_norm.",
    "lm_head.": "head.",
}
# Mixtral keeps all experts in two tensors: gate_up_proj [experts, 2 * intermediate, hidden], the
# gate's rows before those of the intermediate map, and down_proj [experts, hidden, intermediate].
MIXTRAL_LAYER = {name: ours for name, ours in LLAMA_LAYER.items() if "mlp" not in name} | {
    "mlp.gate.": "feed_forward.router.",
    "mlp.experts.": "feed_forward.experts.",
}


def llama_to_language_model(state: State) -> dict[str, Tensor]:
    """Convert ``LlamaForCausalLM`` or ``MistralForCausalLM`` to ``LanguageModel``.

    Where the head is the table of embeddings (``tie_word_embeddings``), leave ``head.weight`` out.
    """
    layers = _renamed_layers(state, "model.layers.", LLAMA_LAYER, "decoder.stack.layers.")
    return _renamed(state, LLAMA_OUTSIDE) | _packed(layers)


def mixtral_to_language_model(state: State) -> dict[str, Tensor]:
    """Convert ``MixtralForCausalLM`` to ``LanguageModel`` with experts; see the one for Llama."""
    layers = _renamed_layers(state, "model.layers.", MIXTRAL_LAYER, "decoder.stack.layers.")
    return _renamed(state, LLAMA_OUTSIDE) | _packed(_experts_apart(layers))


def language_model_to_llama(state: State) -> dict[str, Tensor]:
    """Convert a ``LanguageModel`` that is built like Llama to ``LlamaForCausalLM``.

    Its configuration needs ``rms_norm``, ``swiglu``, ``rotary`` and ``pre_norm``; theirs the same
    ``attention_bias`` and ``tie_word_embeddings``. If these are tied, it gets the table twice.
    """
    outside = _renamed(state, _turned_round(LLAMA_OUTSIDE))
    outside.setdefault("lm_head.weight", outside["model.embed_tokens.weight"])
    layers = _unpacked(part_of(state, "decoder.stack.layers."))
    return outside | _renamed_layers(layers, "", _turned_round(LLAMA_LAYER), "model.layers.")


# ---- The moves ---------------------------------------------------------------------------------


def _renamed(state: State, names: Names) -> dict[str, Tensor]:
    """The entries that a table knows, under their new names."""
    return {
        ours + name.removeprefix(theirs): tensor
        for theirs, ours in names.items()
        for name, tensor in state.items()
        if name.startswith(theirs)
    }


def _renamed_layers(state: State, theirs: str, names: Names, ours: str) -> dict[str, Tensor]:
    """The same for each layer of a stack: ``encoder.layer.0.…`` to ``layers.0.…``."""
    layers = part_of(state, theirs)
    result: dict[str, Tensor] = {}
    for i in {name.split(".")[0] for name in layers}:
        layer = _renamed(part_of(layers, f"{i}."), names)
        result |= _renamed(layer, {"": f"{ours}{i}."})
    return result


def _turned_round(names: Names) -> Names:
    return {ours: theirs for theirs, ours in names.items()}


def _packed(state: State) -> dict[str, Tensor]:
    """Join each query, key and value: their rows, one under the other."""
    result = {}
    for name, tensor in state.items():
        *module, part, kind = name.split(".")
        if part == "query":
            thirds = [state[".".join([*module, p, kind])] for p in ("query", "key", "value")]
            result[".".join([*module, "query_key_value", kind])] = torch.cat(thirds)
        elif part not in ("key", "value"):
            result[name] = tensor
    return result


def _unpacked(state: State) -> dict[str, Tensor]:
    """Cut the packed rows into queries, keys and values again."""
    result = {}
    for name, tensor in state.items():
        before, packed, kind = name.rpartition("query_key_value.")
        if packed:
            queries = state[f"{before}output.weight"].size(1)  # keys and values share what is left
            keys = (tensor.size(0) - queries) // 2
            thirds = tensor.split([queries, keys, keys])
            for part, rows in zip(("query", "key", "value"), thirds, strict=True):
                result[f"{before}{part}.{kind}"] = rows
        else:
            result[name] = tensor
    return result


def _experts_apart(state: State) -> dict[str, Tensor]:
    """Give each of Mixtral's experts three matrices of its own."""
    result = {}
    for name, tensor in state.items():
        before, _, part = name.rpartition("experts.")
        for i, matrix in enumerate(tensor) if part in ("gate_up_proj", "down_proj") else ():
            if part == "down_proj":
                result[f"{before}experts.{i}.output.weight"] = matrix
            else:
                gate, intermediate = matrix.chunk(2)
                result[f"{before}experts.{i}.gate.weight"] = gate
                result[f"{before}experts.{i}.intermediate.weight"] = intermediate
        if part not in ("gate_up_proj", "down_proj"):
            result[name] = tensor
    return result


def _transposed(state: State) -> dict[str, Tensor]:
    return {name: t.T.contiguous() if t.dim() == 2 else t for name, t in state.items()}
