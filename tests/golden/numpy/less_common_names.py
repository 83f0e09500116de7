# Functions of numpy that scripts call now and then: polynomials, windows, sums over indices, files.
import os
import tempfile
import numpy as np


def show(*values):
    for v in values:
        print(type(v).__name__, repr(v), getattr(v, 'dtype', ''))


def fails(function, *args):
    try:
        show(function(*args))
    except Exception as e:
        print(type(e).__name__, e)


a = np.array([[3, 1, 2], [9, 7, 8]])
f = np.array([[1.5, np.nan, 2.5], [0.0, 4.0, np.nan]])

print('--- einsum')
m, v = np.arange(6).reshape(2, 3), np.array([1.0, 2.0, 3.0])
show(np.einsum('ij,j->i', m, v), np.einsum('ij->ji', m), np.einsum('ii', np.arange(9).reshape(3, 3)))
show(np.einsum('ij,kj->ik', m, m), np.einsum('i,j', v, v), np.einsum('ij,ij->', m, m), np.einsum('ii->i', np.eye(3)))
show(np.einsum('bij,bjk->bik', np.arange(8).reshape(2, 2, 2), np.arange(8.0).reshape(2, 2, 2)))
show(np.einsum('...j,j->...', m, v), np.einsum('ij,jk,kl', m, m.T, m), np.einsum('i->', v))
fails(np.einsum, 'ij,j', m)
fails(np.einsum, 'ij->k', m)

print('--- polynomials')
show(np.polyadd([1, 2], [3, 4, 5]), np.polysub([1, 2], [3, 4, 5]), np.polymul([1, 2], [1, -1]))
show(np.polydiv([1.0, -3.0, 2.0], [1.0, -1.0]), np.polyder([1, 2, 3]), np.polyder([4, 3, 2, 1], 2), np.polyint([3, 2, 1]))
show(np.polyint([1.0], 2), np.poly([1, 2, 3]), np.trim_zeros(np.array([0, 0, 1, 2, 0])), np.trim_zeros([0, 5, 0], 'f'))

print('--- windows')
for window in (np.bartlett, np.blackman, np.hamming, np.hanning):
    show(np.round(window(5), 6), window(1), window(0))

print('--- along an axis')
order = np.argsort(a, axis=1)
show(np.take_along_axis(a, order, axis=1))
b = a.copy()
np.put_along_axis(b, np.array([[0], [1]]), 99, axis=1)
show(b, np.apply_over_axes(np.sum, np.arange(24).reshape(2, 3, 4), [0, 2]))
show(np.nanmedian(f), np.nanmedian(f, axis=1), np.nanprod(f), np.nanvar(f, axis=0), np.nanvar(f, ddof=1))
show(np.nanpercentile(f, 50), np.nanquantile(f, 0.25), np.nanargmin(f), np.nanargmin(f, axis=1))

print('--- indices and masks')
show(np.tril_indices_from(np.zeros((2, 3))), np.triu_indices_from(np.zeros((2, 2))), np.diag_indices(2), np.diag_indices_from(np.zeros((2, 2))))
b = np.arange(5)
np.place(b, b > 2, [10, 20, 30])
show(b)
np.putmask(b, b < 3, [7, 8, 9, 10, 11])
show(b)
c = np.zeros(3)
np.copyto(c, [1, 2, 3])
np.copyto(c, 9.0, where=[True, False, True])
show(c, np.setxor1d([1, 2, 3], [3, 4]), np.broadcast_shapes((2, 1), (3,), (1, 3)))
fails(np.broadcast_shapes, (2,), (3,))
show(np.index_exp[1:3, 0], np.dsplit(np.arange(8).reshape(2, 2, 2), 2))
show(np.argpartition(np.array([5, 1, 4]), 1)[1], np.alltrue([1, 0]), np.sometrue([1, 0]), np.may_share_memory(a, a), np.may_share_memory(a, a + 1))

print('--- numbers')
show(np.isrealobj([1.0]), np.iscomplexobj([1j]), np.iscomplex([1j, 2]), np.real_if_close([1 + 0j, 2 + 0j]))
show(np.gcd(12, 18), np.gcd([12, 7], 6), np.lcm(4, 6), np.lcm([3, 4], [5, 6]), np.logaddexp2(1.0, 2.0))
show(np.isposinf([np.inf, -np.inf, 1]), np.isneginf([np.inf, -np.inf, 1]), np.fmin([1, np.nan], [np.nan, 0.5]))
show(np.float_power([2, 3], 2), np.unwrap([0.0, 3.0, 6.5, 10.0]), np.packbits([1, 0, 1, 1, 0, 0, 0, 0, 1]))
show(np.unpackbits(np.array([3, 128], np.uint8)), np.frompyfunc(lambda x, y: x + y, 2, 1)([1, 2], [3, 4]))
fails(np.asarray_chkfinite, [1.0, np.nan])
show(np.histogram_bin_edges([1, 2, 3, 4], 3), np.histogram2d([0, 1, 1], [0, 0, 1], 2))
print(np.common_type(np.arange(3)), int(np.ulonglong(6)), int(np.longlong(7)))
show(np.byte(3), np.ubyte(200), np.short(-1), np.ushort(1), np.uintc(5))
show(np.csingle(1j), np.cdouble(2j), np.Infinity, np.PZERO, np.NZERO, np.typecodes['Float'], np.little_endian)
print(np.string_ is np.bytes_, np.unicode_ is np.str_, np.dtype(np.object_), np.longlong(3) == 3)

print('--- linear algebra')
values, vectors = np.linalg.eigh(np.array([[2.0, 1.0], [1.0, 2.0]]))
show(np.round(values, 6), np.round(abs(vectors), 6))
show(np.round(np.linalg.multi_dot([np.eye(2), np.array([[1.0, 2.0], [3.0, 4.0]]), np.ones((2, 1))]), 6))

print('--- transforms')
x = np.array([1.0, 2.0, 0.0, -1.0])
show(np.round(np.fft.fft(x), 6) + 0.0, np.round(np.fft.ifft(np.fft.fft(x)).real, 6), np.round(np.fft.rfft(x), 6) + 0.0)
show(np.round(np.fft.irfft(np.fft.rfft(x)), 6), np.round(abs(np.fft.fft(x, 6)), 6), np.round(abs(np.fft.fft(x, 3)), 6))
show(np.round(abs(np.fft.fft2(np.eye(3))), 6), np.round(np.fft.ifft2(np.fft.fft2(np.eye(2))).real, 6))
show(np.round(abs(np.fft.rfft2(np.arange(6.0).reshape(2, 3))), 6), np.round(abs(np.fft.fft(x, norm='ortho')), 6))
show(np.fft.fftfreq(5, 0.1), np.fft.rfftfreq(4), np.fft.fftshift(np.arange(5)), np.fft.ifftshift(np.arange(5)))

print('--- files')
folder = tempfile.mkdtemp()
name = os.path.join(folder, 'table.csv')
np.savetxt(name, a, fmt='%d', delimiter=',', header='p,q,r')
print(open(name).read())
show(np.loadtxt(name, delimiter=','), np.loadtxt(name, delimiter=',', dtype=int, usecols=[0, 2]), np.genfromtxt(name, delimiter=',', skip_header=1))
np.savez(os.path.join(folder, 'some.npz'), a=a, f=f)
np.savez_compressed(os.path.join(folder, 'small.npz'), a)
with np.load(os.path.join(folder, 'some.npz')) as loaded:
    show(sorted(loaded.files), loaded['a'])
show(np.load(os.path.join(folder, 'small.npz'))['arr_0'])
for each in os.listdir(folder):
    os.remove(os.path.join(folder, each))
os.rmdir(folder)
