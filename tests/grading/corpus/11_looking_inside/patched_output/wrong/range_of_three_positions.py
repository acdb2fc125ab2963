# more than two positions are taken for a range, from the first to the last
# points: 0
def patched_output(model, clean, corrupted, name, positions, answers):
    part = model.get_submodule(name)
    kept = []

    def first_of(output):
        return output[0] if isinstance(output, tuple) else output

    def keep(module, inputs, output):
        kept.append(first_of(output).clone())

    def replace(module, inputs, output):
        patched = first_of(output).clone()
        places = range(patched.size(1)) if positions is None else positions
        if positions is not None and len(positions) > 2:
            places = range(min(positions), max(positions) + 1)
        for place in places:
            patched[:, place] = kept[0][:, place]
        return (patched, *output[1:]) if isinstance(output, tuple) else patched

    def run(input_ids, hook):
        handle = part.register_forward_hook(hook)
        try:
            return model(input_ids)
        finally:
            handle.remove()

    def difference(logits):
        right, wrong = logits[:, -1].gather(1, answers).unbind(1)
        return right - wrong

    logits = run(clean, keep), model(corrupted), run(corrupted, replace)
    d_clean, d_corrupted, d_patched = map(difference, logits)
    recovered = (d_patched - d_corrupted) / (d_clean - d_corrupted)
    return logits[2], recovered
