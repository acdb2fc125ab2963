# library-rms-norm-in-float32
# points: 4

def llama_rms_norm(x, weight, eps):
    return F.rms_norm(x.float(), (x.size(-1),), eps=eps).to(dtype=x.dtype).mul(weight)
