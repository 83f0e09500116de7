"""glob: the paths that match a shell pattern."""
import os
from fnmatch import fnmatchcase


def has_magic(s):
    return any(c in s for c in '*?[')


def _names(folder):
    try:
        return os.listdir(folder or '.')
    except OSError:
        return []


def _isdir(path):
    """Returns false for a link that leaves the sandbox; a pattern may match its name."""
    try:
        return os.path.isdir(path)
    except PermissionError:
        return False


def _below(folder, include_hidden):
    """Returns the folder and all folders below it."""
    out = [folder]
    for name in _names(folder):
        path = os.path.join(folder, name)
        if (include_hidden or not name.startswith('.')) and _isdir(path):
            out.extend(_below(path, include_hidden))
    return out


def _folders(pattern, **options):
    if pattern and has_magic(pattern):
        return [p for p in glob(pattern, **options) if _isdir(p)]
    os.path.isdir(pattern or '.')  # raises an error if the sandbox does not contain it
    return [pattern]


def glob(pathname, *, recursive=False, include_hidden=False):
    if not has_magic(pathname):
        return [pathname] if os.path.exists(pathname) else []
    folder, last = os.path.split(pathname)
    out = []
    for base in _folders(folder, recursive=recursive, include_hidden=include_hidden):
        if last == '**' and recursive:
            for below in _below(base, include_hidden):
                out.append(below + '/' if below == base and below else below)
                out.extend(os.path.join(below, n) for n in _names(below)
                           if (include_hidden or not n.startswith('.')) and not _isdir(os.path.join(below, n)))
        elif has_magic(last):
            hidden = include_hidden or last.startswith('.')
            out.extend(os.path.join(base, n) for n in _names(base)
                       if fnmatchcase(n, last) and (hidden or not n.startswith('.')))
        elif os.path.exists(os.path.join(base, last)):
            out.append(os.path.join(base, last))
    return [p for p in out if p]


def iglob(pathname, **options):
    return iter(glob(pathname, **options))


def escape(pathname):
    return ''.join('[' + c + ']' if c in '*?[' else c for c in pathname)
