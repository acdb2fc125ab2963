# %% both_norms_before_the_sublayer | points 3 | both norms before the sublayer
def residual_stack(
    x: Tensor, sublayers: list[nn.Module], norms: list[nn.Module], placement: str
) -> Tensor:
    """Run a stack of residual layers whose norms stand after, before, or around the sublayers."""
    for i, sublayer in enumerate(sublayers):
        if placement == "post":
            x = norms[i](x + sublayer(x))
        elif placement == "pre":
            x = x + sublayer(norms[i](x))
        else:
            x = x + sublayer(norms[2 * i + 1](norms[2 * i](x)))
    return x if placement == "post" else norms[-1](x)

# %% clone_and_in_place | points 2 | clone and in place
def residual_stack(x, sublayers, norms, placement):
    x = x.clone()
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x += f(norms[i](x))
        else: x += norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)

# %% detached_residual | points 0 | detached residual
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x.detach() + f(x))
        elif placement == 'pre': x = x.detach() + f(norms[i](x))
        else: x = x.detach() + norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)

# %% each_sublayer_reads_the_original_x | points 0 | each-sublayer-reads-the-original-x
def residual_stack(x, sublayers, norms, placement):
    n = len(sublayers)
    x0 = x
    if placement == "post":
        for f, norm in zip(sublayers, norms):
            x = norm(x + f(x0))
        return x
    if placement == "pre":
        for i in range(n):
            x = x + sublayers[i](norms[i](x0))
        return norms[n](x)
    for i in range(n):
        h = norms[2 * i](x0)
        x = x + norms[2 * i + 1](sublayers[i](h))
    return norms[2 * n](x)

# %% empty_fails | points 2 | the last norm by the loop variable: an empty stack fails
def residual_stack(x, sublayers, norms, placement):
    n = len(sublayers)
    for i in range(n):
        if placement == "post":
            x = norms[i](x + sublayers[i](x))
        elif placement == "pre":
            x = x + sublayers[i](norms[i](x))
        else:
            x = x + norms[2 * i + 1](sublayers[i](norms[2 * i](x)))
    if placement != "post":
        x = norms[(i + 1) * (2 if placement == "sandwich" else 1)](x)
    return x

# %% empty_returns_x | points 2 | an empty stack returns x without the last norm
def residual_stack(x, sublayers, norms, placement):
    n = len(sublayers)
    if n == 0:
        return x
    for i in range(n):
        if placement == "post":
            x = norms[i](x + sublayers[i](x))
        elif placement == "pre":
            x = x + sublayers[i](norms[i](x))
        else:
            x = x + norms[2 * i + 1](sublayers[i](norms[2 * i](x)))
    if placement != "post":
        x = norms[-1](x)
    return x

# %% final_norm_always | points 0 | final norm always
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    return norms[-1](x)

# %% first_popped | points 0 | norms are popped from the front
def residual_stack(x, sublayers, norms, placement):
    for f in sublayers:
        if placement == "post":
            x = norms.pop(0)(x + f(x))
        elif placement == "pre":
            x = x + f(norms.pop(0)(x))
        else:
            inner = f(norms.pop(0)(x))
            x = x + norms.pop(0)(inner)
    return x if placement == "post" else norms.pop(0)(x)

# %% identity_appended | points 0 | an identity is put at the end of the list of norms
def residual_stack(x, sublayers, norms, placement):
    n = len(sublayers)
    norms.append(nn.Identity())
    for i in range(n):
        if placement == "post":
            x = norms[i](x + sublayers[i](x))
        elif placement == "pre":
            x = x + sublayers[i](norms[i](x))
        else:
            x = x + norms[2 * i + 1](sublayers[i](norms[2 * i](x)))
    if placement != "post":
        x = norms[-2](x)
    return x

# %% identity_for_an_even_number | points 0 | Appends an identity to the norms where their number is odd, in every placement.
def residual_stack(
    x: Tensor, sublayers: list[nn.Module], norms: list[nn.Module], placement: str
) -> Tensor:
    """Run a stack of residual layers whose norms stand after, before, or around the sublayers."""
    last = norms[-1] if norms else None
    if len(norms) % 2:
        norms.append(nn.Identity())
    for i, sublayer in enumerate(sublayers):
        if placement == "post":
            x = norms[i](x + sublayer(x))
        elif placement == "pre":
            x = x + sublayer(norms[i](x))
        else:
            x = x + norms[2 * i + 1](sublayer(norms[2 * i](x)))
    return x if placement == "post" else last(x)

# %% last_norm_inside_loop | points 2 | last norm inside loop
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = norms[-1](x + f(norms[i](x)))
        else: x = norms[-1](x + norms[2*i+1](f(norms[2*i](x))))
    return x

# %% last_popped | points 2 | the last norm is taken with pop()
def residual_stack(x, sublayers, norms, placement):
    n = len(sublayers)
    for i in range(n):
        if placement == "post":
            x = norms[i](x + sublayers[i](x))
        elif placement == "pre":
            x = x + sublayers[i](norms[i](x))
        else:
            x = x + norms[2 * i + 1](sublayers[i](norms[2 * i](x)))
    if placement != "post":
        x = norms.pop()(x)
    return x

# %% layers_reversed | points 0 | layers reversed
def residual_stack(x, sublayers, norms, placement):
    for i, f in reversed(list(enumerate(sublayers))):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)

# %% needs_two_axes | points 0 | Looks at the last two axes of x; a single token has one.
def residual_stack(x, sublayers, norms, placement):
    tokens, hidden = x.shape[-2:]
    for i, sublayer in enumerate(sublayers):
        if placement == "post":
            x = norms[i](x + sublayer(x))
        elif placement == "pre":
            x = x + sublayer(norms[i](x))
        else:
            x = x + norms[2 * i + 1](sublayer(norms[2 * i](x)))
    return x if placement == "post" else norms[-1](x)

# %% no_residual | points 0 | no residual
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](f(x))
        elif placement == 'pre': x = f(norms[i](x))
        else: x = norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)

# %% norm_of_the_norm | points 3 | Pre-norm whose sublayer reads what was normalised twice.
def residual_stack(
    x: Tensor, sublayers: list[nn.Module], norms: list[nn.Module], placement: str
) -> Tensor:
    """Run a stack of residual layers whose norms stand after, before, or around the sublayers."""
    for i, sublayer in enumerate(sublayers):
        if placement == "post":
            x = norms[i](x + sublayer(x))
        elif placement == "pre":
            x = x + sublayer(norms[i](norms[i](x)))
        else:
            x = x + norms[2 * i + 1](sublayer(norms[2 * i](x)))
    return x if placement == "post" else norms[-1](x)

# %% normed_before_and_after_the_sum | points 3 | Pre-norm with its norm before the sublayer and once more after the sum.
def residual_stack(
    x: Tensor, sublayers: list[nn.Module], norms: list[nn.Module], placement: str
) -> Tensor:
    """Run a stack of residual layers whose norms stand after, before, or around the sublayers."""
    for i, sublayer in enumerate(sublayers):
        if placement == "post":
            x = norms[i](x + sublayer(x))
        elif placement == "pre":
            x = norms[i](x + sublayer(norms[i](x)))
        else:
            x = x + norms[2 * i + 1](sublayer(norms[2 * i](x)))
    return x if placement == "post" else norms[-1](x)

# %% norms_popped_from_the_front | points 0 | Takes the norms off the list one after the other with pop.
def residual_stack(
    x: Tensor, sublayers: list[nn.Module], norms: list[nn.Module], placement: str
) -> Tensor:
    """Run a stack of residual layers whose norms stand after, before, or around the sublayers."""
    n = len(sublayers)
    if placement == "post":
        for i in range(n):
            x = norms.pop(0)(x + sublayers[i](x))
        return x
    if placement == "pre":
        for i in range(n):
            x = x + sublayers[i](norms.pop(0)(x))
        return norms.pop(0)(x)
    for i in range(n):
        x = x + norms[2 * i + 1](sublayers[i](norms[2 * i](x)))
    return norms[2 * n](x)

# %% norms_popped_off_the_caller_s_list | points 0 | norms-popped-off-the-caller-s-list
def residual_stack(x, sublayers, norms, placement):
    for f in sublayers:
        if placement == "post":
            x = norms.pop(0)(x + f(x))
        elif placement == "pre":
            x = x + f(norms.pop(0)(x))
        else:
            y = f(norms.pop(0)(x))
            x = x + norms.pop(0)(y)
    if placement != "post":
        x = norms.pop(0)(x)
    return x

# %% off_by_one_norms | points 2 | off by one norms
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i+1](x))
        else: x = x + norms[2*i+2](f(norms[2*i+1](x)))
    return x if placement == 'post' else norms[0](x)

# %% only_pre_gets_last | points 3 | only pre gets last
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    if placement == 'pre': x = norms[-1](x)
    return x

# %% original_x_in_every_layer | points 0 | original x in every layer
def residual_stack(
    x: Tensor, sublayers: list[nn.Module], norms: list[nn.Module], placement: str
) -> Tensor:
    """Run a stack of residual layers whose norms stand after, before, or around the sublayers."""
    start = x
    for i, sublayer in enumerate(sublayers):
        if placement == "post":
            x = norms[i](start + sublayer(x))
        elif placement == "pre":
            x = x + sublayer(norms[i](x))
        else:
            x = x + norms[2 * i + 1](sublayer(norms[2 * i](x)))
    return x if placement == "post" else norms[-1](x)

# %% plus_in_pre | points 3 | adds in place in pre
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x += f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)

# %% post_and_exchanged_residual | points 0 | post and exchanged residual
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = x + norms[i](f(x))
        elif placement == 'pre': x = norms[i](x + f(x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)

# %% post_loops_too_few | points 0 | post loops too few
def residual_stack(x, sublayers, norms, placement):
    for i in range(len(sublayers) - 1):
        f = sublayers[i]
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)

# %% post_norm_norm_of_x_added | points 0 | post-norm-norm-of-x-added
def residual_stack(x, sublayers, norms, placement):
    n = len(sublayers)
    if placement == "post":
        for f, norm in zip(sublayers, norms):
            x = norm(x) + f(x)
        return x
    if placement == "pre":
        for i in range(n):
            x = x + sublayers[i](norms[i](x))
        return norms[n](x)
    for i in range(n):
        h = norms[2 * i](x)
        x = x + norms[2 * i + 1](sublayers[i](h))
    return norms[2 * n](x)

# %% post_norm_typo_in_name | points 0 | Post_norm typo in name
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post-norm': x = norms[i](x + f(x))
        elif placement == 'pre-norm': x = x + f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post-norm' else norms[-1](x)

# %% pre_and_post_exchanged | points 0 | pre-and-post-exchanged
def residual_stack(x, sublayers, norms, placement):
    n = len(sublayers)
    if placement == "pre":
        for f, norm in zip(sublayers, norms):
            x = norm(x + f(x))
        return x
    if placement == "post":
        for i in range(n):
            x = x + sublayers[i](norms[i](x))
        return norms[n](x)
    for i in range(n):
        h = norms[2 * i](x)
        x = x + norms[2 * i + 1](sublayers[i](h))
    return norms[2 * n](x)

# %% pre_is_sandwich | points 3 | pre is sandwich
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)

# %% pre_last_norm_before_the_loop | points 2 | pre: last norm before the loop
def residual_stack(x, sublayers, norms, placement):
    if placement != 'post': x = norms[-1](x)
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    return x

# %% pre_last_norm_is_norms_0 | points 2 | pre last norm is norms[0]
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[0](x)

# %% pre_last_norm_used_in_all_layers | points 3 | pre: last norm used in all layers
def residual_stack(
    x: Tensor, sublayers: list[nn.Module], norms: list[nn.Module], placement: str
) -> Tensor:
    """Run a stack of residual layers whose norms stand after, before, or around the sublayers."""
    for i, sublayer in enumerate(sublayers):
        if placement == "post":
            x = norms[i](x + sublayer(x))
        elif placement == "pre":
            x = x + sublayer(norms[-1](x))
        else:
            x = x + norms[2 * i + 1](sublayer(norms[2 * i](x)))
    return x if placement == "post" else norms[-1](x)

# %% pre_no_residual | points 3 | pre no residual
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)

# %% pre_norm_ends_with_the_last_layers_norm | points 3 | In pre-norm the final norm is the one of the last layer once more (index n - 1) instead of the last of the list.
def residual_stack(x, sublayers, norms, placement):
    n = len(sublayers)
    if placement == "post":
        for f, norm in zip(sublayers, norms):
            x = norm(x + f(x))
        return x
    if placement == "pre":
        for i in range(n):
            x = x + sublayers[i](norms[i](x))
        return norms[n - 1](x)
    for i in range(n):
        x = x + norms[2 * i + 1](sublayers[i](norms[2 * i](x)))
    return norms[2 * n](x)

# %% pre_or_sandwich | points 3 | Compares with `"pre" or "sandwich"`, which is always true, so the sandwich runs as pre-norm.
def residual_stack(
    x: Tensor, sublayers: list[nn.Module], norms: list[nn.Module], placement: str
) -> Tensor:
    """Run a stack of residual layers whose norms stand after, before, or around the sublayers."""
    for i, sublayer in enumerate(sublayers):
        if placement == "post":
            x = norms[i](x + sublayer(x))
        elif placement == "pre" or "sandwich":
            x = x + sublayer(norms[i](x))
        else:
            x = x + norms[2 * i + 1](sublayer(norms[2 * i](x)))
    return x if placement == "post" else norms[-1](x)

# %% pre_without_the_last_norm | points 3 | pre without the last norm
def residual_stack(
    x: Tensor, sublayers: list[nn.Module], norms: list[nn.Module], placement: str
) -> Tensor:
    """Run a stack of residual layers whose norms stand after, before, or around the sublayers."""
    for i, sublayer in enumerate(sublayers):
        if placement == "post":
            x = norms[i](x + sublayer(x))
        elif placement == "pre":
            x = x + sublayer(norms[i](x))
        else:
            x = x + norms[2 * i + 1](sublayer(norms[2 * i](x)))
    return norms[-1](x) if placement == "sandwich" else x

# %% residual_twice | points 0 | residual twice
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = x + norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)

# %% returns_in_loop | points 0 | returns in loop
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
        return x if placement == 'post' else norms[-1](x)

# %% sandwich_forgets_to_index | points 3 | sandwich forgets to index
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[i](f(norms[i](x)))
    return x if placement == 'post' else norms[-1](x)

# %% sandwich_i_and_i_plus_1 | points 3 | sandwich i and i+1
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[i+1](f(norms[i](x)))
    if placement == 'post': return x
    return norms[-1](x)

# %% sandwich_no_residual | points 3 | sandwich no residual
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)

# %% sandwich_wraps_whole | points 3 | sandwich wraps whole
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = norms[2*i+1](x + f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)

# %% skips_sandwich | points 3 | skips sandwich
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
    return x if placement == 'post' else norms[-1](x)

# %% subtract | points 0 | subtract
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x - f(x))
        elif placement == 'pre': x = x - f(norms[i](x))
        else: x = x - norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)

# %% uses_i_after_loop | points 2 | uses i after loop
def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    if placement == 'pre': x = norms[i+1](x)
    if placement == 'sandwich': x = norms[2*i+2](x)
    return x

# %% zip_forgets_last | points 2 | zip forgets last
def residual_stack(x, sublayers, norms, placement):
    if placement == 'sandwich':
        for i, f in enumerate(sublayers):
            x = x + norms[2*i+1](f(norms[2*i](x)))
        return x
    for f, n in zip(sublayers, norms):
        x = n(x + f(x)) if placement == 'post' else x + f(n(x))
    return x
