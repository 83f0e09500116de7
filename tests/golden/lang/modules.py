import random, collections, itertools, functools, math, string, os, sys, time
from collections import namedtuple, OrderedDict, defaultdict, Counter, deque
import os.path as osp
random.seed(42)
print(random.random(), random.randint(1, 10), random.uniform(0, 5), random.choice('abc'), random.gauss(0, 1))
l = list(range(10)); random.shuffle(l); print(l, random.sample(range(100), 5), random.sample(range(1000), 3))
print(random.choices([1,2,3], weights=[1,2,3], k=5), random.getrandbits(70), random.randrange(0, 100, 7))
random.seed('hello'); print(random.random())
random.seed(2.5)
random.seed(10**30); print(random.random(), random.normalvariate(0,1), random.expovariate(2), random.triangular(0,1,0.3))
r = random.Random(5); print(r.random(), r.randint(0, 9))
P = namedtuple('P', 'x y'); p = P(1, y=2)
print(p, p.x, p._asdict(), p._replace(x=5), P._make([3,4]), p == (1,2), P._fields, isinstance(p, tuple))
class Q(P):
    def norm(self): return self.x + self.y
print(Q(1,2).norm(), Q(3,4))
try: P(1)
except TypeError as e: print(e)
try: p.x = 3
except AttributeError as e: print(e)
d = OrderedDict([('a',1),('b',2)]); d.move_to_end('a'); print(d, list(d), d.popitem(last=False))
dd = defaultdict(list); dd['x'].append(1); print(dd, dd['y'], len(dd))
c = Counter('abracadabra'); print(c, c.most_common(2), c['z'], sorted(c.elements())[:3]); c.update('aaa'); print(c['a'], sum(c.values()))
print(Counter(a=3,b=1) + Counter(a=1,c=2), Counter(a=3,b=1) - Counter(a=1,c=2))
q = deque([1,2,3], maxlen=3); q.append(4); q.appendleft(0); print(q, q.popleft(), q[0], len(q)); q.rotate(1); print(list(q), deque([1]))
print(list(itertools.chain([1],[2,3])), list(itertools.chain.from_iterable([[1],[2]])), list(itertools.islice(itertools.count(5,2), 3)))
print(list(itertools.product('ab', repeat=2)), list(itertools.permutations([1,2,3], 2)), list(itertools.combinations(range(4), 2)))
print(list(itertools.accumulate([1,2,3])), list(itertools.accumulate([1,2,3], lambda a,b: a*b)), [(k, list(g)) for k, g in itertools.groupby('aabbc')])
print(list(itertools.zip_longest([1,2],[3], fillvalue=0)), list(itertools.takewhile(lambda x: x<3, [1,2,3,1])), list(itertools.repeat(1,3)), list(itertools.islice('abcdef', 1, 5, 2)))
print(functools.reduce(lambda a,b: a+b, [1,2,3], 10), functools.partial(int, base=2)('101'))
def deco(f):
    @functools.wraps(f)
    def w(*a, **k):
        "w doc"
        return f(*a, **k)
    return w
@deco
def foo(x):
    "foo doc"
    return x
print(foo.__name__, foo.__doc__, foo(3))
@functools.lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n-1) + fib(n-2)
print(fib(80))
print(math.factorial(20), math.gcd(12, 18), math.sqrt(16), math.isclose(0.1+0.2, 0.3), math.log(8, 2), math.log10(1000), math.floor(2.7), math.ceil(2.1), math.hypot(3,4), math.fsum([.1]*10), math.inf, math.comb(5,2))
try: math.sqrt(-1)
except ValueError as e: print(e)
try: math.log(0)
except ValueError as e: print(e)
print(string.ascii_lowercase, string.digits, string.punctuation)
sys.stdout.write('w\n')
print(sorted([3,1,2], key=functools.cmp_to_key(lambda a,b: b-a)))
