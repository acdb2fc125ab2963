# F.rms_norm direct
# points: 3

def llama_rms_norm(x, weight, eps):
    return F.rms_norm(x, (x.size(-1),), weight, eps)
