# default_rng: PCG64's streams, its seeds, and every draw made of them.
import numpy as np


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


rng = np.random.default_rng(42)
print(rng, type(rng), type(rng.bit_generator), isinstance(rng, np.random.Generator))
print(rng.random(), rng.random(3), rng.random((2, 2), dtype=np.float32), rng.random(dtype='float32'))
print(rng.integers(10), rng.integers(0, 5, 8), rng.integers(1, 6, (2, 3), endpoint=True), type(rng.integers(3)))
print(rng.integers(0, 256, 5, dtype=np.uint8), rng.integers(-100, 100, 4, np.int16), rng.integers(2, size=6, dtype=bool))
print(rng.integers(0, 2**32, 2), rng.integers(0, 2**40, 2), rng.integers(0, 2**64 - 1, 2, np.uint64, True))
print(rng.integers([1, 10], [5, 20]), rng.integers(0, [[3], [9]], size=(2, 3)), rng.integers(7, dtype=int))
print(rng.standard_normal(4), rng.standard_normal(3, dtype=np.float32), rng.normal(10, 2), rng.normal([0, 100], [1, 10]))
print(rng.uniform(-1, 1, 3), rng.exponential(2.0, 3), rng.standard_exponential(2), rng.standard_exponential(2, method='inv'))
print(rng.standard_exponential(3, np.float32), rng.lognormal(0, 1, 2), rng.laplace(0, 1, 2), rng.logistic(0, 1, 2), rng.gumbel(0, 1, 2))
print(rng.gamma(0.5, 2, 2), rng.gamma(3, size=2), rng.standard_gamma(2.5), rng.beta(0.5, 0.5, 2), rng.beta(2, 3), rng.chisquare(3, 2))
print(rng.noncentral_chisquare(3, 1, 2), rng.f(3, 4), rng.noncentral_f(3, 4, 1), rng.standard_t(5, 2), rng.standard_cauchy(2))
print(rng.weibull(2, 2), rng.pareto(3, 2), rng.power(3, 2), rng.rayleigh(2, 2), rng.triangular(0, 1, 3, 2), rng.wald(1, 2, 2), rng.vonmises(0, 4, 2))
print(rng.poisson(3, 5), rng.poisson(50, 3), rng.binomial(10, 0.5, 4), rng.binomial(1000, 0.4, 3), rng.negative_binomial(3, 0.3, 3))
print(rng.geometric(0.1, 3), rng.geometric(0.5, 3), rng.zipf(2, 4), rng.logseries(0.9, 4))
print(rng.multinomial(10, [0.2, 0.3, 0.5], size=2), rng.multinomial([3, 4], [0.5, 0.5]))
print(rng.dirichlet([1, 2, 3]), rng.dirichlet([0.01, 0.02]))
print(rng.multivariate_normal([0, 1], [[1, 0.5], [0.5, 2]], 2), rng.multivariate_normal([0, 1], [[1, 0], [0, 4]], method='cholesky'))
print(rng.bytes(6))

x = np.arange(8)
rng.shuffle(x)
m = np.arange(12).reshape(3, 4)
rng.shuffle(m, axis=1)
words = ['a', 'b', 'c', 'd']
rng.shuffle(words)
print(x, m, words, rng.permutation(6), rng.permutation(m), rng.permutation(m, axis=1), sep='\n')
print(rng.permuted(m), rng.permuted(m, axis=1), rng.permuted([3, 1, 2]), sep='\n')
print(rng.choice(5), rng.choice(5, 3), rng.choice(['x', 'y', 'z'], 4), rng.choice(10, 4, replace=False), rng.choice(m, 2, axis=1))
print(rng.choice(5, 3, p=[0.1, 0.2, 0.3, 0.2, 0.2]), rng.choice(5, 3, replace=False, p=[0.1, 0.2, 0.3, 0.2, 0.2]))
print(rng.choice(100000, 3000, replace=False)[:5], rng.choice(100, 5, replace=False, shuffle=False))
print(rng.standard_normal(20000).sum().round(6), abs(rng.normal(size=50000)).max(), rng.exponential(size=50000).max())
held = np.zeros((2, 2))
print(rng.random(out=held) is held, held)

sequence = np.random.SeedSequence(2024)
print(sequence, sequence.generate_state(3), sequence.generate_state(2, np.uint64), sequence.pool)
children = sequence.spawn(2)
print(children, sequence.n_children_spawned, [np.random.default_rng(c).random() for c in children])
print([g.random() for g in np.random.default_rng(7).spawn(2)], np.random.SeedSequence([1, 2, 3], spawn_key=(5,), pool_size=8))
bits = np.random.PCG64(5)
print(bits.random_raw(), bits.random_raw(2), bits.seed_seq.entropy, np.random.Generator(bits).random())
state = bits.state
print(state, np.random.Generator(bits).random(2))
bits.state = state
print(np.random.Generator(bits).random(2), bits.advance(10).random_raw(), bits.jumped(2).random_raw())
print(np.random.default_rng([1, 2]).random(), np.random.default_rng(2**100).random(), np.random.default_rng(rng) is rng)

for wrong in (lambda: rng.integers(5, 5), lambda: rng.integers(-5), lambda: rng.integers(0, 300, dtype=np.uint8),
              lambda: rng.integers(-1, 3, dtype=np.uint8), lambda: rng.integers(0, 10, dtype=np.float32), lambda: rng.normal(0, -1),
              lambda: rng.normal([0, 1], [1, 2, 3]), lambda: rng.poisson(-1), lambda: rng.poisson([-1, 2]), lambda: rng.binomial(10, 2),
              lambda: rng.beta(0, 1), lambda: rng.uniform(3, 1), lambda: rng.uniform(0, np.inf), lambda: rng.choice(0),
              lambda: rng.choice([]), lambda: rng.choice(1.5), lambda: rng.choice([1, 2], 3, replace=False),
              lambda: rng.choice([1, 2], p=[1]), lambda: rng.choice([1, 2], p=[0.5, 0.6]), lambda: rng.shuffle(3),
              lambda: rng.shuffle([1, 2], axis=1), lambda: rng.permuted(3), lambda: rng.zipf(1), lambda: rng.geometric(0),
              lambda: rng.triangular(3, 2, 1), lambda: rng.random(3, dtype=np.int32), lambda: rng.random(3, out=np.zeros(2)),
              lambda: np.random.default_rng(-1), lambda: np.random.default_rng(1.5), lambda: np.random.SeedSequence(1, pool_size=2)):
    attempt(wrong)

# RandomState has the same distributions, some by older formulas.
old = np.random.RandomState(1)
print(old.laplace(size=2), old.vonmises(1, 2, 2), old.geometric(0.1, 3), old.logseries(0.8, 4), old.wald(1, 2, 2), old.f(3, 4), old.zipf(2, 3))
print(old.noncentral_f(3, 4, 1), old.noncentral_chisquare(3, 1), old.negative_binomial(2, 0.3, 3), old.dirichlet([1, 2]), old.multinomial(5, [0.5, 0.5]))
print(np.random.RandomState(3).multivariate_normal([0, 0], [[1, 0.5], [0.5, 2]], 2), old.pareto(2, 2), old.power(2), old.rayleigh(2))
words = np.arange(4, dtype=np.uint32)
print(words.view(np.uint64), words.view(np.uint8).shape, words.reshape(2, 2).view(np.uint16).shape)
attempt(lambda: words[:3].view(np.uint64))
attempt(lambda: words[::2].view(np.uint64))


class Away(object):
    __module__ = 'somewhere.else'


print(Away, Away.__module__)
Away.__module__ = 'here'
print(Away)
np.random.seed(9)
print(np.random.f(3, 4), np.random.geometric(0.2, 3), np.random.logseries(0.7, 3), np.random.negative_binomial(3, 0.4), np.random.zipf(3, 3))
print(np.random.noncentral_chisquare(3, 1), np.random.noncentral_f(3, 4, 1), np.random.vonmises(0, 1), np.random.wald(1, 2, 2))
