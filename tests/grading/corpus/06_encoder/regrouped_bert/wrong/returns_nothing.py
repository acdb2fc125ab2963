# returns nothing
# points: 0

def regrouped_bert(state, num_attention_heads):
    out = {n: t for n, t in state.items()}
