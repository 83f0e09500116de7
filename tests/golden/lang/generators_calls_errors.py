def g(n):
    x = 0
    while x < n:
        r = yield x
        if r: x = r
        else: x += 1
    return 'done'
it = g(5); print(next(it), next(it), it.send(3), list(it))
def h():
    v = yield from g(2)
    print('v', v)
    try:
        yield 1
    except ValueError as e:
        print('caught', e); yield 99
    finally: print('fin')
k = h(); print(next(k), next(k), next(k), k.throw(ValueError('boo')))
try: next(k)
except StopIteration as e: print('stop', e.value)
def f():
    try:
        yield 1
        yield 2
    finally:
        print('closed')
x = f(); next(x); x.close(); print(list(x))
print(sum(i*i for i in range(10)), list(map(lambda a, b: a+b, [1,2],[3,4])), dict(zip('ab',[1,2])), [y for x in [[1,2],[3]] for y in x], {x%3 for x in range(9)})
def fibs():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a+b
import itertools
print(list(itertools.islice(fibs(), 10)))
def tree(n):
    if n:
        yield from tree(n-1)
        yield n
        yield from tree(n-1)
print(list(tree(3)))
def w():
    for fh in [0]:
        yield fh
print(list(w()))
try:
    def bad():
        yield 1
        raise StopIteration
    list(bad())
except RuntimeError as e: print('RT', e)
print([*range(3), *'ab'], {**{'a':1}, 'b':2}, (*[1],), {*[1,2]})
a, *b, c = range(5); print(a, b, c)
(a, b), c = (1, 2), 3; print(a, b, c)
[a, [b, *c]] = [1, [2, 3, 4]]; print(a,b,c)
for i, (j, k) in enumerate([(1,2),(3,4)]): print(i,j,k)
def outer():
    n = 0
    def inc():
        nonlocal n
        n += 1
        return n
    inc(); inc()
    return inc, lambda: n
i, l = outer(); print(i(), l())
fs = [lambda: i for i in range(3)]; print([f() for f in fs])
def kw(a, /, b, *, c=3, **d): return a, b, c, d
print(kw(1, 2), kw(1, b=5, c=6, e=7))
for call in ['kw()', 'kw(1)', 'kw(1,2,3)', 'kw(1,2,c=1,b=2)', 'kw(a=1,b=2)']:
    try: {'kw()': lambda: kw(), 'kw(1)': lambda: kw(1), 'kw(1,2,3)': lambda: kw(1,2,3), 'kw(1,2,c=1,b=2)': lambda: kw(1,2,c=1,b=2), 'kw(a=1,b=2)': lambda: kw(a=1,b=2)}[call]()
    except TypeError as e: print(call, e)
def ff(x, y=1): pass
for f in [lambda: ff(), lambda: ff(1,2,3), lambda: ff(1, z=2), lambda: ff(1, x=1), lambda: len(), lambda: len(1,2), lambda: [].append(), lambda: 'a'.join(1), lambda: int('x'), lambda: [][0], lambda: {}['k'], lambda: None + 1, lambda: 'a' + 1, lambda: 1 + 'a', lambda: [1] + (1,), lambda: 'a' * 'b', lambda: -'a', lambda: 1 < 'a', lambda: len(5), lambda: iter(5), lambda: next([]), lambda: 5(), lambda: (1,2)[5], lambda: undefined_name, lambda: [].foo, lambda: 1/0, lambda: 1//0, lambda: 1%0, lambda: 1.0/0, lambda: {[]: 1}, lambda: [1,2].index(3), lambda: int([]), lambda: float('z'), lambda: 'abc'.index('z'), lambda: max([]), lambda: chr(-1), lambda: ord('ab'), lambda: range(0,1,0), lambda: sum(['a']), lambda: sorted([1,'a']), lambda: dict([1]), lambda: [1,2,3].remove(9), lambda: [].pop(), lambda: set().pop(), lambda: {}.popitem(), lambda: '%d' % 'a', lambda: '%d %d' % 1, lambda: '%d' % (1,2), lambda: '{} {}'.format(1), lambda: '{a}'.format(b=1), lambda: 'x'.center('a'), lambda: isinstance(1, 2), lambda: 10**5 % 'a', lambda: int('1', 99), lambda: b'a' + 'b', lambda: (lambda x: x)(), lambda: [1][1.5], lambda: 'abc'['a'], lambda: {}.foo, lambda: round('a'), lambda: abs('a'), lambda: 2**-1 + 'a', lambda: pow(2, -1, 4), lambda: ''.join([1]), lambda: zip(1), lambda: list(5), lambda: tuple(1), lambda: set(1), lambda: [1,2,3][::0], lambda: str(b'a', 'zzz'), lambda: 'a'.encode('ascii').decode('utf8') + 1, lambda: float([]), lambda: hash([]), lambda: next(iter([]))]:
    try: f(); print('no error')
    except Exception as e: print(type(e).__name__, e)
