"""types: names of types that have no other name."""


class _Sample(object):
    def method(self):
        pass


def _generator():
    yield


FunctionType = LambdaType = type(_generator)
GeneratorType = type(_generator())
MethodType = type(_Sample().method)
BuiltinFunctionType = BuiltinMethodType = type(len)
ModuleType = type(np)
NoneType = type(None)
EllipsisType = type(...)
NotImplementedType = type(NotImplemented)
CodeType = type(_generator.__code__)


class SimpleNamespace(object):
    """An object whose attributes are given by keywords."""

    def __init__(self, **kwargs):
        self.__dict__.update(kwargs)

    def __repr__(self):
        return 'namespace(%s)' % ', '.join('%s=%r' % item for item in self.__dict__.items())

    def __eq__(self, other):
        return isinstance(other, SimpleNamespace) and self.__dict__ == other.__dict__


def new_class(name, bases=(), kwds=None, exec_body=None):
    names, kwds = {}, dict(kwds or {})
    if exec_body is not None:
        exec_body(names)
    return kwds.pop('metaclass', type)(name, tuple(bases), names, **kwds)
