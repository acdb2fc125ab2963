# dropout with self.training habit
# points: 2

def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding.unsqueeze(1), dropout_p=0.1 if torch.is_grad_enabled() else 0.)
