"""six: names for both Pythons."""
import abc

import six
from six.moves import range, xrange

print(six.PY2, six.PY3, six.string_types, six.integer_types, six.text_type, six.binary_type, six.b('a'), six.u('ä'), six.ensure_str(b'x'), six.ensure_str('y'))
d = {'a': 1, 'b': 2}
print(sorted(six.iteritems(d)), sorted(six.iterkeys(d)), sorted(six.itervalues(d)), list(xrange(3)), list(range(2)))


class A(six.with_metaclass(abc.ABCMeta, object)):
    @abc.abstractmethod
    def f(self):
        pass


@six.add_metaclass(abc.ABCMeta)
class B(object):
    @abc.abstractmethod
    def f(self):
        pass


@six.python_2_unicode_compatible
class C(A):
    def f(self):
        return 'f'


for cls in (A, B, C):
    try:
        print(cls().f())
    except TypeError as e:
        print(e)
