# %% blank_is_empty | points 3 | a word of white space alone is taken for empty
def merge_word(word, ranks):
    if not word.strip():
        return []
    pieces = list(word)
    while True:
        together = [left + right for left, right in pairwise(pieces)]
        possible = [(ranks[made], place) for place, made in enumerate(together) if made in ranks]
        if not possible:
            break
        _rank, place = min(possible)
        pieces[place : place + 2] = [together[place]]
    return pieces

# %% cache_by_keys | points 0 | Remembers results by the word and the pieces of ranks, so the same pieces with other ranks give the old answer.
_seen = {}


def merge_word(word, ranks):
    key = (word, frozenset(ranks))
    if key not in _seen:
        pieces = list(word)
        while True:
            found = [
                (ranks[a + b], i)
                for i, (a, b) in enumerate(zip(pieces, pieces[1:]))
                if a + b in ranks
            ]
            if not found:
                break
            _, i = min(found)
            pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]
        _seen[key] = pieces
    return list(_seen[key])

# %% default_rank | points 0 | missing rank counts as the length of ranks
def merge_word(word, ranks):
    parts = list(word)
    while len(parts) > 1:
        i = min(range(len(parts) - 1), key=lambda i: ranks.get(parts[i] + parts[i + 1], len(ranks)))
        if parts[i] + parts[i + 1] not in ranks:
            break
        parts[i:i+2] = [parts[i] + parts[i + 1]]
    return parts

# %% dict_last | points 3 | the place of a rank is overwritten by the next
def merge_word(word, ranks):
    parts = list(word)
    while True:
        cands = {}
        for i in range(len(parts) - 1):
            s = parts[i] + parts[i + 1]
            if s in ranks:
                cands[ranks[s]] = i
        if not cands:
            return parts
        i = cands[min(cands)]
        parts[i:i+2] = [parts[i] + parts[i + 1]]

# %% dict_order | points 0 | goes through the dictionary in its own order
def merge_word(word, ranks):
    pieces = list(word)
    changed = True
    while changed:
        changed = False
        for piece in ranks:
            for i in range(len(pieces) - 1):
                if pieces[i] + pieces[i + 1] == piece:
                    pieces[i:i + 2] = [piece]
                    changed = True
                    break
            if changed:
                break
    return pieces

# %% dot_drops_line_breaks | points 3 | Gets the characters with the regular expression ".", which leaves out line breaks.
import re


def merge_word(word, ranks):
    pieces = re.findall(".", word)
    while True:
        places = [
            (ranks[l + r], i) for i, (l, r) in enumerate(zip(pieces, pieces[1:])) if l + r in ranks
        ]
        if not places:
            return pieces
        _, i = min(places)
        pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]

# %% falsy_zero | points 3 | a rank of 0 counts as none
def merge_word(word, ranks):
    parts = [c for c in word]
    while len(parts) > 1:
        best_rank = None
        best_i = -1
        for i in range(len(parts) - 1):
            r = ranks.get(parts[i] + parts[i + 1])
            if r and (best_rank is None or r < best_rank):
                best_rank, best_i = r, i
        if best_rank is None:
            break
        parts[best_i:best_i + 2] = [parts[best_i] + parts[best_i + 1]]
    return parts

# %% first_found | points 0 | merges whatever it finds first from the left
def merge_word(word, ranks):
    pieces = list(word)
    i = 0
    while i < len(pieces) - 1:
        pair = pieces[i] + pieces[i + 1]
        if pair in ranks:
            pieces = pieces[:i] + [pair] + pieces[i + 2:]
            i = 0
        else:
            i += 1
    return pieces

# %% from_bytes | points 3 | Begins with bytes as tiktoken does, so characters outside of ASCII fall apart or get lost.
def merge_word(word: str, ranks: dict[str, int]) -> list[str]:
    """The pieces of a word, merged by the rank of what two pieces make."""
    pieces = [chr(byte) for byte in word.encode("utf-8")]
    while True:
        possible = [
            (ranks[left + right], place)
            for place, (left, right) in enumerate(pairwise(pieces))
            if left + right in ranks
        ]
        if not possible:
            return pieces
        _, place = min(possible)
        pieces[place : place + 2] = [pieces[place] + pieces[place + 1]]

# %% gpt2_loop | points 3 | GPT-2's loop: the best pair is merged at all its places
def get_pairs(word):
    return set(zip(word[:-1], word[1:]))

def merge_word(word, ranks):
    word = tuple(word)
    pairs = get_pairs(word)
    while pairs:
        bigram = min(pairs, key=lambda p: ranks.get(p[0] + p[1], float("inf")))
        if bigram[0] + bigram[1] not in ranks:
            break
        first, second = bigram
        new_word = []
        i = 0
        while i < len(word):
            if i < len(word) - 1 and word[i] == first and word[i + 1] == second:
                new_word.append(first + second)
                i += 2
            else:
                new_word.append(word[i])
                i += 1
        word = tuple(new_word)
        pairs = get_pairs(word)
    return list(word)

# %% heap_with_stale_entries | points 0 | A heap whose old entries are kept: a place is merged at the rank that it had before its neighbour changed.
def merge_word(word: str, ranks: dict[str, int]) -> list[str]:
    import heapq

    text = list(word)
    n = len(text)
    after = list(range(1, n + 1))
    before = list(range(-1, n - 1))
    alive = [True] * n
    heap = []

    def push(i):
        if i >= 0 and after[i] < n:
            rank = ranks.get(text[i] + text[after[i]])
            if rank is not None:
                heapq.heappush(heap, (rank, i))

    for i in range(n):
        push(i)
    while heap:
        _, i = heapq.heappop(heap)
        if not alive[i] or after[i] >= n:
            continue
        j = after[i]
        if text[i] + text[j] not in ranks:
            continue
        text[i] += text[j]
        alive[j] = False
        after[i] = after[j]
        if after[i] < n:
            before[after[i]] = i
        push(before[i])
        push(i)
    return [t for t, ok in zip(text, alive) if ok]

# %% last | points 0 | the last place that can be merged, whatever its rank
def merge_word(word, ranks):
    parts = list(word)
    while True:
        c = [(ranks[a+b], i) for i,(a,b) in enumerate(zip(parts, parts[1:])) if a+b in ranks]
        if not c: return parts
        i = c[-1][1]
        parts[i:i+2] = [parts[i]+parts[i+1]]

# %% left_neighbour_forgotten | points 0 | After a merge only the new piece and its right neighbour are looked up, never the left neighbour and the new piece.
def merge_word(word, ranks):
    pieces = list(word)
    found = [ranks.get(a + b) for a, b in pairwise(pieces)]
    while any(rank is not None for rank in found):
        i = min((rank, i) for i, rank in enumerate(found) if rank is not None)[1]
        pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]
        del found[i]
        if i < len(found):
            found[i] = ranks.get(pieces[i] + pieces[i + 1])
        if i > 0:
            found[i - 1] = None
    return pieces

# %% left_neighbour_waits | points 3 | Other places of a rank wait if the new piece makes a smaller rank with its right neighbour, but not if it does so with its left one.
def merge_word(word, ranks):
    pieces = list(word)
    while True:
        known = [ranks[a + b] for a, b in zip(pieces, pieces[1:]) if a + b in ranks]
        if not known:
            return pieces
        smallest = min(known)
        i = 0
        while i < len(pieces) - 1:
            if ranks.get(pieces[i] + pieces[i + 1]) == smallest:
                pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]
                if i + 1 < len(pieces):
                    rank = ranks.get(pieces[i] + pieces[i + 1])
                    if rank is not None and rank < smallest:
                        break
            i += 1

# %% left_rank_is_stale | points 0 | Keeps the ranks in a list, as tiktoken does, but renews only the right one after a merge.
def merge_word(word: str, ranks: dict[str, int]) -> list[str]:
    """The pieces of a word, merged by the rank of what two pieces make."""
    nothing = float("inf")
    pieces = list(word)
    rank_of = [ranks.get(a + b, nothing) for a, b in pairwise(pieces)]
    while rank_of and min(rank_of) < nothing:
        i = rank_of.index(min(rank_of))
        pieces[i] += pieces.pop(i + 1)
        rank_of.pop(i)
        if i < len(rank_of):
            rank_of[i] = ranks.get(pieces[i] + pieces[i + 1], nothing)
    return pieces

# %% limit_for_ranks | points 3 | The smallest rank starts at 100000, so larger ranks are never merged.
def merge_word(word: str, ranks: dict[str, int]) -> list[str]:
    parts = [c for c in word]
    while len(parts) > 1:
        smallest = 100_000
        place = -1
        for i in range(len(parts) - 1):
            r = ranks.get(parts[i] + parts[i + 1], 100_000)
            if r < smallest:
                smallest = r
                place = i
        if place == -1:
            break
        parts = parts[:place] + [parts[place] + parts[place + 1]] + parts[place + 2 :]
    return parts

# %% min_of_empty | points 0 | no test for an end: min of nothing raises an error
def merge_word(word, ranks):
    pieces = list(word)
    while len(pieces) > 1:
        i = min((i for i in range(len(pieces) - 1) if pieces[i] + pieces[i + 1] in ranks), key=lambda i: ranks[pieces[i] + pieces[i + 1]])
        pieces[i:i + 2] = [pieces[i] + pieces[i + 1]]
    return pieces

# %% new_piece_grows_first | points 0 | After a merge, the new piece goes on merging with its neighbours before smaller ranks elsewhere are looked at.
def merge_word(word, ranks):
    pieces = list(word)
    while True:
        places = [i for i in range(len(pieces) - 1) if pieces[i] + pieces[i + 1] in ranks]
        if not places:
            return pieces
        i = min(places, key=lambda k: ranks[pieces[k] + pieces[k + 1]])
        while True:
            pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]
            if i + 1 < len(pieces) and pieces[i] + pieces[i + 1] in ranks:
                continue
            if i > 0 and pieces[i - 1] + pieces[i] in ranks:
                i -= 1
                continue
            break

# %% pieces_in_a_string | points 3 | Keeps the pieces in one string with spaces between them: a word with spaces falls apart.
def merge_word(word, ranks):
    text = " ".join(word)
    while True:
        pieces = text.split(" ")
        pairs = [(ranks[a + b], n) for n, (a, b) in enumerate(zip(pieces, pieces[1:])) if a + b in ranks]
        if not pairs:
            return pieces if word else []
        _, n = min(pairs)
        text = " ".join(pieces[:n] + [pieces[n] + pieces[n + 1]] + pieces[n + 2 :])

# %% pop_used | points 2 | a rank is taken out once it was used
def merge_word(word, ranks):
    parts = list(word)
    while True:
        c = [(ranks[a+b], i) for i,(a,b) in enumerate(zip(parts, parts[1:])) if a+b in ranks]
        if not c: return parts
        i = min(c)[1]
        ranks = {k: v for k, v in ranks.items() if k != parts[i]+parts[i+1]}
        parts[i:i+2] = [parts[i]+parts[i+1]]

# %% pretokenized | points 3 | Splits at white space first, as GPT tokenizers do, so spaces are lost and never merged.
def merge_word(word: str, ranks: dict[str, int]) -> list[str]:
    result = []
    for part in word.split():
        pieces = list(part)
        while True:
            best = None
            for i in range(len(pieces) - 1):
                rank = ranks.get(pieces[i] + pieces[i + 1])
                if rank is not None and (best is None or rank < best[0]):
                    best = (rank, i)
            if best is None:
                break
            i = best[1]
            pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]
        result += pieces
    return result

# %% ranks_compared_as_floats | points 3 | Compares ranks as floats, so that two very large ones count as equal.
def merge_word(word, ranks):
    pieces = list(word)
    while True:
        best, place = math.inf, None
        for i in range(len(pieces) - 1):
            together = pieces[i] + pieces[i + 1]
            if together in ranks and float(ranks[together]) < best:
                best, place = float(ranks[together]), i
        if place is None:
            return pieces
        pieces[place : place + 2] = [pieces[place] + pieces[place + 1]]

# %% ranks_in_float32 | points 3 | Compares the ranks as float32, so large ranks that lie close together count as equal and the leftmost wins.
import math

import torch


def merge_word(word, ranks):
    pieces = list(word)
    while len(pieces) > 1:
        table = torch.tensor(
            [float(ranks.get(l + r, math.inf)) for l, r in zip(pieces, pieces[1:])],
            dtype=torch.float32,
        )
        best = int(table.argmin())
        if table[best] == math.inf:
            break
        pieces[best : best + 2] = [pieces[best] + pieces[best + 1]]
    return pieces

# %% sentinel_and_rightmost | points 3 | The sentinel 100000 hides larger ranks, and of several places of one rank the rightmost is merged.
def merge_word(word: str, ranks: dict[str, int]) -> list[str]:
    pieces = list(word)
    while True:
        best, where = 100_000, -1
        for i in range(len(pieces) - 1):
            rank = ranks.get(pieces[i] + pieces[i + 1], 100_001)
            if rank <= best:
                best, where = rank, i
        if where < 0:
            return pieces
        pieces[where:where + 2] = ["".join(pieces[where:where + 2])]

# %% sorted_replay | points 3 | replays the ranks in order, as if they were a list of merges
def merge_word(word: str, ranks: dict[str, int]) -> list[str]:
    tokens = list(word)
    for piece, _ in sorted(ranks.items(), key=lambda kv: kv[1]):
        new, i = [], 0
        while i < len(tokens):
            if i + 1 < len(tokens) and tokens[i] + tokens[i + 1] == piece:
                new.append(piece)
                i += 2
            else:
                new.append(tokens[i])
                i += 1
        tokens = new
    return tokens

# %% ties_to_the_right | points 3 | smaller or equal: the rightmost place wins
def merge_word(word, ranks):
    parts = list(word)
    while True:
        best = (10**9, None)
        for i in range(len(parts) - 1):
            r = ranks.get(parts[i] + parts[i + 1], 10**9)
            if r <= best[0] and r < 10**9:
                best = (r, i)
        if best[1] is None:
            return parts
        i = best[1]
        parts = parts[:i] + [parts[i] + parts[i + 1]] + parts[i + 2:]

# %% two_characters_are_one_piece | points 3 | a word of two characters is returned as one piece without a look at its rank
def merge_word(word, ranks):
    if len(word) <= 2:
        return [word] if word else []
    pieces = list(word)
    while True:
        together = [left + right for left, right in pairwise(pieces)]
        possible = [(ranks[made], place) for place, made in enumerate(together) if made in ranks]
        if not possible:
            break
        _rank, place = min(possible)
        pieces[place : place + 2] = [together[place]]
    return pieces

# %% whole_word_shortcut | points 0 | tiktoken's shortcut: a word that is itself in ranks comes back whole, even where the merges do not lead to it.
def merge_word(word: str, ranks: dict[str, int]) -> list[str]:
    if word in ranks:
        return [word]
    pieces = list(word)
    while True:
        possible = [
            (ranks[a + b], i) for i, (a, b) in enumerate(pairwise(pieces)) if a + b in ranks
        ]
        if not possible:
            return pieces
        i = min(possible)[1]
        pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]
