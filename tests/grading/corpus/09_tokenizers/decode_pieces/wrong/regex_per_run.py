# each run separately but per byte for invalid
# points: 3

def decode_pieces(pieces, special_tokens, skip_special_tokens=False):
    import re
    out, run = [], []
    def end():
        if run:
            b = bytes(run)
            try: out.append(b.decode("utf-8"))
            except UnicodeDecodeError: out.append("\ufffd" * len(b))
            run.clear()
    for p in pieces:
        if p in special_tokens:
            end()
            if not skip_special_tokens: out.append(p)
        elif re.fullmatch("<0x[0-9A-F][0-9A-F]>", p):
            run.append(int(p[3:5], 16))
        else:
            end()
            out.append(p.replace("▁", " "))
    end()
    return "".join(out).removeprefix(" ")
