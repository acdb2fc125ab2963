# A heap whose old entries are kept: a place is merged at the rank that it had before its neighbour changed.
# points: 0
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
