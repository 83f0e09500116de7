"""tf.gfile: files and folders."""
import glob
import os
import re
import shutil


class GFile(object):
    """A file with the methods read, readline, readlines, write, seek and close. A `with` block closes it."""

    def __init__(self, name, mode='r'):
        self._name, self._mode, self._file = name, mode, None

    name = property(lambda self: self._name)
    mode = property(lambda self: self._mode)

    def _open(self):
        if self._file is None:
            try:
                self._file = open(self._name, self._mode)
            except FileNotFoundError:
                raise tf.errors.NotFoundError(None, None, '%s; No such file or directory' % self._name)
        return self._file

    def read(self, n=-1):
        return self._open().read(n)

    def readline(self):
        return self._open().readline()

    def readlines(self):
        return self._open().readlines()

    def write(self, file_content):
        self._open().write(file_content)

    def size(self):
        return os.path.getsize(self._name)

    def flush(self):
        if self._file is not None:
            self._file.flush()

    def close(self):
        if self._file is not None:
            self._file.close()
            self._file = None

    def __iter__(self):
        return iter(self._open())

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()


Open = FastGFile = GFile


def _not_found(path):
    return tf.errors.NotFoundError(None, None, '%s; No such file or directory' % path)


def Exists(filename):
    """Returns true if a file or folder with this name exists."""
    return os.path.exists(filename)


def IsDirectory(dirname):
    """Returns true if the name is that of a folder."""
    return os.path.isdir(dirname)


def ListDirectory(dirname):
    """Returns the names in a folder."""
    if not os.path.isdir(dirname):
        raise tf.errors.NotFoundError(None, None, 'Could not find directory ' + dirname)
    return os.listdir(dirname)


def MkDir(dirname):
    """Creates a folder."""
    if not os.path.isdir(dirname):
        os.mkdir(dirname)


def MakeDirs(dirname):
    """Creates a folder and its parents."""
    os.makedirs(dirname, exist_ok=True)


def Remove(filename):
    """Deletes a file."""
    try:
        os.remove(filename)
    except FileNotFoundError:
        raise _not_found(filename)


def DeleteRecursively(dirname):
    """Deletes a folder and its content."""
    if not os.path.isdir(dirname):
        raise _not_found(dirname)
    shutil.rmtree(dirname)


def Rename(oldname, newname, overwrite=False):
    """Renames a file."""
    if os.path.exists(newname) and not overwrite:
        raise tf.errors.AlreadyExistsError(None, None, 'file already exists')
    try:
        os.rename(oldname, newname)
    except FileNotFoundError:
        raise _not_found(oldname)


def Copy(oldpath, newpath, overwrite=False):
    """Copies a file."""
    if os.path.exists(newpath) and not overwrite:
        raise tf.errors.AlreadyExistsError(None, None, 'file already exists')
    try:
        shutil.copyfile(oldpath, newpath)
    except FileNotFoundError:
        raise _not_found(oldpath if not os.path.exists(oldpath) else newpath)


def Glob(filename):
    """Returns the files that match a pattern with * and ?."""
    if isinstance(filename, (list, tuple)):
        return sum([Glob(f) for f in filename], [])
    # As in TensorFlow, names that match in the current folder begin with './'.
    first = re.split(r'[*?[\\]', filename)[0]
    return sorted(glob.glob(filename if '/' in first or first == filename else './' + filename, include_hidden=True))


def Walk(top, in_order=True):
    """Yields (folder, subfolders, files) for top and all folders below it."""
    if not os.path.isdir(top):
        return
    names = sorted(os.listdir(top))
    folders = [n for n in names if os.path.isdir(os.path.join(top, n))]
    here = (top, folders, [n for n in names if n not in folders])
    if in_order:
        yield here
    for name in folders:
        for found in Walk(os.path.join(top, name), in_order):
            yield found
    if not in_order:
        yield here


class _FileStat(object):
    def __init__(self, path):
        self.length = os.path.getsize(path)
        self.is_directory = os.path.isdir(path)
        self.mtime_nsec = int(os.path.getmtime(path) * 1e9)


def Stat(filename):
    """The length of a file and the time of its last change."""
    if not os.path.exists(filename):
        raise _not_found(filename)
    return _FileStat(filename)
