# Attributes of functools.partial objects and of wrapped functions.
import functools


def add(a, b=2):
    """Adds."""
    return a + b


add.default_size = 224
plus_three = functools.update_wrapper(functools.partial(add, b=3), add)
print(plus_three.__name__, plus_three.__doc__, plus_three(1), plus_three.__wrapped__ is add, plus_three.default_size)
plus_three.extra = 5
print(plus_three.extra, 'extra' in plus_three.__dict__, 'extra' in vars(plus_three))
del plus_three.extra
print(hasattr(plus_three, 'extra'))

seven = functools.partial(plus_three, 4)
print(seven(), seven.args, seven.keywords, hasattr(seven, '__name__'))
seven.default_size = 32
print(seven.default_size, add.default_size)


@functools.wraps(add)
def traced(*args):
    return add(*args)


print(traced.__name__, traced(1), traced.default_size)


class Caller:
    def __call__(self, x):
        return x


caller = functools.update_wrapper(Caller(), add)
print(caller.__name__, caller(3), caller.default_size)
