"""Stand-ins for packages that tensh does not have. A script may import one, and fails at its first use."""


class _Absent(object):
    """A name of a package that is not there. Its attributes are stand-ins as well."""

    def __init__(self, name, why):
        self.__dict__.update(_name=name, _why=why)

    def __getattr__(self, name):
        if name == '__all__':
            self()
        if name[:2] == '__' or name == '_library':
            raise AttributeError(name)
        return _Absent(self._name + '.' + name, self._why)

    def __repr__(self):
        return "<%s, which tensh does not have>" % self._name

    def _refuse(self, *args, **kwargs):
        package = self._name.split('.')[0]
        used = '' if package == self._name else ' (for %s)' % self._name
        raise ModuleNotFoundError("No module named '%s'%s: %s" % (package, used, self._why))

    __call__ = __getitem__ = __iter__ = __len__ = __enter__ = __mro_entries__ = __contains__ = _refuse
    __add__ = __radd__ = __sub__ = __mul__ = __rmul__ = __lt__ = __gt__ = __int__ = __float__ = _refuse

    def __setattr__(self, name, value):
        self.__dict__[name] = value  # a switch of the package, such as ImageFile.LOAD_TRUNCATED_IMAGES

    def __exit__(self, *args):
        pass


def module(name, why):
    return _Absent(name, why)
