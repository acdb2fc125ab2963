# nn.RMSNorm
# points: 4

def llama_rms_norm(x, weight, eps):
    norm = nn.RMSNorm(x.size(-1), eps, elementwise_affine=False)
    return norm(x.float()).to(x.dtype).mul(weight)
