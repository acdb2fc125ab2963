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
from solutions.lora import add_lora, merge_lora
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
# ANSWER

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
# ANSWER

# %%
page = take("07_fine_tuning", "swap_neighbours", "order_texts", "order_labels")
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


rows = {
    "200 English sentences": [len(sentences), right_share(sentences, labels)],
    "200 docstrings": [200, right_share(page["order_texts"][-200:], page["order_labels"][-200:])],
    "always the same": [200, max(sum(labels), 200 - sum(labels)) / 200],
}
carried = pd.DataFrame(rows, ["texts", "right"]).T
carried["± two standard errors"] = 2 * (carried["right"] * (1 - carried["right"]) / 200) ** 0.5
carried.round(2)

# %% [exercise 3]
# ANSWER

# %%
from torch import nn

texts, labels = page["order_texts"], torch.tensor(page["order_labels"])


@torch.no_grad()
def after_four_layers(texts):
    """States after layer 3 of texts of at most 16 tokens, and their mask."""
    batch = tokenizer(
        texts, padding="max_length", truncation=True, max_length=16, return_tensors="pt"
    )
    body = Classifier.from_pretrained(checkpoint, num_labels=2).eval().encoder
    ids, mask = batch.input_ids, batch.attention_mask
    states = body(ids, mask, output_hidden_states=True).hidden_states
    return states[4], mask


(x, mask), (x_new, mask_new) = after_four_layers(texts[:800]), after_four_layers(texts[-300:])


def train_upper_layers(rank, epochs=4):
    """Adapters of a rank in the upper two layers, on 800 sentences; accuracy on 300 others."""
    torch.manual_seed(0)
    upper = Classifier.from_pretrained(checkpoint, num_labels=2).encoder.layers[4:]
    add_lora(upper, rank=rank, alpha=2 * rank)
    head = nn.Linear(384, 2)
    learning = [p for p in [*upper.parameters(), *head.parameters()] if p.requires_grad]
    optimizer = torch.optim.AdamW(learning, lr=2e-3)

    def logits(x, mask):
        for layer in upper:
            x, _ = layer(x, mask.bool()[:, None, None, :])
        real = mask[..., None]
        return head((x * real).sum(dim=1) / real.sum(dim=1))

    for _ in range(epochs):
        for rows in torch.randperm(800).split(32):
            loss = nn.functional.cross_entropy(logits(x[rows], mask[rows]), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        right = (logits(x_new, mask_new).argmax(-1) == labels[-300:]).double().mean()
    return sum(p.numel() for p in learning) - 770, right.item(), loss.item()


rows = {f"rank {rank}": train_upper_layers(rank) for rank in (1, 2, 4, 16)}
ranks = pd.DataFrame(rows, ["numbers in the adapters", "right", "last loss"]).T
ranks.round(3)

# %% [exercise 4]
# ANSWER

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
