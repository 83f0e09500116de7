"""HDF5: datasets in chunks. Finds the chunks by their index, and unpacks them."""
from _library.hdf5_heaps import Tree2, tree_nodes
from _library.file_range import Damaged
from _library.hdf5_types import product
from _zlib import inflate

_FILTERS = {4: 'szip', 5: 'nbit', 6: 'scaleoffset', 32000: 'lzf', 32001: 'blosc', 32004: 'lz4', 32008: 'bitshuffle',
            32013: 'zfp', 32015: 'zstd', 32026: 'blosc2'}
_EXPANDS = 1040  # deflate compresses by at most this factor


class Layout(object):
    """The place of a dataset's elements: kind is compact, contiguous, chunked or none."""

    def __init__(self, kind, at=None, size=0, data=b'', chunk=(), index=0, index_fields=None, skips_edges=False):
        self.kind, self.at, self.size, self.data, self.chunk, self.index = kind, at, size, data, chunk, index
        self.index_fields, self.skips_edges = index_fields or {}, skips_edges


def read_layout(f):
    """Reads a data layout message."""
    version = f.expect(1, 2, 3, 4, 5)
    if version < 3:
        rank, kind = f.byte(), f.byte()
        f.take(5)
        at = f.address() if kind else None
        dims = [f.number(4) for _ in range(rank)]
        if kind == 0:
            return Layout('compact', data=f.take(f.number(4)))
        if kind == 1:
            return Layout('contiguous', at)
        return Layout('chunked', at, chunk=dims[:rank - 1] if rank else ())
    kind = f.byte()
    if kind == 0:
        return Layout('compact', data=f.take(f.number(2)))
    if kind == 1:
        return Layout('contiguous', f.address(), f.length())
    if kind != 2:
        raise Damaged('virtual datasets, whose elements are in other files, are not supported')
    if version == 3:
        rank = f.byte()
        at = f.address()
        return Layout('chunked', at, chunk=[f.number(4) for _ in range(rank)][:-1])
    return _layout4(f)


def _layout4(f):
    flags, rank, width = f.byte(), f.byte(), f.byte()
    chunk = [f.number(width) for _ in range(rank)][:-1]
    index, more = f.byte(), {}
    if index == 1 and flags & 2:
        more = {'size': f.length(), 'mask': f.number(4)}
    elif index == 3:
        f.byte()
    elif index == 4:
        f.take(5)
    elif index == 5:
        f.take(6)
    elif index not in (1, 2):
        raise Damaged('a chunk index of kind %d is not supported' % index)
    return Layout('chunked', f.address(), chunk=chunk, index=index, index_fields=more, skips_edges=bool(flags & 1))


def read_filters(f):
    """Reads a filter pipeline message. Returns [(number, values)]."""
    version, count = f.expect(1, 2), f.byte()
    if version == 1:
        f.take(6)
    found = []
    for _ in range(count):
        number = f.number(2)
        name = f.number(2) if version == 1 or number >= 256 else 0
        f.take(2)
        values = f.number(2)
        f.take((name + 7) // 8 * 8 if version == 1 else name)
        found.append((number, [f.number(4) for _ in range(values)]))
        if version == 1 and values % 2:
            f.take(4)
    return found


# ---- filters ----

def _shuffled(data, size):
    """Undoes the shuffle filter: the first bytes of all elements come first, then the second ones, and so on."""
    count = len(data) // size
    whole = np.frombuffer(data[:count * size], np.uint8).reshape([size, count])
    return np.transpose(whole).tobytes() + data[count * size:]


def _checked(data):
    """Returns the data without their Fletcher-32 checksum, which is compared."""
    if len(data) < 4:
        raise Damaged('a chunk is shorter than its checksum')
    body, stored = data[:-4], int.from_bytes(data[-4:], 'little')
    padded = body + b'\0' * (len(body) % 2)
    words = np.frombuffer(padded, np.uint8).reshape([-1, 2]).astype(np.int64)
    words = words[:, 0] * 256 + words[:, 1]
    low = high = 0
    for i in range(0, len(words), 1 << 16):
        part = words[i:i + (1 << 16)]
        high = (high + low * len(part) + int(np.sum(part * np.arange(len(part), 0, -1)))) % 65535
        low = (low + int(np.sum(part))) % 65535
    if (stored & 0xffff) % 65535 != low or (stored >> 16) % 65535 != high:
        raise Damaged('the checksum of a chunk does not fit its bytes')
    return body


def _lzf(data, most):
    """Unpacks the LZF format of h5py."""
    if len(data) == most:
        return data
    out, at = bytearray(), 0
    try:
        while at < len(data):
            control = data[at]
            at += 1
            if control < 32:
                out += data[at:at + control + 1]
                at += control + 1
                continue
            size = control >> 5
            if size == 7:
                size += data[at]
                at += 1
            back = ((control & 31) << 8 | data[at]) + 1
            at, size = at + 1, size + 2
            start = len(out) - back
            if start < 0 or len(out) + size > most:
                raise Damaged('a chunk is not packed by LZF')
            piece = bytes(out[start:start + size])
            out += (piece * (size // len(piece) + 1))[:size]
    except IndexError:
        raise Damaged('a chunk that is packed by LZF ends too early')
    return bytes(out)


def unfilter(data, filters, mask, size):
    """Undoes the filters of a chunk, which has `size` bytes. Bit i of the mask says that filter i was not used."""
    for i in reversed(range(len(filters))):
        number, values = filters[i]
        if mask >> i & 1:
            continue
        if number == 1:
            try:
                data = inflate(data, 15, size + 4 * len(filters))[0]
            except (ValueError, EOFError):
                raise Damaged('a chunk is not packed by deflate, or has more than %d B' % size)
        elif number == 2:
            data = _shuffled(data, max(1, values[0] if values else 1))
        elif number == 3:
            data = _checked(data)
        elif number == 32000:
            data = _lzf(data, size)
        else:
            raise Damaged('its filter %s is not supported; write it with gzip: h5repack -f GZIP=4 IN OUT' % (
                _FILTERS.get(number, 'number %d' % number)))
    return data


# ---- indices: each yields (offsets of the chunk in chunks, address, bytes in the file, mask) ----

def _grid(dims, chunk):
    return [(d + c - 1) // c for d, c in zip(dims, chunk)]


def _coordinates(number, grid):
    found = []
    for n in reversed(grid):
        found.append(number % n if n else 0)
        number //= max(1, n)
    return found[::-1]


def _by_tree(source, layout, rank, size):
    for key, child in tree_nodes(source, layout.at, 1, 16 + 8 * rank, {}):
        offsets = [int.from_bytes(key[8 + 8 * i:16 + 8 * i], 'little') // layout.chunk[i] for i in range(rank)]
        yield offsets, child, int.from_bytes(key[:4], 'little'), int.from_bytes(key[4:8], 'little')


def _by_tree2(source, layout, rank, size):
    tree, a = Tree2(source, layout.at), source.address_size
    if tree.kind not in (10, 11):
        raise Damaged('an index of chunks is a B-tree of kind %d' % tree.kind)
    middle = tree.record_size - a - 4 - 8 * rank if tree.kind == 11 else 0
    if middle < 0 or tree.record_size < a + 8 * rank:
        raise Damaged('the records of a B-tree are too short')
    for record in tree.records():
        at, mask, end = int.from_bytes(record[:a], 'little'), 0, a
        held = size
        if tree.kind == 11:
            held = int.from_bytes(record[a:a + middle], 'little')
            mask = int.from_bytes(record[a + middle:a + middle + 4], 'little')
            end = a + middle + 4
        yield [int.from_bytes(record[end + 8 * i:end + 8 * i + 8], 'little') for i in range(rank)], at, held, mask


def _elements(f, count, filtered, width, size):
    """Reads elements of an array index: (address, bytes, mask)."""
    found = []
    for _ in range(count):
        at = f.address()
        held = f.number(width - f.source.address_size - 4) if filtered else size
        found.append((at, held, f.number(4) if filtered else 0))
    return found


def _by_fixed_array(source, layout, size, count):
    f = source.fields(layout.at, 8 + source.length_size + source.address_size, 'fixed array', b'FAHD')
    f.expect(0)
    filtered, width, bits, total, at = f.byte() == 1, f.byte(), f.byte(), f.length(), f.address()
    if at is None:
        return
    head, page = 6 + source.address_size, 1 << min(bits, 63)
    total = min(total, count)
    source.fields(at, head, 'block of a fixed array', b'FADB').expect(0)
    if total <= page:
        for found in _elements(source.fields(at + head, total * width, 'a fixed array'), total, filtered, width, size):
            yield found
        return
    pages = (total + page - 1) // page
    bitmap = source.bytes(at + head, (pages + 7) // 8, 'a fixed array')
    begin = at + head + (pages + 7) // 8 + 4
    for number in range(pages):
        inside = min(page, total - number * page)
        if bitmap[number // 8] >> (7 - number % 8) & 1:
            f = source.fields(begin + number * (page * width + 4), inside * width, 'a fixed array')
            for found in _elements(f, inside, filtered, width, size):
                yield found
        else:
            for _ in range(inside):
                yield None, 0, 0


class _ExtensibleArray(object):
    """The index of a dataset that can grow in one dimension."""

    def __init__(self, source, at, size):
        self.source, self.size = source, size
        f = source.fields(at, 12 + 6 * source.length_size + source.address_size, 'extensible array', b'EAHD')
        f.expect(0)
        self.filtered, self.width, self.bits, self.inline = f.byte() == 1, f.byte(), f.byte(), f.byte()
        self.least, self.pointers, self.page_bits = f.byte(), f.byte(), f.byte()
        f.take(6 * source.length_size)
        self.index = f.address()
        powers = [n for n in (self.least, self.pointers) if n <= 0 or n & (n - 1)]
        if powers or self.bits > 64 or not self.width:
            raise Damaged('the header of the extensible array at byte %d is wrong' % at)
        self.offset_size = (self.bits + 7) // 8

    def _block(self, number):
        """Returns (data blocks, elements of each) of a super block."""
        return 1 << number // 2, self.least << (number + 1) // 2

    def elements(self, count):
        if self.index is None:
            return
        source, a = self.source, self.source.address_size
        direct = 2 * (self.pointers.bit_length() - 1)
        supers = 1 + self.bits - (self.least.bit_length() - 1)
        blocks = 2 * (self.pointers - 1)
        size = self.inline * self.width + (blocks + max(0, supers - direct)) * a
        source.fields(self.index, 6 + a, 'index of an extensible array', b'EAIB').expect(0)
        f = source.fields(self.index + 6 + a, size, 'an extensible array')
        for found in _elements(f, self.inline, self.filtered, self.width, self.size):
            yield found
        count -= self.inline
        for number in range(supers):
            inside, length = self._block(number)
            at = [f.address() for _ in range(inside)] if number < direct else None
            if number >= direct:
                first = f.address()
            if count <= 0:
                return
            if at is None:
                at = self._super(first, inside, length)
            for block in at:
                if count <= 0:
                    return
                for found in self._data(block, min(length, count), length):
                    yield found
                count -= length

    def _super(self, at, inside, length):
        if at is None:
            return [None] * min(inside, 1 << 20)
        a, pages = self.source.address_size, length >> self.page_bits
        head = 6 + a + self.offset_size + (inside * ((pages + 7) // 8) if pages > 1 else 0)
        self.source.fields(at, 5, 'block of an extensible array', b'EASB').expect(0)
        f = self.source.fields(at + head, inside * a, 'an extensible array')
        return [f.address() for _ in range(inside)]

    def _data(self, at, wanted, length):
        if at is None:
            return [(None, 0, 0)] * wanted
        head, page = 6 + self.source.address_size + self.offset_size, 1 << self.page_bits
        self.source.fields(at, 5, 'block of an extensible array', b'EADB').expect(0)
        if length <= page:
            f = self.source.fields(at + head, wanted * self.width, 'an extensible array')
            return _elements(f, wanted, self.filtered, self.width, self.size)
        found, at = [], at + head + 4
        for first in range(0, wanted, page):
            inside = min(page, wanted - first)
            f = self.source.fields(at + first // page * (page * self.width + 4), inside * self.width, 'an extensible array')
            found += _elements(f, inside, self.filtered, self.width, self.size)
        return found


def _numbered(elements, grid):
    for number, (at, size, mask) in enumerate(elements):
        if at is not None and at != 0:
            yield _coordinates(number, grid), at, size, mask


def _growing_first(grid, most):
    """Returns the order of the dimensions in an extensible array: the one that can grow is the first."""
    growing = [i for i, m in enumerate(most) if m >= (1 << 63)]
    first = growing[:1] or [0]
    return first + [i for i in range(len(grid)) if i not in first]


def chunks(source, layout, dims, most, size, filters):
    """Yields (offsets in chunks, address, bytes in the file, mask) of the chunks that exist."""
    rank, chunk = len(dims), layout.chunk
    if layout.at is None:
        return iter(())
    if layout.index == 0:
        return _by_tree(source, layout, rank, size)
    if layout.index == 5:
        return _by_tree2(source, layout, rank, size)
    if layout.index == 1:
        return iter([([0] * rank, layout.at, layout.index_fields.get('size', size), layout.index_fields.get('mask', 0))])
    if layout.index == 4:
        order = _growing_first(dims, most)
        bounds = [dims[i] if most[i] >= (1 << 63) else most[i] for i in range(rank)]
        grid = _grid([bounds[i] for i in order], [chunk[i] for i in order])
        return ((_restored(at, order), p, n, m) for at, p, n, m in _numbered(
            _ExtensibleArray(source, layout.at, size).elements(product(grid)), grid))
    grid = _grid(most, chunk)
    count = product(grid)
    if layout.index == 3:
        return _numbered(_by_fixed_array(source, layout, size, count), grid)
    if count > source.data.size:
        raise Damaged('%d chunks do not fit into the file' % count)
    return ((_coordinates(i, grid), layout.at + i * size, size, 0) for i in range(count))


def _restored(offsets, order):
    found = [0] * len(order)
    for o, i in zip(offsets, order):
        found[i] = o
    return found


def read_chunks(source, layout, dims, most, t, filters, fill):
    """Returns the bytes of all elements in order, as an array [dims..., bytes of an element]."""
    rank, size = len(dims), t.size
    if len(layout.chunk) != rank or any(c <= 0 for c in layout.chunk):
        raise Damaged('the chunks have %d dimensions, and the dataset has %d' % (len(layout.chunk), rank))
    whole = product(layout.chunk) * size
    if whole > max(1 << 20, source.data.size * _EXPANDS):
        raise Damaged('a chunk of %d B does not fit into a file of %d B' % (whole, source.data.size))
    made = np.zeros(list(dims) + [size], np.uint8)
    if fill is not None and any(fill):
        made[...] = np.frombuffer(fill, np.uint8)
    for offsets, at, held, mask in chunks(source, layout, dims, most, whole, filters):
        first = [o * c for o, c in zip(offsets, layout.chunk)]
        if any(f >= d for f, d in zip(first, dims)):
            continue
        at_edge = any(f + c > d for f, c, d in zip(first, layout.chunk, dims))
        used = [] if layout.skips_edges and at_edge else filters
        data = unfilter(source.bytes(at, held, 'a chunk'), used, mask, whole)
        if len(data) != whole:
            raise Damaged('a chunk has %d B after it was unpacked, not %d B' % (len(data), whole))
        part = np.frombuffer(data, np.uint8).reshape(list(layout.chunk) + [size])
        inside = [min(c, d - f) for f, c, d in zip(first, layout.chunk, dims)]
        made[tuple(slice(f, f + n) for f, n in zip(first, inside))] = part[tuple(slice(0, n) for n in inside)]
    return made
