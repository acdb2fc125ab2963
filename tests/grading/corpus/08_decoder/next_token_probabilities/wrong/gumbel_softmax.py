# gumbel softmax
# points: 0

def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    return F.gumbel_softmax(logits, tau=temperature or 1e-6, hard=temperature == 0)
