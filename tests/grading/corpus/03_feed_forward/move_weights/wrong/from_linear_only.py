# from linear only
# points: 0

def move_weights(state, source, target):
    w1, b1 = state["intermediate.weight"], state["intermediate.bias"]
    w2, b2 = state["output.weight"], state["output.bias"]
    if target == "gpt2":
        return {"c_fc.weight": w1.T.contiguous(), "c_fc.bias": b1.clone(), "c_proj.weight": w2.T.contiguous(), "c_proj.bias": b2.clone()}
    if target == "convolution":
        return {"wider.weight": w1.unsqueeze(-1).clone(), "wider.bias": b1.clone(), "back.weight": w2.unsqueeze(-1).clone(), "back.bias": b2.clone()}
    return {k: v.clone() for k, v in state.items()}
