def f(n):
    try:
        if n == 0: return 'ret'
        if n == 1: raise ValueError('v')
        if n == 2: 1/0
        if n == 3: raise KeyError('k') from ValueError('cause')
    except ValueError as e:
        return 'VE ' + str(e)
    except (ZeroDivisionError, TypeError):
        return 'ZD'
    else:
        return 'else'
    finally:
        print('finally', n)
for i in range(6):
    try: print(f(i))
    except KeyError as e: print('KeyError', e, repr(e.__cause__))
def g():
    for i in range(5):
        try:
            if i == 1: continue
            if i == 3: break
            print('i', i)
        finally: print('f', i)
    else: print('no')
    return i
print(g())
def h():
    try:
        try: raise ValueError(1)
        finally: print('inner')
    except ValueError as e:
        try: raise TypeError(2)
        except TypeError as t:
            print(t.__context__, e)
        try: raise
        except ValueError as again: print('again', again)
    try: e
    except NameError as n: print(n)
h()
def k():
    while True:
        try: return 1
        finally: break
    return 2
print(k())
def m():
    for x in [1,2,3]:
        try:
            try: raise KeyError(x)
            except KeyError: 
                if x == 2: return 'two'
                continue
            finally: print('x', x)
        finally: print('outer', x)
print(m())
def n():
    try: return 'a'
    finally: return 'b'
print(n())
try:
    try: raise ValueError('a')
    except ValueError: raise TypeError('b')
except TypeError as e: print(e, repr(e.__context__), e.__cause__)
try: assert 1 == 2, 'msg'
except AssertionError as e: print('AE', e)
try: assert False
except AssertionError as e: print('AE', repr(e))
try: raise Exception
except Exception as e: print(repr(e), e.args)
try: raise 5
except TypeError as e: print(e)
try: raise
except RuntimeError as e: print(e)
def rec(n): return rec(n+1)
try: rec(0)
except RecursionError as e: print(e)
def deep(n): return 0 if n == 0 else 1 + deep(n-1)
print(deep(900))
try: x = y_undefined
except NameError as e: print(e)
def loc():
    print(zz)
    zz = 1
try: loc()
except UnboundLocalError as e: print(e)
class CM:
    def __init__(s, n): s.n = n
    def __enter__(s): print('in', s.n); return s.n
    def __exit__(s, *a): print('out', s.n, a[0]); return False
def w():
    with CM(1) as a, CM(2) as b:
        return a + b
print(w())
for i in range(3):
    with CM(i):
        if i == 1: break
try:
    with CM(1):
        with CM(2): raise ValueError('z')
except ValueError: print('ok')
try: int('x')
except ValueError as e: print(e)
try: {}['a']
except KeyError as e: print(e, e.args)
try: open('no_such_folder/x')
except FileNotFoundError as e: print(e, e.errno)
except IOError as e: print('io', e)
try: import nosuch
except ImportError as e: print(type(e).__name__, e)
try: raise ImportError('x')
except ImportError as e: print(type(e).__name__, e)
print(issubclass(KeyError, LookupError), issubclass(FileNotFoundError, OSError), IOError is OSError)
e = ValueError('a', 2); print(e, repr(e), str(ValueError()), KeyError('x'), repr(KeyError('x')), StopIteration(3).value)
try:
    try: 1/0
    except ZeroDivisionError as e: raise ValueError('new') from e
except ValueError as v: print(repr(v.__cause__), v.__suppress_context__ if hasattr(v,'__suppress_context__') else True)
x = 0
while x < 3:
    x += 1
    if x == 2: continue
else: print('while else', x)
for i in []: pass
else: print('for else')
print(1 if x else 2, x and 5, x or 6, not x, 1 < x < 5, 1 < x > 5, x == 3 != 4, x in [3], x not in [3], x is None)
if (n := len('abc')) > 2: print('walrus', n)
print([y := 1, y**2], [z for w in range(3) if (z := w) ])
del x
try: x
except NameError as e: print(e)
global_var = 1
def setg():
    global global_var
    global_var = 2
setg(); print(global_var)
l = [1,2,3,4,5]; l[1:3] = [9]; print(l); l[::2] = [0,0]; print(l); del l[0]; print(l); del l[:]; print(l)
l = list(range(10)); l[2:5] = []; print(l, l[-1], l[-3:], l[::-1], l[1:-1:2]); del l[::3]; print(l)
d = {'a': {'b': [1,2]}}; d['a']['b'][0] += 5; d['c'] = d['x'] = 3; print(d)
i = 5; i -= 1; i *= 3; i //= 2; i **= 2; i %= 7; i <<= 3; i |= 1; i ^= 2; i &= 0xff; i >>= 1; print(i)
s = 'a'; s += 'b'; s *= 2; print(s)
t = (1,); t += (2,); print(t)
