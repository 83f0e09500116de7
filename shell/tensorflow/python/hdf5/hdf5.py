"""A reader of HDF5 files: groups, attributes and datasets.

    file = hdf5.open_file(path)
    file['group/dataset'].read()   an array
    file.attributes                {name: value}

Everything is read when it is asked for. All sizes and positions are checked before they are used, links are followed a
limited number of times, and a damaged file is a ValueError. The format is that of the HDF5 File Format Specification 3.0.
"""
from _library.hdf5_chunks import read_chunks, read_filters, read_layout
from _library.hdf5_heaps import FractalHeap, GlobalHeap, Tree2, group_entries
from _library.file_range import Damaged, FileRange
from _library.hdf5_source import Fields, Source
from _library.hdf5_types import brain_floats, decode, is_plain, product, read_space, read_type

_SIGNATURE = b'\x89HDF\r\n\x1a\n'
_MOST_MESSAGES, _MOST_BLOCKS, _MOST_LINKS, _MOST_OBJECTS, _DEEPEST = 100000, 10000, 16, 200000, 64
_EXPANDS = 1040  # deflate compresses by at most this factor


class _Message(object):
    def __init__(self, kind, flags, data):
        self.kind, self.flags, self.data = kind, flags, data


class _Header(object):
    """The messages of an object header, of version 1 or 2."""

    def __init__(self, source, at):
        self.source, self.at, self.messages = source, at, []
        head = source.bytes(at, 16, 'an object header')
        if head[:4] == b'OHDR':
            self._read2(at)
        elif head[0] == 1:
            f = Fields(source, head, 'an object header')
            f.take(8)
            self._blocks([(at + 16, f.number(4))], None)
        else:
            raise Damaged('there is no object header at byte %d' % (source.base + at))

    def _read2(self, at):
        f = self.source.fields(at, 6, 'object header', b'OHDR')
        f.expect(2)
        flags = f.byte()
        skipped = 6 + (16 if flags & 32 else 0) + (4 if flags & 16 else 0)
        width = 1 << (flags & 3)
        size = self.source.fields(at + skipped, width, 'an object header').number(width)
        self._blocks([(at + skipped + width, size)], 6 if flags & 4 else 4)

    def _blocks(self, blocks, head):
        """Reads the blocks of messages; those of version 2 have a head of 4 or 6 bytes."""
        seen = set()
        while blocks:
            at, size = blocks.pop(0)
            if at in seen or len(seen) > _MOST_BLOCKS:
                raise Damaged('the object header at byte %d contains itself' % self.at)
            seen.add(at)
            f = self.source.fields(at, size, 'an object header')
            while f.left() >= (head or 8):
                kind = f.number(1 if head else 2)
                length, flags = f.number(2), f.byte()
                f.take((head or 8) - (4 if head else 5))
                data = f.take(length)
                if kind == 16:
                    more = Fields(self.source, data, 'a continuation')
                    begin, length = more.address(), more.length()
                    if head:
                        if self.source.bytes(begin, 4, 'a continuation') != b'OCHK':
                            raise Damaged('there is no continuation of an object header at byte %s' % begin)
                        begin, length = begin + 4, length - 8
                    blocks.append((begin, length))
                elif kind:
                    self.messages.append(_Message(kind, flags, data))
                if len(self.messages) > _MOST_MESSAGES:
                    raise Damaged('the object header at byte %d has more than %d messages' % (self.at, _MOST_MESSAGES))

    def find(self, kind, depth=0):
        """Returns the Fields of the first message of a kind, or None."""
        for m in self.messages:
            if m.kind == kind:
                return _shared(self.source, m, depth) if m.flags & 2 else Fields(self.source, m.data, 'message %d' % kind)
        return None


def _shared(source, message, depth=0):
    """Returns the Fields of a message that is in another object header."""
    f = Fields(source, message.data, 'a shared message')
    version = f.expect(1, 2, 3)
    kind = f.byte()
    if version == 1:
        f.take(6)
    if version == 3 and kind != 2 or depth > 4:
        raise Damaged('messages in the heap of shared messages are not supported')
    found = _Header(source, f.address()).find(message.kind, depth + 1)
    if found is None:
        raise Damaged('a shared message does not exist')
    return found


class _Link(object):
    def __init__(self, at, soft=None, elsewhere=None):
        self.at, self.soft, self.elsewhere = at, soft, elsewhere


def _read_link(f):
    """Reads a link message. Returns (name, _Link)."""
    f.expect(1)
    flags = f.byte()
    kind = f.byte() if flags & 8 else 0
    if flags & 4:
        f.take(8)
    if flags & 16:
        f.byte()
    name = f.take(f.number(1 << (flags & 3))).decode('utf-8', 'replace')
    if kind == 0:
        return name, _Link(f.address())
    if kind == 1:
        return name, _Link(None, f.take(f.number(2)).decode('utf-8', 'replace'))
    return name, _Link(None, elsewhere='in another file')


class Object(object):
    """What a group and a dataset have in common: a header and attributes."""

    def __init__(self, file, header, name):
        self.file, self.source, self.header, self.name = file, file.source, header, name
        self._attributes = None

    @property
    def attributes(self):
        """The attributes by name: arrays, texts as bytes, or numbers. One that cannot be read is left out."""
        if self._attributes is None:
            self._attributes = {}
            for f in self._attribute_fields():
                name, value = self._attribute(f)
                if value is not None:
                    self._attributes[name] = value
        return self._attributes

    def _attribute_fields(self):
        for m in self.header.messages:
            if m.kind == 12:
                yield _shared(self.source, m) if m.flags & 2 else Fields(self.source, m.data, 'an attribute')
        for heap, tree in self._dense(21, 2):
            for record in tree.records():
                yield Fields(self.source, heap.get(record[:heap.id_size]), 'an attribute')

    def _dense(self, kind, counter):
        """Yields the heap and the tree that a message names, if there are any. `counter` is the size of its creation order."""
        info = self.header.find(kind)
        if info is None:
            return
        info.expect(0)
        if info.byte() & 1:
            info.take(counter)
        heap, tree = info.address(), info.address()
        if heap is not None and tree is not None:
            yield FractalHeap(self.source, heap), Tree2(self.source, tree)

    def _attribute(self, f):
        version = f.expect(1, 2, 3)
        flags = f.byte() if version > 1 else f.byte() & 0
        sizes = [f.number(2) for _ in range(3)]
        if version == 3:
            f.byte()
        parts = []
        for size in sizes:
            parts.append(f.take(size))
            if version == 1:
                f.align(8)
        name = parts[0].split(b'\0')[0].decode('utf-8', 'replace')
        kinds = [_shared(self.source, _Message(3 - 2 * i, 2, part)) if flags >> i & 1 else Fields(
            self.source, part, 'an attribute') for i, part in enumerate(parts[1:])]
        t, (dims, _) = read_type(kinds[0]), read_space(kinds[1])
        if dims is None or t.why_refused():
            return name, None
        size = product(dims) * t.size
        value = decode(t, f.take(size), dims, self.file.heap)
        return name, value if value.ndim else value.reshape([1])[0]


class Group(Object):
    """A group of objects by name."""

    def __init__(self, file, header, name):
        super(Group, self).__init__(file, header, name)
        self._links = None

    @property
    def links(self):
        if self._links is None:
            found = {}
            for name, link in self._read_links():
                if name and '/' not in name:
                    found[name] = link
            self._links = found
        return self._links

    def _read_links(self):
        table = self.header.find(17)
        if table is not None:
            for name, at, soft in group_entries(self.source, table.address(), table.address()):
                yield name, _Link(at, soft)
        for m in self.header.messages:
            if m.kind == 6:
                yield _read_link(Fields(self.source, m.data, 'a link'))
        for heap, tree in self._dense(2, 8):
            skipped = 4 if tree.kind == 5 else 8
            for record in tree.records():
                yield _read_link(Fields(self.source, heap.get(record[skipped:skipped + heap.id_size]), 'a link'))

    def keys(self):
        """The names in the order of the file's library."""
        return sorted(self.links)

    def __contains__(self, path):
        try:
            self[path]
        except KeyError:
            return False
        return True

    def __getitem__(self, path):
        return self.find(path, 0)

    def get(self, path):
        """Returns the object with the path, or None."""
        try:
            return self[path]
        except KeyError:
            return None

    def find(self, path, followed):
        group = self
        parts = [p for p in path.split('/') if p and p != '.']
        for i, part in enumerate(parts):
            link = group.links.get(part) if isinstance(group, Group) else None
            if link is None or link.elsewhere:
                raise KeyError('%s does not exist%s' % (path, ': it is in another file' if link else ''))
            if link.soft is not None:
                if followed > _MOST_LINKS:
                    raise KeyError('%s does not exist: its links lead in a circle' % path)
                start = self.file.root if link.soft.startswith('/') else group
                group = start.find(link.soft, followed + 1)
            else:
                group = self.file.object_at(link.at, '/'.join([p for p in (self.name, '/'.join(parts[:i + 1])) if p]))
        return group


class Dataset(Object):
    """An array of a file. `dims` is None for one without any elements; `refused` says why it cannot be read."""

    def __init__(self, file, header, name):
        super(Dataset, self).__init__(file, header, name)
        space, kind = header.find(1), header.find(3)
        if space is None or kind is None:
            raise Damaged('%s has no type or no extents' % name)
        self.type = read_type(kind)
        self.dims, self._most = read_space(space)
        self.refused = self.type.why_refused()
        self.is_brain = self.type.kind == 'opaque' and self.type.size == 2 and self.attributes.get('dtype') in ('bfloat16', b'bfloat16')
        if self.is_brain:
            self.refused = ''
        if self.dims is None:
            self.refused = 'a dataset without elements'

    @property
    def shape(self):
        return list(self.dims or []) + (list(self.type.dims) if self.type.kind == 'array' else [])

    @property
    def dtype_name(self):
        return 'float32' if self.is_brain else self.type.dtype_name()

    def _fill(self):
        f = self.header.find(5)
        if f is None:
            old = self.header.find(4)
            return old.take(old.number(4)) if old is not None else None
        version, flags = f.expect(1, 2, 3), f.byte()
        if version < 3:
            f.byte()
            if not f.byte() and version == 2:
                return None
        elif not flags & 32:
            return None
        return f.take(f.number(4))

    def read(self):
        """Returns the array."""
        if self.refused:
            raise ValueError('%s: %s are not supported: %s' % (self.file.path, self.refused, self.name))
        try:
            return self._read()
        except Damaged as e:
            raise ValueError('%s: %s cannot be read: %s' % (self.file.path, self.name, e))

    def _read(self):
        t, size = self.type, product(self.dims) * self.type.size
        layout = self.header.find(8)
        if layout is None:
            raise Damaged('it has no layout')
        layout = read_layout(layout)
        if size > max(1 << 26, self.source.data.size * _EXPANDS):
            raise Damaged('its %d B do not fit into a file of %d B' % (size, self.source.data.size))
        filters = self.header.find(11)
        fill = self._fill()
        fill = fill if fill is not None and len(fill) == t.size else None
        if layout.kind == 'compact':
            data = layout.data
        elif layout.at is None:
            data = (fill or b'\0' * t.size) * product(self.dims)
        elif layout.kind == 'chunked':
            made = read_chunks(self.source, layout, self.dims, self._most, t, read_filters(filters) if filters else [], fill)
            if is_plain(t):
                return made.view(np.dtype(t.name)).reshape(self.dims)
            data = made.tobytes()
        elif is_plain(t):
            return self.source.array(layout.at, t.name, list(self.dims), size, 'an array')
        else:
            data = self.source.bytes(layout.at, size, 'an array')
        if len(data) < size:
            raise Damaged('it has %d B, and its type and extents need %d B' % (len(data), size))
        if self.is_brain:
            return brain_floats(data[:size]).reshape(self.dims)
        return decode(t, data[:size], self.dims, self.file.heap)


class File(object):
    """An HDF5 file."""

    def __init__(self, data, path):
        self.path, self.source = path, Source(data)
        self.heap, self._objects = GlobalHeap(self.source), {}
        self.root = self.object_at(self._superblock(), '')
        if not isinstance(self.root, Group):
            raise Damaged('its root is not a group')
        self.attributes = self.root.attributes

    def _superblock(self):
        data, at = self.source.data, 0
        while at + 8 <= data.size and data.read(at, 8) != _SIGNATURE:
            at = max(512, 2 * at)
        if at + 64 > data.size:
            raise Damaged('it has no superblock')
        f = Fields(self.source, data.read(at, min(128, data.size - at)), 'the superblock')
        f.take(8)
        version = f.expect(0, 1, 2, 3)
        f.take(4 if version < 2 else 0)
        sizes = [f.byte(), f.byte()]
        if any(n not in (2, 4, 8) for n in sizes):
            raise Damaged('addresses of %d bytes and lengths of %d bytes are not supported' % tuple(sizes))
        self.source.address_size, self.source.length_size = sizes
        f.take([9, 13, 1, 1][version])
        base = f.address()
        self.source.base = at if base == 0 and at else base or 0
        f.address()
        end = f.address()
        if end is not None and end > data.size:
            raise Damaged('it ends too early: it has %d B, and its superblock says %d B' % (data.size, end))
        if version < 2:
            f.address()
            f.number(sizes[0])
        return f.address()

    def object_at(self, at, name):
        """Returns the Group or Dataset whose header is at an address."""
        if at not in self._objects:
            if len(self._objects) > _MOST_OBJECTS:
                raise Damaged('it has more than %d objects' % _MOST_OBJECTS)
            header = _Header(self.source, at)
            is_data = any(m.kind == 8 for m in header.messages)
            self._objects[at] = (Dataset if is_data else Group)(self, header, name)
        return self._objects[at]

    def __getitem__(self, path):
        return self.root[path]

    def __contains__(self, path):
        return path in self.root

    def get(self, path):
        return self.root.get(path)

    def datasets(self):
        """Returns {path: Dataset} of all datasets, sorted. A group that contains itself is listed once."""
        found, count = {}, 0
        todo = [('', self.root, (self.root.header.at,))]
        while todo:
            path, group, above = todo.pop()
            for name in group.keys():
                count += 1
                if count > _MOST_OBJECTS:
                    raise Damaged('it has more than %d links' % _MOST_OBJECTS)
                inside = path + '/' + name if path else name
                if group.links[name].elsewhere:
                    continue
                try:
                    made = group[name]
                except KeyError:
                    continue  # a soft link to an object that does not exist
                if isinstance(made, Dataset):
                    found[inside] = made
                elif made.header.at not in above and len(above) < _DEEPEST:
                    todo.append((inside, made, above + (made.header.at,)))
        return dict(sorted(found.items()))


def open_file(path, data=None):
    """Opens an HDF5 file, or one in `data`, a FileRange or Held."""
    try:
        return File(data or FileRange(path), path)
    except Damaged as e:
        raise ValueError('%s is not a valid HDF5 file: %s' % (path, e))
