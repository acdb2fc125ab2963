# a name that does not exist
# points: 0

def named_feed_forward(hidden_states, state, activation="gelu"):
    return feedforward(hidden_states, state)
