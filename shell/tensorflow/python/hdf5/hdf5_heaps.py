"""HDF5: heaps, which hold names, attributes and texts, and the B-trees that index them."""
from _library.file_range import Damaged

_DEEPEST = 32


class LocalHeap(object):
    """The names of the links of an old group."""

    def __init__(self, source, at):
        f = source.fields(at, 8 + 2 * source.length_size + source.address_size, 'local heap', b'HEAP')
        f.expect(0)
        f.take(3)
        size = f.length()
        f.length()
        self.data = source.bytes(f.address(), size, 'the names of a group')

    def text(self, at):
        end = self.data.find(b'\0', at)
        if at > len(self.data) or end < 0:
            raise Damaged('the name of a link lies outside of its heap')
        return self.data[at:end].decode('utf-8', 'replace')


class GlobalHeap(object):
    """Objects in collections, such as texts of variable length."""

    def __init__(self, source):
        self.source, self._held = source, {}

    def get(self, at, index):
        if at not in self._held:
            self._held[at] = self._collection(at)
        found = self._held[at].get(index)
        if found is None:
            raise Damaged('object %d of the collection at byte %d does not exist' % (index, at))
        return found

    def _collection(self, at):
        source = self.source
        f = source.fields(at, 8 + source.length_size, 'global heap', b'GCOL')
        f.expect(1)
        f.take(3)
        size, head = f.length(), 8 + source.length_size
        if size < head:
            raise Damaged('a global heap of %d B is too small' % size)
        f = source.fields(at + head, size - head, 'a global heap')
        found = {}
        while f.left() >= 8 + source.length_size:
            index = f.number(2)
            f.take(6)
            length = f.length()
            if index == 0:
                break
            found[index] = f.take(length)
            f.at += -length % 8
        return found


def group_entries(source, tree, heap):
    """Yields (name, address of the object, path of a soft link or None) of an old group."""
    names = LocalHeap(source, heap)
    for node in tree_nodes(source, tree, 0, source.length_size, {}):
        f = source.fields(node[1], 8, 'symbol table', b'SNOD')
        f.expect(1)
        f.byte()
        count = f.number(2)
        size = 2 * source.address_size + 24
        f = source.fields(node[1] + 8, count * size, 'a symbol table')
        for _ in range(count):
            name = names.text(f.number(source.address_size))
            at, kind = f.address(), f.number(4)
            f.take(4)
            soft = f.take(16)
            yield name, at, names.text(int.from_bytes(soft[:4], 'little')) if kind == 2 else None


def tree_nodes(source, at, kind, key_size, seen, level=None):
    """Yields (bytes of the key, child address) of the leaves of a B-tree of version 1."""
    if at is None:
        return
    if at in seen or len(seen) > 1000000:
        raise Damaged('the B-tree at byte %d contains itself' % at)
    seen[at] = True
    head = 8 + 2 * source.address_size
    f = source.fields(at, head, 'B-tree', b'TREE')
    if f.byte() != kind:
        raise Damaged('the B-tree at byte %d is of another kind' % at)
    own, count = f.byte(), f.number(2)
    if level is not None and own != level or own > _DEEPEST:
        raise Damaged('the levels of the B-tree at byte %d are wrong' % at)
    f = source.fields(at + head, count * (source.address_size + key_size), 'a B-tree')
    entries = [(f.take(key_size), f.address()) for _ in range(count)]
    for key, child in entries:
        if own == 0:
            yield key, child
        else:
            for found in tree_nodes(source, child, kind, key_size, seen, own - 1):
                yield found


def _limit_size(limit):
    """Returns how many bytes hold numbers up to the limit."""
    return (max(1, limit).bit_length() - 1) // 8 + 1


class Tree2(object):
    """A B-tree of version 2. records() yields the bytes of its records."""

    def __init__(self, source, at):
        self.source = source
        f = source.fields(at, 22 + source.address_size + source.length_size, 'B-tree', b'BTHD')
        f.expect(0)
        self.kind, self.node_size, self.record_size, self.depth = f.byte(), f.number(4), f.number(2), f.number(2)
        f.take(2)
        self.root, self.count = f.address(), f.number(2)
        if self.node_size < 16 or not self.record_size or self.depth > _DEEPEST:
            raise Damaged('the header of a B-tree at byte %d is wrong' % at)
        most = [(self.node_size - 10) // self.record_size]
        self.sizes, total = [0], most[0]
        self.count_size = _limit_size(most[0])
        for u in range(1, self.depth + 1):
            pointer = source.address_size + self.count_size + self.sizes[u - 1]
            most.append((self.node_size - 10 - pointer) // (self.record_size + pointer))
            total = (most[u] + 1) * total + most[u]
            self.sizes.append(_limit_size(total))

    def records(self):
        if self.root is not None:
            for record in self._node(self.root, self.count, self.depth, {}):
                yield record

    def _node(self, at, count, depth, seen):
        if at in seen:
            raise Damaged('the B-tree at byte %s contains itself' % at)
        seen[at] = True
        f = self.source.fields(at, self.node_size, 'B-tree node', b'BTIN' if depth else b'BTLF')
        f.expect(0)
        if f.byte() != self.kind:
            raise Damaged('the B-tree node at byte %d is of another kind' % at)
        records = [f.take(self.record_size) for _ in range(count)]
        if depth == 0:
            for record in records:
                yield record
            return
        children = []
        for _ in range(count + 1):
            children.append((f.address(), f.number(self.count_size)))
            if depth > 1:
                f.take(self.sizes[depth - 1])
        for i, (child, inside) in enumerate(children):
            for record in self._node(child, inside, depth - 1, seen):
                yield record
            if i < count:
                yield records[i]


class FractalHeap(object):
    """The heap of the links and attributes of a new group. get() returns the bytes of an object by its id."""

    def __init__(self, source, at):
        self.source = source
        f = source.fields(at, 26 + 3 * source.address_size + 12 * source.length_size, 'fractal heap', b'FRHP')
        f.expect(0)
        self.id_size, filters = f.number(2), f.number(2)
        f.byte()
        most_managed = f.number(4)
        f.length()
        self.huge = f.address()
        f.length()
        f.address()
        f.take(8 * source.length_size)
        self.width, self.start, self.most_direct = f.number(2), f.length(), f.length()
        self.offset_bits = f.number(2)
        f.number(2)
        self.root, self.rows = f.address(), f.number(2)
        if filters:
            raise Damaged('a fractal heap with filters is not supported')
        powers = [n for n in (self.width, self.start, self.most_direct) if n <= 0 or n & (n - 1)]
        if powers or self.offset_bits > 64 or self.most_direct < self.start:
            raise Damaged('the header of the fractal heap at byte %d is wrong' % at)
        self.offset_size = (self.offset_bits + 7) // 8
        self.length_size = min(_limit_size(self.most_direct), _limit_size(most_managed))
        self._huge = None

    def get(self, key):
        kind = key[0] >> 4 & 3
        if kind == 2:
            return key[1:2 + (key[0] & 15)]
        if kind == 1:
            return self._get_huge(int.from_bytes(key[1:1 + self.source.length_size], 'little'))
        if kind != 0 or len(key) < 1 + self.offset_size + self.length_size:
            raise Damaged('an id of a fractal heap is wrong')
        at = int.from_bytes(key[1:1 + self.offset_size], 'little')
        size = int.from_bytes(key[1 + self.offset_size:1 + self.offset_size + self.length_size], 'little')
        return self.source.bytes(self._find(at, size), size, 'an object of a fractal heap')

    def _get_huge(self, key):
        if self._huge is None:
            self._huge = {}
            tree = Tree2(self.source, self.huge)
            if tree.kind != 1:
                raise Damaged('huge objects of kind %d are not supported' % tree.kind)
            for record in tree.records():
                a, n = self.source.address_size, self.source.length_size
                number = int.from_bytes(record[a + n:], 'little')
                self._huge[number] = (int.from_bytes(record[:a], 'little'), int.from_bytes(record[a:a + n], 'little'))
        if key not in self._huge:
            raise Damaged('the huge object %d does not exist' % key)
        at, size = self._huge[key]
        return self.source.bytes(at, size, 'a huge object')

    def _row_size(self, row):
        return self.start << max(0, row - 1)

    def _find(self, offset, size):
        """Returns the position in the file of an object by its position in the heap."""
        at, first, rows = self.root, 0, self.rows
        if rows == 0:
            return at + offset if at is not None else None
        for _ in range(_DEEPEST):
            row, begin = 0, first
            while row < rows and begin + self.width * self._row_size(row) <= offset:
                begin += self.width * self._row_size(row)
                row += 1
            if row >= rows:
                break
            column = (offset - begin) // self._row_size(row)
            block = begin + column * self._row_size(row)
            entry = row * self.width + column
            child = self._child(at, entry)
            if self._row_size(row) <= self.most_direct:
                if offset + size > block + self._row_size(row):
                    break
                return child + offset - block if child is not None else None
            at, first = child, block
            rows = self._row_size(row).bit_length() - (self.start * self.width).bit_length() + 1
        raise Damaged('an object lies outside of its fractal heap')

    def _child(self, at, entry):
        head = 5 + self.source.address_size + self.offset_size
        f = self.source.fields(at, 5, 'block of a fractal heap', b'FHIB')
        f.expect(0)
        return self.source.fields(at + head + entry * self.source.address_size, self.source.address_size,
                                  'a block of a fractal heap').address()
