"""numbers: abstract classes of numbers, for isinstance."""


class _Kind(type):
    def __instancecheck__(cls, value):
        return isinstance(value, cls._types)

    def __subclasscheck__(cls, other):
        return issubclass(other, cls._types)


class Number(metaclass=_Kind):
    _types = (int, float, complex, np.number)


class Complex(Number):
    _types = (int, float, complex, np.number)


class Real(Complex):
    _types = (int, float, np.integer, np.floating)


class Rational(Real):
    _types = (int, np.integer)


class Integral(Rational):
    _types = (int, np.integer)
