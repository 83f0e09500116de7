import copy, functools, itertools, math, operator, os, random, string, sys, time

print(math.acos(0.5), math.asin(0.5), math.atan(2), math.cosh(1), math.tan(1), math.degrees(1), math.radians(90))
print(math.cbrt(27), math.copysign(2, -0.0), math.dist([0, 0], [3, 4]), math.erf(0.5), math.exp2(3), math.fabs(-2), math.frexp(10), math.ldexp(0.5, 4))
print(math.isfinite(1), math.isfinite(math.inf), math.isqrt(17), math.lcm(4, 6), math.modf(2.75), math.nextafter(1, 2), math.remainder(7, 4), math.tau)
print(math.trunc(-2.7), math.comb(5, 2), math.perm(5, 2), math.prod([1, 2, 3]), math.log(8, 2), math.gcd(12, 18))
print(list(itertools.combinations_with_replacement('abc', 2)), list(itertools.dropwhile(lambda x: x < 3, [1, 4, 1])))
print(list(itertools.filterfalse(lambda x: x % 2, range(6))), list(itertools.pairwise('abcd')), list(itertools.starmap(pow, [(2, 3), (3, 2)])))
a, b = itertools.tee([1, 2, 3])
print(list(a), list(b))
print(string.ascii_letters, string.ascii_uppercase, string.hexdigits, string.octdigits, repr(string.whitespace), len(string.printable))
print(string.capwords('hello big  world'))


@functools.cache
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(50))


def wrapper():
    pass


def wrapped():
    "What it does."


functools.update_wrapper(wrapper, wrapped)
print(wrapper.__name__, wrapper.__doc__)
random.seed(11)
print(random.betavariate(2, 3), random.gammavariate(0.5, 2), random.gammavariate(3, 1), random.gammavariate(1, 1))
print(random.lognormvariate(0, 0.5), random.paretovariate(2), random.weibullvariate(1, 1.5))
print(os.path.isabs('/a'), os.path.normpath('a//b/../c'), os.path.isdir('.'), repr(os.linesep), os.getenv('NO_SUCH_VARIABLE', 'none'))
print(sys.byteorder, sys.getrecursionlimit() >= 500, sys.version_info[0], sys.getsizeof(1) > 0)
try:
    1 / 0
except ZeroDivisionError:
    print(sys.exc_info()[0].__name__, sys.exc_info()[1])
t = time.perf_counter()
time.sleep(0.001)
print(time.perf_counter() > t, time.monotonic() > 0, time.process_time() >= 0, time.time_ns() > 0, time.perf_counter_ns() > 0)
print(time.strftime('%Y-%m-%d', time.gmtime(0)), time.gmtime(86400)[2], type(time.ctime()).__name__, time.localtime()[0] > 2000)
print(operator.mul(3, 4), operator.itemgetter(0, 2)('abc'), copy.copy([1, [2]]), copy.deepcopy({'a': [1]}))
