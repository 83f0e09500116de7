"""typing: names for annotations, which are not checked."""


class _Form(object):
    def __init__(self, name):
        self._name = name

    def __getitem__(self, parameters):
        return self

    def __call__(self, *args, **kwargs):
        raise TypeError('Type %s cannot be instantiated' % self._name)

    def __repr__(self):
        return 'typing.' + self._name


Any, Callable, ClassVar, Dict, FrozenSet = [_Form(n) for n in 'Any Callable ClassVar Dict FrozenSet'.split()]
Generator, Iterable, Iterator, List = [_Form(n) for n in 'Generator Iterable Iterator List'.split()]
Mapping, Optional, Sequence, Set, Text = [_Form(n) for n in 'Mapping Optional Sequence Set Text'.split()]
Tuple, Type, Union, AnyStr, NoReturn, Hashable = [_Form(n) for n in 'Tuple Type Union AnyStr NoReturn Hashable'.split()]
Collection, Container, Sized, Reversible = [_Form(n) for n in 'Collection Container Sized Reversible'.split()]
MutableMapping, MutableSequence, MutableSet = [_Form(n) for n in 'MutableMapping MutableSequence MutableSet'.split()]
DefaultDict, OrderedDict, Counter, Deque = [_Form(n) for n in 'DefaultDict OrderedDict Counter Deque'.split()]
Literal, Final, Protocol = [_Form(n) for n in 'Literal Final Protocol'.split()]
TYPE_CHECKING = False


class NamedTuple(object):
    pass


def TypeVar(name, *constraints, bound=None, covariant=False, contravariant=False):
    return _Form(name)


def cast(typ, val):
    return val
