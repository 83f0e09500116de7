"""importlib: import of modules by name."""
from _library import reload


def import_module(name, package=None):
    if name.startswith('.'):
        if not package:
            raise TypeError("the 'package' argument is required to perform a relative import for '%s'" % name)
        rest = name.lstrip('.')
        for _ in range(len(name) - len(rest) - 1):
            package = package.rpartition('.')[0]
        name = package + '.' + rest if rest else package
    return __import__(name, fromlist=('*',))
