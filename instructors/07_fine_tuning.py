"""Solutions to the exercises of chapters/07_fine_tuning.ipynb, for instructors."""

# %%
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd
import torch
from chapter import take
from safetensors.torch import load_file

from solutions import load_checkpoint
from solutions.corpus import load_docstrings
from solutions.head import Classifier
from solutions.lora import LoRALinear, add_lora, merge_lora
from solutions.trained import load_adapter
from solutions.training import LabelEncoder, TextDataset, predict

torch.set_num_threads(1)
checkpoint = load_checkpoint()
tokenizer = checkpoint.tokenizer


def adapted(task, num_labels):
    model = Classifier.from_pretrained(checkpoint, num_labels=num_labels)
    add_lora(model.encoder, rank=8)
    model.load_state_dict(load_adapter(task), strict=False)
    return merge_lora(model).eval()


# %% [exercise 1]
# For these ten, yes: all five docstrings get 0.93 or more, all five others 0.79 or less. That is
# better than one can expect in general. *He plots against the king* comes as high as that for the
# sake of one word, and with more sentences the two groups will meet: more than a third of the
# page's 600 test texts are below 0.9, and these are genuine. As a test for “none of these” the
# largest probability is better than nothing, and no substitute for examples of what doesn't
# belong.

# %%
names = LabelEncoder.fit(load_docstrings()[1])
model = adapted("libraries", 4)
texts = {
    "Draw a legend beside the axes.": True,
    "Return the rank of a matrix over the rationals.": True,
    "Move all parameters to another device.": True,
    "Emit a JOIN between two tables.": True,
    "Apply dropout to the input tensor.": True,
    "The soup is cold.": False,
    "Who was at the door last night?": False,
    "He plots against the king.": False,
    "They sat at a table by the window.": False,
    "Fruit flies like a banana.": False,
}
probabilities = predict(model, TextDataset(list(texts), None, tokenizer)).softmax(dim=-1)
largest = probabilities.max(dim=-1)
asked = pd.DataFrame(
    {
        "docstring": list(texts.values()),
        "said": names.decode(largest.indices),
        "largest probability": largest.values.tolist(),
    },
    index=list(texts),
)
asked.sort_values("largest probability").round(2)

# %%
genuine = asked["docstring"]
cut = min(asked["largest probability"][genuine])
above = (asked["largest probability"][~genuine] >= cut).sum()
print(f"lowest of the docstrings {cut:.2f}; of the others, {above} of 5 are as high or higher")

# %% [exercise 2]
# The adapter is right in 84%, with an uncertainty of ±5, and so at least as good as on the
# docstrings on which it was judged (80% of the last 200). So what it learned about neighbouring
# words is about English and not about documentation. The trigrams, here in their simplest form,
# come close on docstrings (75%) and not on English (68%), where fewer of the pairs have ever been
# counted. The control is the answer that is always the same.

# %%
page = take(
    "07_fine_tuning", "swap_neighbours", "order_texts", "order_labels", "Trigrams", "best_swap"
)
from models.fine_tuning import first, load_task
from models.train_translator import read_pairs

english = sorted({text for text, _ in read_pairs() if len(text.split()) >= 5})
torch.manual_seed(0)
some = [english[i] for i in torch.randperm(len(english))[:400].tolist()]
sentences, labels = page["swap_neighbours"](some)
sentences, labels = sentences[:200], labels[:200]
order = adapted("order", 2)


def right_share(texts, labels):
    said = predict(order, TextDataset(list(texts), None, tokenizer)).argmax(dim=-1)
    return (said == torch.tensor(labels)).double().mean().item()


def plain(texts):
    """In small letters and without a full stop, as English and docstrings differ there."""
    return [text.lower().rstrip(".?!") for text in texts]


drawn = first(load_task("order")["train"], 3200, seed=0)
counted = [text for text, swapped in zip(*drawn, strict=True) if not swapped]
trigrams = page["Trigrams"](plain(counted))


def counted_share(texts, labels):
    said = [page["best_swap"](trigrams, text)[0] > 0 for text in plain(texts)]
    return sum(a == b for a, b in zip(said, labels, strict=True)) / len(labels)


docstrings = page["order_texts"][-200:], page["order_labels"][-200:]
rows = {
    "adapter, 200 English sentences": [200, right_share(sentences, labels)],
    "adapter, 200 docstrings": [200, right_share(*docstrings)],
    "trigrams, 200 English sentences": [200, counted_share(sentences, labels)],
    "trigrams, 200 docstrings": [200, counted_share(*docstrings)],
    "always the same": [200, max(sum(labels), 200 - sum(labels)) / 200],
}
carried = pd.DataFrame(rows, ["texts", "right"]).T
carried["± two standard errors"] = 2 * (carried["right"] * (1 - carried["right"]) / 200) ** 0.5
carried.round(2)

# %% [exercise 3]
# To train four adapters takes the better part of an hour, so this page asks the adapter that
# comes with the course: its rank-8 corrections are cut down to their best rank-4, rank-2 and
# rank-1 parts, by singular values, without further training. That is a lower limit, as an adapter
# that was *trained* with rank 2 could use its two directions better. Rank 0, the encoder without
# a correction under the trained head, guesses; rank 1 is right in 80 of 100 cases, and from rank
# 2 on nothing changes (0.82, give or take 0.04 on 400 sentences), though rank 2 holds only 81% of
# the squared correction and rank 4 92%. So more rank stops paying at about 2 for this task.


# %%
def order_model(rank):
    """The trained adapter, cut down to a rank, on the model that it was trained for."""
    model = Classifier.from_pretrained(checkpoint, num_labels=2)
    add_lora(model.encoder, rank=8)
    model.load_state_dict(load_adapter("order"), strict=False)
    kept, total = 0.0, 0.0
    for module in model.modules():
        if isinstance(module, LoRALinear):
            u, s, v = torch.linalg.svd(module.up.weight @ module.down.weight, full_matrices=False)
            module.up.weight.data = torch.zeros_like(module.up.weight)
            module.up.weight.data[:, :rank] = (u * s)[:, :rank]
            module.down.weight.data[:rank] = v[:rank]
            kept += s[:rank].square().sum().item()
            total += s.square().sum().item()
    return merge_lora(model).eval(), kept / total


data = TextDataset(page["order_texts"][-400:], torch.tensor(page["order_labels"][-400:]), tokenizer)
rows = {}
for rank in (0, 1, 2, 4, 8):
    model, kept = order_model(rank)
    said = predict(model, data).argmax(dim=-1)
    rows[f"rank {rank}"] = [kept, (said == data.labels).double().mean().item()]
ranks = pd.DataFrame(rows, ["share of the correction", "right"]).T
assert ranks["right"]["rank 0"] < 0.6
assert ranks["right"]["rank 1"] > 0.7
assert abs(ranks["right"]["rank 2"] - ranks["right"]["rank 8"]) < 0.04
ranks.round(2)

# %% [exercise 4]
# A small model is trained for three epochs of ten batches, once without interruption; once it is
# interrupted in the second epoch, and a fresh process goes on from the file. All weights are
# equal bit by bit. In the file, besides the weights, are the best weights so far (or early
# stopping would forget them), the optimizer's averages, the state of the random number generator
# (for dropout), and, as text, the position in the epoch. The order of the examples needs no
# saving: it follows from the seed and the number of the epoch.

# %%
PROGRAM = """
import sys
import torch
from solutions import TransformerConfig, load_checkpoint
from solutions.corpus import load_docstrings
from solutions.encoder import Encoder
from solutions.head import Classifier
from solutions.training import LabelEncoder, TextDataset, Trainer, seed_everything

class Stop(Exception):
    pass

def train(checkpoint=None, stop_at=None):
    seed_everything(0)
    texts, labels = load_docstrings()
    names = LabelEncoder.fit(labels)
    tokenizer = load_checkpoint().tokenizer
    data = [TextDataset(texts[a:b], names.encode(labels[a:b]), tokenizer)
            for a, b in ((0, 160), (200, 240))]
    small = TransformerConfig(hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
                              intermediate_size=96)
    model = Classifier(small, num_labels=len(names))
    trainer = Trainer(model, learning_rate=1e-3, batch_size=16, progress=False)
    batches = 0
    def count(module, given):
        nonlocal batches
        batches += module.training
        if batches == stop_at:
            raise Stop
    model.register_forward_pre_hook(count)
    trainer.fit(*data, epochs=3, checkpoint=checkpoint, save_every=2)
    return model.state_dict()
"""
RESUME = (
    PROGRAM
    + """
from safetensors.torch import save_file
save_file({n: t.contiguous() for n, t in train(sys.argv[1]).items()}, sys.argv[2])
"""
)
folder = Path(tempfile.mkdtemp())
here: dict = {}
exec(PROGRAM, here)
uninterrupted = here["train"]()
try:
    here["train"](folder / "run.safetensors", stop_at=15)  # ten batches are an epoch
except here["Stop"]:
    print("interrupted in the second epoch")
script = folder / "resume.py"
script.write_text(RESUME)
arguments = [folder / "run.safetensors", folder / "weights.safetensors"]
environment = os.environ | {"PYTHONPATH": str(Path(sys.modules["solutions"].__file__).parents[1])}
subprocess.run([sys.executable, script, *arguments], check=True, env=environment)
resumed = load_file(folder / "weights.safetensors")
assert all(torch.equal(resumed[name], tensor) for name, tensor in uninterrupted.items())
print("resumed in a fresh process: all weights are equal, bit by bit")

# %%
saved = load_file(folder / "run.safetensors")
kinds = sorted({name.split(".")[0] for name in saved})
print("in the file:", ", ".join(kinds))
