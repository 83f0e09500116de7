"""tarfile: reading and writing of tar archives, also compressed with gzip."""
import gzip
import io
import os
import time

_open = open
REGTYPE, AREGTYPE, DIRTYPE, SYMTYPE, LNKTYPE = b'0', b'\0', b'5', b'2', b'1'


class TarError(Exception):
    pass


class ReadError(TarError):
    pass


class CompressionError(TarError):
    pass


class TarInfo(object):
    def __init__(self, name=''):
        self.name, self.size, self.mode, self.mtime = name, 0, 0o644, 0
        self.type, self.linkname, self.offset_data = REGTYPE, '', 0

    def isfile(self):
        return self.type in (REGTYPE, AREGTYPE)

    isreg = isfile

    def isdir(self):
        return self.type == DIRTYPE

    def issym(self):
        return self.type == SYMTYPE

    def islnk(self):
        return self.type == LNKTYPE

    def __repr__(self):
        return "<TarInfo '%s' at 0x%x>" % (self.name, id(self))

    def _header(self):
        name, prefix = self.name.encode(), b''
        if len(name) > 100:
            cut = name.find(b'/', len(name) - 101)
            if cut < 0 or cut > 155:
                raise TarError('the name is too long: %s' % self.name)
            prefix, name = name[:cut], name[cut + 1:]
        fields = [name.ljust(100, b'\0'), b'%07o\0' % self.mode, b'0000000\0', b'0000000\0', b'%011o\0' % self.size,
                  b'%011o\0' % int(self.mtime), b' ' * 8, self.type, b'\0' * 100, b'ustar\x0000', b'\0' * 80,
                  prefix.ljust(155, b'\0'), b'\0' * 12]
        head = b''.join(fields)
        return head[:148] + b'%06o\0 ' % sum(head) + head[156:]


def _number(field):
    if field[0] & 0x80:
        return int.from_bytes(field[1:], 'big')
    text = field.split(b'\0')[0].strip()
    return int(text, 8) if text else 0


def _text(field):
    return field.split(b'\0')[0].decode('utf-8', 'replace')


def _extended(data):
    """The records of a pax header: {'path': …}"""
    found, at = {}, 0
    while at < len(data):
        size = int(data[at:data.index(b' ', at)])
        if size <= 0:
            break
        key, _, value = data[at:at + size - 1].partition(b' ')[2].partition(b'=')
        found[key.decode()] = value.decode('utf-8', 'replace')
        at += size
    return found


def _members(data):
    at, more = 0, {}
    while at + 512 <= len(data):
        head = data[at:at + 512]
        if not head.strip(b'\0'):
            break
        try:
            checked = _number(head[148:156]) == sum(head[:148]) + 256 + sum(head[156:])
            info = TarInfo(_text(head[:100]))
            info.size, info.mode, info.mtime = _number(head[124:136]), _number(head[100:108]), _number(head[136:148])
        except ValueError:
            checked = False
        if not checked:
            raise ReadError('file could not be opened successfully: bad checksum' if at == 0 else 'bad checksum')
        info.type, info.linkname, info.offset_data = head[156:157], _text(head[157:257]), at + 512
        if head[257:263] == b'ustar\0' and head[345]:
            info.name = _text(head[345:500]) + '/' + info.name
        body = data[at + 512:at + 512 + info.size]
        if len(body) < info.size:
            raise ReadError('unexpected end of data')
        at += 512 + (info.size + 511) // 512 * 512
        if info.type == b'L':
            more['path'] = _text(body)
        elif info.type == b'x':
            more.update(_extended(body))
        elif info.type not in b'gK':
            info.name = more.pop('path', info.name).rstrip('/')
            more.clear()
            yield info


class TarFile(object):
    def __init__(self, name=None, mode='r', fileobj=None):
        kind = mode.replace('|', ':').partition(':')
        self.name, self.mode, self._file = name, kind[0] or 'r', fileobj
        self._packed = kind[2] if self.mode != 'r' else ''
        self._out = []
        self.members = []
        if kind[2] in ('bz2', 'xz'):
            raise CompressionError('tensh reads archives without compression or with gzip')
        if self.mode == 'r':
            data = fileobj.read() if fileobj else _open(name, 'rb').read()
            if data[:2] == b'\x1f\x8b':
                data = gzip.decompress(data)
            elif data[:3] == b'BZh' or data[:6] == b'\xfd7zXZ\0':
                raise CompressionError('tensh reads archives without compression or with gzip. Unpack it in a '
                                       'terminal: tar xf %s' % name)
            if len(data) < 512:
                raise ReadError('file could not be opened successfully: not a tar archive')
            self._data = data
            self.members = list(_members(data))

    @classmethod
    def open(cls, name=None, mode='r', fileobj=None, **kwargs):
        return cls(name, mode, fileobj)

    def getmembers(self):
        return list(self.members)

    def getnames(self):
        return [info.name for info in self.members]

    def getmember(self, name):
        for info in reversed(self.members):
            if info.name == name.rstrip('/'):
                return info
        raise KeyError('filename %r not found' % name)

    def __iter__(self):
        return iter(self.members)

    def extractfile(self, member):
        info = self.getmember(member) if isinstance(member, str) else member
        if not info.isfile():
            return None
        return io.BytesIO(self._data[info.offset_data:info.offset_data + info.size])

    def extract(self, member, path='', set_attrs=True, **kwargs):
        info = self.getmember(member) if isinstance(member, str) else member
        if info.name.startswith('/') or '..' in info.name.split('/'):
            raise TarError('%r would be extracted outside the folder' % info.name)
        at = os.path.join(path, info.name)
        if info.isdir():
            os.makedirs(at, exist_ok=True)
        elif info.isfile():
            if os.path.dirname(at):
                os.makedirs(os.path.dirname(at), exist_ok=True)
            with _open(at, 'wb') as f:
                f.write(self._data[info.offset_data:info.offset_data + info.size])

    def extractall(self, path='.', members=None, **kwargs):
        for info in self.members if members is None else members:
            self.extract(info, path)

    def list(self, verbose=True):
        for info in self.members:
            print(info.name)

    def gettarinfo(self, name, arcname=None):
        info = TarInfo((arcname or name).lstrip('/'))
        info.mtime = os.path.getmtime(name)
        if os.path.isdir(name):
            info.type, info.mode = DIRTYPE, 0o755
        else:
            info.size = os.path.getsize(name)
        return info

    def addfile(self, tarinfo, fileobj=None):
        data = fileobj.read(tarinfo.size) if fileobj else b''
        self._out += [tarinfo._header(), data, b'\0' * (-len(data) % 512)]
        self.members.append(tarinfo)

    def add(self, name, arcname=None, recursive=True, **kwargs):
        info = self.gettarinfo(name, arcname)
        if info.isdir():
            self.addfile(info)
            for entry in sorted(os.listdir(name)) if recursive else ():
                self.add(os.path.join(name, entry), os.path.join(arcname or name, entry))
        else:
            with _open(name, 'rb') as f:
                self.addfile(info, f)

    def close(self):
        if self.mode == 'r' or self._out is None:
            return
        data = b''.join(self._out) + b'\0' * 1024
        data += b'\0' * (-len(data) % 10240)
        if self._packed == 'gz':
            data = gzip.compress(data)
        self._out = None
        if self._file:
            self._file.write(data)
        else:
            with _open(self.name, 'wb') as f:
                f.write(data)

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.close()


open = TarFile.open


def is_tarfile(name):
    try:
        TarFile(name)
        return True
    except TarError:
        return False
