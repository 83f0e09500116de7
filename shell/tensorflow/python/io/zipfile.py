"""zipfile: reading and writing of zip archives."""
import io
import os
import time

from _library.file_range import Held
from _library.zip_members import Archive
from _zlib import crc32, deflate

_open = open
ZIP_STORED, ZIP_DEFLATED = 0, 8


class BadZipFile(Exception):
    pass


BadZipfile = BadZipFile


class ZipInfo(object):
    def __init__(self, filename='NoName', date_time=(1980, 1, 1, 0, 0, 0)):
        self.filename, self.date_time = filename, date_time
        self.compress_type, self.file_size, self.compress_size, self.CRC, self.header_offset = ZIP_STORED, 0, 0, 0, 0

    def is_dir(self):
        return self.filename.endswith('/')

    def _common(self):
        y, month, d, h, m, s = self.date_time
        stamp = (h << 11 | m << 5 | s // 2) | ((y - 1980) << 9 | month << 5 | d) << 16
        parts = [(20, 2), (0x800, 2), (self.compress_type, 2), (stamp, 4), (self.CRC, 4), (self.compress_size, 4),
                 (self.file_size, 4), (len(self.filename.encode()), 2), (0, 2)]
        return _pack(parts)


def _pack(parts):
    return b''.join([value.to_bytes(size, 'little') for value, size in parts])


class ZipFile(object):
    def __init__(self, file, mode='r', compression=ZIP_STORED, allowZip64=True, **kwargs):
        self.mode, self.compression = mode, compression
        self.filename = file if isinstance(file, (str, bytes)) else getattr(file, 'name', None)
        self._file, self._out, self.filelist = file, [], []
        if mode == 'r':
            self._read_directory(file)
        elif mode == 'a' and os.path.exists(file):
            old = ZipFile(file)
            for info in old.filelist:
                self._add(info, old.read(info.filename))

    def _read_directory(self, file):
        held = None if isinstance(file, (str, bytes)) else Held(file.read())
        if held is None and not os.path.exists(file):
            raise FileNotFoundError(2, 'No such file or directory', file)
        try:
            self._archive = Archive(self.filename or 'the archive', held)
            names = self._archive.names()
        except ValueError:
            raise BadZipFile('File is not a zip file') from None
        for name in names:
            info = ZipInfo(name)
            method, crc, size, packed, at = self._archive.row(name)
            info.compress_type, info.CRC, info.file_size = method, crc, size
            info.compress_size, info.header_offset = packed, at
            self.filelist.append(info)

    def infolist(self):
        return list(self.filelist)

    def namelist(self):
        return [info.filename for info in self.filelist]

    def getinfo(self, name):
        for info in self.filelist:
            if info.filename == name:
                return info
        raise KeyError("There is no item named %r in the archive" % name)

    def read(self, name, pwd=None):
        name = getattr(name, 'filename', name)
        self.getinfo(name)
        try:
            return bytes(self._archive.read(name))
        except ValueError as e:
            raise BadZipFile(str(e)) from None

    def open(self, name, mode='r', pwd=None):
        return io.BytesIO(self.read(name))

    def testzip(self):
        for name in self.namelist():
            try:
                self.read(name)
            except BadZipFile:
                return name

    def printdir(self):
        for info in self.filelist:
            print(info.filename)

    def extract(self, member, path=None, pwd=None):
        name = getattr(member, 'filename', member)
        parts = [p for p in name.split('/') if p not in ('', '.', '..')]
        at = os.path.join(path or os.getcwd(), *parts)
        if name.endswith('/'):
            os.makedirs(at, exist_ok=True)
            return at
        os.makedirs(os.path.dirname(at) or '.', exist_ok=True)
        with _open(at, 'wb') as f:
            f.write(self.read(name))
        return at

    def extractall(self, path=None, members=None, pwd=None):
        for name in self.namelist() if members is None else members:
            self.extract(name, path)

    def _add(self, info, data):
        info.CRC, info.file_size = crc32(data), len(data)
        body = deflate(data, 6, -15) if info.compress_type == ZIP_DEFLATED else data
        info.compress_size = len(body)
        self._out.append((info, body))
        self.filelist = [i for i, _ in self._out]

    def writestr(self, name, data, compress_type=None):
        info = name if isinstance(name, ZipInfo) else ZipInfo(name, time.localtime()[:6])
        info.compress_type = self.compression if compress_type is None else compress_type
        self._add(info, data.encode() if isinstance(data, str) else data)

    def write(self, filename, arcname=None, compress_type=None):
        name = (arcname or filename).lstrip('/')
        if os.path.isdir(filename):
            return self.writestr(name + '/', b'', ZIP_STORED)
        with _open(filename, 'rb') as f:
            self.writestr(name, f.read(), compress_type)

    def close(self):
        if self.mode == 'r' or self._out is None:
            return
        pieces, rows, at = [], [], 0
        for info, body in self._out:
            name = info.filename.encode()
            info.header_offset = at
            piece = b'PK\x03\x04' + info._common() + name + body
            rows.append(b'PK\x01\x02\x14\x03' + info._common() + _pack([(0, 2), (0, 2), (0, 2), (0o644 << 16, 4), (at, 4)])
                        + name)
            pieces.append(piece)
            at += len(piece)
        directory = b''.join(rows)
        end = b'PK\x05\x06' + _pack([(0, 4), (len(rows), 2), (len(rows), 2), (len(directory), 4), (at, 4), (0, 2)])
        data = b''.join(pieces) + directory + end
        self._out = None
        if hasattr(self._file, 'write'):
            self._file.write(data)
        else:
            with _open(self._file, 'wb') as f:
                f.write(data)

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.close()


def is_zipfile(name):
    try:
        ZipFile(name)
        return True
    except (BadZipFile, OSError):
        return False
