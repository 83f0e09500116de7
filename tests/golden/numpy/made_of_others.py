# Functions that are made of others: grids, joins by index, polynomials, padding, decompositions, distributions.
import numpy as np

print(np.mgrid[0:2, 0:3], np.mgrid[-1:1:5j], np.ogrid[:2, :3])
print(np.c_[[1, 2], [3, 4]], np.r_[1, 2, 5:8, [9.5]], np.c_[np.ones((2, 2)), [7, 8]], np.s_[1:3, ..., None])
print(np.unravel_index(7, (2, 4)), np.unravel_index([1, 5], (2, 3)), np.ravel_multi_index(([0, 1], [2, 1]), (2, 3)))
print(list(np.ndenumerate([[1, 2], [3, 4]])), list(np.ndindex(2, 2)))
print(np.tri(3, 4, 1, dtype=int), np.triu_indices(3), np.tril_indices(2), np.indices((2, 2)))
a = np.zeros((3, 3))
np.fill_diagonal(a, 5)
print(a, np.vander([1, 2, 3]), np.diagflat([1, 2]))
print(np.polyval([1, 2, 3], 2), np.round(np.polyfit([0, 1, 2, 3], [1, 3, 7, 13], 2), 6), np.convolve([1, 2, 3], [0, 1, 0.5]))
p = np.poly1d([1, -3, 2])
print(p(3), p.order, p.deriv().coeffs, (p * p).coeffs, repr(p))
print(np.convolve([1, 2, 3, 4], [1, 1, 1], 'same'), np.convolve([1, 2, 3, 4], [1, 1], 'valid'), np.correlate([1, 2, 3], [0, 1, 0.5]))
print(np.gradient([1., 2., 4., 7.]), np.gradient(np.array([1, 4, 9]), 2.0), np.ediff1d([1, 3, 6]))
print(np.pad([1, 2, 3], 2), np.pad([1, 2, 3], (1, 2), mode='edge'), np.pad([1, 2, 3], 2, mode='reflect'), np.pad([1, 2, 3], 3, mode='wrap'))
print(np.pad([[1, 2]], ((1, 0), (0, 2)), mode='constant', constant_values=9), np.pad([1, 2, 3], 4, mode='symmetric'))
x = np.arange(6)
print(np.select([x < 2, x > 3], [x, x * 10], -1), np.piecewise(x * 1.0, [x < 3, x >= 3], [lambda v: -v, 7]))
print(np.compress([1, 0, 1], [5, 6, 7]), np.extract(x % 2 == 0, x), np.choose([0, 1, 0], [[1, 2, 3], [7, 8, 9]]))
print(np.lexsort(([1, 0, 1], [2, 1, 1])), np.rollaxis(np.zeros((2, 3, 4)), 2).shape, [b.shape for b in np.broadcast_arrays([1, 2], [[3]])])
print(np.block([[np.ones((1, 2)), np.zeros((1, 1))], [np.zeros((1, 3))]]), np.fromiter((i * i for i in range(4)), int))
print(np.fix([2.7, -2.7]), np.heaviside([-1., 0, 2], 0.5), np.fmax([1, np.nan], [0, 3]), np.isreal([1, 1j]), np.angle(1j, deg=True))
print(np.modf(2.25), np.sinc([0, 0.5]).round(6), np.nanargmax([1, np.nan, 3]), np.nancumsum([1, np.nan, 2]), np.nanstd([1, np.nan, 3]))
print(np.base_repr(255, 16), np.binary_repr(5, 8), np.binary_repr(-3, 4), np.geomspace(1, 1000, 4), np.fromstring('1 2 3', sep=' '))
m = np.array([[4., 2.], [2., 3.]])
print(np.linalg.cholesky(m).round(6), np.linalg.svd(m)[1].round(6), np.linalg.eigvalsh(m).round(6), np.linalg.matrix_rank(m))
q, r = np.linalg.qr(np.array([[1., 2.], [3., 4.], [5., 6.]]))
print(q.round(6), r.round(6), np.linalg.matrix_power([[1, 1], [1, 0]], 6), tuple(np.linalg.slogdet(m)))
x, left, rank, s = np.linalg.lstsq(np.c_[[0., 1., 2., 3.], np.ones(4)], [-1, 0.2, 0.9, 2.1], rcond=None)
print(x.round(6), left.round(6), rank, s.round(6), np.linalg.pinv([[1., 2.], [3., 4.], [5., 6.]]).round(6))
np.random.seed(3)
for name, args in [('laplace', ()), ('logistic', (1.0, 2.0)), ('gumbel', ()), ('rayleigh', (2.0,)), ('weibull', (1.5,)), ('pareto', (3.0,)),
                   ('power', (2.0,)), ('chisquare', (3,)), ('standard_cauchy', ()), ('standard_t', (5,)), ('triangular', (0, 1, 3)),
                   ('standard_exponential', ()), ('standard_gamma', (2.0,))]:
    print(name, getattr(np.random, name)(*args, size=3).round(8))
print(np.random.multinomial(10, [0.2, 0.3, 0.5], size=2), np.random.dirichlet([1.0, 2.0]).round(8))
print(np.random.multivariate_normal([0, 1], [[1, 0], [0, 0.25]], 2).round(6))
for wrong in (lambda: np.unravel_index(9, (2, 2)), lambda: np.linalg.cholesky([[1., 2.], [2., 1.]]), lambda: np.convolve([], [1])):
    try:
        wrong()
    except (ValueError, np.linalg.LinAlgError) as e:
        print(type(e).__name__, e)
