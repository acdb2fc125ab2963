# nn.Linear with new random weights
# points: 0

def named_feed_forward(hidden_states, state, activation="gelu"):
    wide, hidden = state["intermediate.dense.weight"].shape
    fc1, fc2 = nn.Linear(hidden, wide), nn.Linear(wide, hidden)
    return fc2(F.gelu(fc1(hidden_states)))
