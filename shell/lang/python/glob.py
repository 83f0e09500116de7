"""glob: the paths a pattern of the shell's kind stands for."""
import os
from fnmatch import fnmatchcase


def has_magic(s):
    return any(c in s for c in '*?[')


def _names(folder):
    try:
        return os.listdir(folder or '.')
    except OSError:
        return []


def _below(folder):
    """The folder and all folders below it, hidden ones left out."""
    out = [folder]
    for name in _names(folder):
        path = os.path.join(folder, name)
        if not name.startswith('.') and os.path.isdir(path):
            out.extend(_below(path))
    return out


def _folders(pattern, recursive):
    if pattern and has_magic(pattern):
        return [p for p in glob(pattern, recursive=recursive) if os.path.isdir(p)]
    return [pattern]


def glob(pathname, *, root_dir=None, dir_fd=None, recursive=False, include_hidden=False):
    if not has_magic(pathname):
        return [pathname] if os.path.exists(pathname) else []
    folder, last = os.path.split(pathname)
    out = []
    for base in _folders(folder, recursive):
        if last == '**' and recursive:
            for below in _below(base):
                out.append(below + '/' if below == base and below else below)
                out.extend(os.path.join(below, n) for n in _names(below)
                           if not n.startswith('.') and not os.path.isdir(os.path.join(below, n)))
        elif has_magic(last):
            out.extend(os.path.join(base, n) for n in _names(base)
                       if fnmatchcase(n, last) and (last.startswith('.') or not n.startswith('.')))
        elif os.path.exists(os.path.join(base, last)):
            out.append(os.path.join(base, last))
    return [p for p in out if p]


def iglob(pathname, *, root_dir=None, dir_fd=None, recursive=False, include_hidden=False):
    return iter(glob(pathname, recursive=recursive))


def escape(pathname):
    return ''.join('[' + c + ']' if c in '*?[' else c for c in pathname)
