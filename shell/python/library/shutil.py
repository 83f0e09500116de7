"""shutil: operations on files and folders."""
import os


class Error(OSError):
    pass


def rmtree(path, ignore_errors=False, onerror=None):
    try:
        names = os.listdir(path)
    except OSError:
        if ignore_errors:
            return
        raise
    for name in names:
        below = os.path.join(path, name)
        if os.path.isdir(below) and not os.path.islink(below):
            rmtree(below, ignore_errors)
        else:
            os.remove(below)
    os.rmdir(path)


def copyfile(src, dst):
    with open(src, 'rb') as f:
        data = f.read()
    with open(dst, 'wb') as f:
        f.write(data)
    return dst


def copy(src, dst):
    if os.path.isdir(dst):
        dst = os.path.join(dst, os.path.basename(src))
    return copyfile(src, dst)


copy2 = copy


def copytree(src, dst, dirs_exist_ok=False):
    os.makedirs(dst, exist_ok=dirs_exist_ok)
    for name in os.listdir(src):
        below = os.path.join(src, name)
        (copytree if os.path.isdir(below) else copyfile)(below, os.path.join(dst, name))
    return dst


def move(src, dst):
    if os.path.isdir(dst):
        dst = os.path.join(dst, os.path.basename(src))
    os.rename(src, dst)
    return dst
