"""os: names that few programs use."""
import collections
import os
import sys

error = OSError
curdir, pardir, extsep, altsep, pathsep, devnull = '.', '..', '.', None, ':', '/dev/null'
F_OK, R_OK, W_OK, X_OK = 0, 4, 2, 1
getcwdb = lambda: os.getcwd().encode()

stat_result = collections.namedtuple('stat_result', (
    'st_mode', 'st_ino', 'st_dev', 'st_nlink', 'st_uid', 'st_gid', 'st_size', 'st_atime', 'st_mtime', 'st_ctime'))


def stat(path):
    numbers = os._stat(path)
    return stat_result(*numbers[:7], *[ns / 1e9 for ns in numbers[7:]])


lstat = stat


def access(path, mode):
    """Tells whether some user may access the file so; the rights of this process may be fewer."""
    return os.path.exists(path) and all(stat(path).st_mode & (bit * 0o111) for bit in (R_OK, W_OK, X_OK) if mode & bit)


def isatty(fd):
    return (sys.stdout if fd == 1 else sys.stderr).isatty() if fd else False


def putenv(key, value):
    os.environ[key] = value


def cpu_count():
    return 1


def urandom(size):
    import random
    source = random.Random()  # does not draw from the stream that random.seed() starts
    return bytes([source.randrange(256) for _ in range(size)])


def removedirs(name):
    """Removes a folder, and the folders around it while they are empty."""
    os.rmdir(name)
    name = os.path.dirname(name.rstrip('/'))
    while name and name != '/':
        try:
            os.rmdir(name)
        except OSError:
            return
        name = os.path.dirname(name)


def scandir(path='.'):
    return iter([_Entry(path, name) for name in os.listdir(path)])


class _Entry(object):
    def __init__(self, folder, name):
        self.name, self.path = name, os.path.join(folder, name)

    def is_dir(self):
        return os.path.isdir(self.path)

    def is_file(self):
        return os.path.isfile(self.path)

    def stat(self):
        return stat(self.path)


def system(command):
    raise PermissionError('tensh cannot start other programs. Run the command in a terminal: ' + str(command))


popen = system
