"""Solutions to the exercises of chapters/08_cache.ipynb, for instructors."""

# %%
import torch
from chapter import take

from solutions.generation import generate

torch.set_num_threads(1)
page = take("08_cache", "training", "tokenizer")
writer, tokenizer, training = page["writer"], page["tokenizer"], page["training"]
counting = take("08_writing", "KneserNey")["KneserNey"](training, order=7)

# %% [exercise 1]
# In each round the 7-gram writes four characters, and the writer reads them in one call, together
# with the character before. Its choices after each of them come out at once, under the
# rectangular mask that the cache brings along. The proposal is kept as far as it is what the
# writer would have chosen, and the writer's own next character comes for free. Keys and values of
# what was refused are cut off the cache again, which is why the cache here can be cut back. The
# text is the writer's greedy text, character by character, and about three characters come with
# each call. The control: with proposals that know nothing (always *e*) the text is still the
# same, and 67 calls are needed for 80 characters. A bad proposal costs time and never changes the
# text.


# %%
class Cache:
    """Keys and values of all layers, which can be cut back."""

    def __init__(self):
        self.self_attention, self.cross_attention = {}, {}

    @property
    def length(self):
        return self.self_attention[0][0].size(2) if self.self_attention else 0

    def update(self, key, value, layer):
        if layer in self.self_attention:
            old_key, old_value = self.self_attention[layer]
            key, value = torch.cat([old_key, key], 2), torch.cat([old_value, value], 2)
        self.self_attention[layer] = key, value
        return key, value

    def cut_back(self, length):
        """Forget all tokens from this position on."""
        for layer, (key, value) in self.self_attention.items():
            self.self_attention[layer] = key[:, :, :length], value[:, :, :length]


def proposal(text, count):
    """What the 7-gram would write, greedily."""
    for _ in range(count):
        chances = [counting.probability(text[-6:], each) for each in tokenizer.characters]
        text += tokenizer.characters[max(range(len(chances)), key=chances.__getitem__)]
    return text[-count:]


@torch.inference_mode()
def speculate(text, count, ahead=4):
    """Write greedily; return the text and how often the writer was called."""
    cache, calls, end = Cache(), 0, len(text) + count
    unread = tokenizer.encode(text)
    while len(text) < end:
        proposed = proposal(text, ahead)
        new = torch.cat([unread, tokenizer.encode(proposed)], dim=1)
        logits = writer(new, cache=cache).logits[0, -(ahead + 1) :]
        calls += 1
        wanted = tokenizer.decode(logits.argmax(dim=-1))  # after 0, 1, … proposed ones
        agreed = 0
        while agreed < ahead and proposed[agreed] == wanted[agreed]:
            agreed += 1
        text += proposed[:agreed] + wanted[agreed]  # one more comes for free
        cache.cut_back(len(text) - 1)
        unread = tokenizer.encode(text[-1])
    return text[:end], calls


print("proposed after KING RICHARD:", repr(proposal("KING RICHARD:\n", 8)))
saved = []
for prompt in ("KING RICHARD:\n", "My lord, ", "JULIET:\nO "):
    text, calls = speculate(prompt, 80)
    right = tokenizer.decode(generate(writer, tokenizer.encode(prompt), 80)[0])
    assert text == right
    saved.append(80 / calls)
    print(f"{calls} calls for 80 characters, the same text: {text[len(prompt) :][:40]!r}")
print(f"{sum(saved) / 3:.1f} characters for each call")
assert min(saved) > 2.5

# %%
# The control: proposals that know nothing.
counting_probability = counting.probability
counting.probability = lambda context, character: float(character == "e")
text, calls = speculate("My lord, ", 80)
counting.probability = counting_probability
assert text == tokenizer.decode(generate(writer, tokenizer.encode("My lord, "), 80)[0])
print(f"always 'e': {calls} calls, and still the same text")
assert calls > 55
