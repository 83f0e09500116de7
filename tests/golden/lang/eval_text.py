# eval, exec and compile: text that runs as Python.
x = 5
print(eval('x + 1'), eval(' [1, 2, 3]'), eval("{'a': (1, 2)}"))
exec('y = x * 2\nfor i in range(2):\n    y += i')
print(y, i)


def inside(a, b=2):
    c = a + b
    print(eval('c * a'), eval('sorted([c, a, x])'), eval('max(c, b)', {'c': 1, 'b': 7}))
    exec('d = c + 100\nprint(d, sorted(k for k in locals()))')
    names = {}
    exec('d = c + 1\ndef f(n):\n    return n * 3\n', globals(), names)
    print(sorted(names), names['f'](2)) if 'c' in globals() else print('no c')
    exec('e = [a, c]', {}, names) if False else exec('e = [1]', {}, names)
    return names


try:
    inside(3)
except NameError as e:
    print(type(e).__name__, e)
c = 9
print(sorted(inside(3)))

space = {'n': 4}
exec('def twice(k):\n    return k * n\nm = twice(3)\nn = 10', space)
print(sorted(k for k in space if not k.startswith('__')), space['m'], space['n'], space['twice'](2))
print(eval('[n for n in range(3)]', space), eval('n', space), eval('(lambda q: q + n)(1)', space))
exec('z = 1', globals())
print(z)
exec('class K(object):\n    def hello(self):\n        return super().__str__()[:1]\n')
print(K().hello())


class Body(object):
    a = 3
    b = eval('a + 1')
    exec('cc = b + 1')


print(Body.b, Body.cc)
code = compile('x + 100', 'file.py', 'eval')
print(eval(code), exec(compile('w = 3', 'f', 'exec')), w)
print(eval(b'1 + 1'), eval('None'), exec(''))
for text in ('1 +', 'a b', 'import os', ')', 'x = 1'):
    try:
        eval(text)
    except SyntaxError as e:
        print('SyntaxError')
try:
    exec('return 3')
except SyntaxError as e:
    print('SyntaxError')
for bad in (3, None, [1]):
    try:
        eval(bad)
    except TypeError as e:
        print(e)
try:
    eval('unknown_name')
except NameError as e:
    print(e)
try:
    exec('def g():\n    raise ValueError("inside")\ng()')
except ValueError as e:
    print(e)
try:
    eval('1', 3)
except TypeError as e:
    print('TypeError')
print(eval("__import__('math').sqrt(16)"))
print([eval(s) for s in ('1', '2.5', '"t"', '[1,2]')])
print(eval('lambda v: v * 2')(4))


def outer():
    exec('import math as mm\nr = mm.floor(2.5)\nprint(r)')
    return eval('outer.__name__')


print(outer())


# Each dict of globals is a namespace; there is no limit to their number.
print(sum(eval('x + 1', {'x': i}) for i in range(66000)))
pair = [{'x': 1}, {'x': 2, 'only': 3}]
print(sum(eval('x', pair[i % 2]) for i in range(66000)))
print('only' in pair[0], sorted(k for k in pair[1] if k[0] != '_'))


def failures():
    count = 0
    for i in range(66000):
        try:
            eval('unknown' if i % 2 else 'x / 0', {'x': i})
        except (NameError, ZeroDivisionError):
            count += 1
    return count


print(failures())

# A function sees the names of its dict after texts have run in other dicts, and those that are added later.
shared = {'x': 5}
exec('def f(): return x + y', shared)
for i in range(100):
    eval('x', {'x': i, 'y': i})
exec('y = 2', shared)
print(shared['f']())
made = [eval('lambda: x', {'x': i}) for i in range(200)]
print(sum(f() for f in made))
inside = {'x': 7}
print(eval("eval('x', {'x': 1}) + x + eval('x', inner)", {'x': 10, 'inner': inside}))
steps = eval('(x + k for k in range(3))', {'x': 40})
print(eval('x', {'x': 0}), list(steps))
