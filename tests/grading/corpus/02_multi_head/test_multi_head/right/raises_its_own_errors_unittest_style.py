# raises-its-own-errors-unittest-style
# points: 4

def test_multi_head(attention):
    import unittest
    case = unittest.TestCase()
    torch.manual_seed(3)
    for heads in (2, 3, 4):
        for batch in (1, 2):
            d = heads * 3
            mha = nn.MultiheadAttention(d, heads, batch_first=True)
            nn.init.normal_(mha.in_proj_bias); nn.init.normal_(mha.out_proj.bias)
            nn.init.normal_(mha.in_proj_weight, std=0.5); nn.init.normal_(mha.out_proj.weight, std=0.5)
            st = {"query_key_value.weight": mha.in_proj_weight.detach().clone(), "query_key_value.bias": mha.in_proj_bias.detach().clone(),
                  "output.weight": mha.out_proj.weight.detach().clone(), "output.bias": mha.out_proj.bias.detach().clone()}
            before = {n: t.clone() for n, t in st.items()}
            x = torch.randn(batch, 5, d).requires_grad_(True)
            x_before = x.detach().clone()
            y = attention(x, st, heads)
            z = mha(x_before, x_before, x_before)[0]
            case.assertEqual(y.shape, z.shape)
            case.assertLess((y - z).abs().max().item(), 1e-3)
            case.assertTrue(torch.equal(x.detach(), x_before))
            for n in st:
                case.assertTrue(torch.equal(st[n], before[n]), n)
            case.assertTrue(y.requires_grad)
            y.square().sum().backward()
            case.assertIsNotNone(x.grad)
