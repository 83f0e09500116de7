"""heapq: heaps in lists, with the smallest item first."""


def heappush(heap, item):
    heap.append(item)
    _toward_root(heap, 0, len(heap) - 1)


def heappop(heap):
    if not heap:
        raise IndexError('index out of range')
    last = heap.pop()
    if heap:
        first, heap[0] = heap[0], last
        _toward_leaves(heap, 0)
        return first
    return last


def heapreplace(heap, item):
    first, heap[0] = heap[0], item
    _toward_leaves(heap, 0)
    return first


def heappushpop(heap, item):
    if heap and heap[0] < item:
        item, heap[0] = heap[0], item
        _toward_leaves(heap, 0)
    return item


def heapify(x):
    for i in reversed(range(len(x) // 2)):
        _toward_leaves(x, i)


def _toward_root(heap, top, at):
    item = heap[at]
    while at > top:
        parent = (at - 1) >> 1
        if not item < heap[parent]:
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = item


# Moves down to a leaf along the smaller children, then up again. This takes fewer comparisons, and the
# resulting order is that of CPython.
def _toward_leaves(heap, at):
    top, end, item = at, len(heap), heap[at]
    child = 2 * at + 1
    while child < end:
        other = child + 1
        if other < end and not heap[child] < heap[other]:
            child = other
        heap[at] = heap[child]
        at = child
        child = 2 * at + 1
    heap[at] = item
    _toward_root(heap, top, at)


def nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[:max(n, 0)]


def nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[:max(n, 0)]


def merge(*iterables, key=None, reverse=False):
    measure = (lambda v: v) if key is None else key
    heads = []
    for it in map(iter, iterables):
        for value in it:
            heads.append([measure(value), value, it])
            break
    while heads:
        best = 0
        for i in range(1, len(heads)):
            if heads[best][0] < heads[i][0] if reverse else heads[i][0] < heads[best][0]:
                best = i
        yield heads[best][1]
        for value in heads[best][2]:
            heads[best][:2] = [measure(value), value]
            break
        else:
            del heads[best]
