# np.linalg of four types, of stacks, and its errors.
import numpy as np
r = np.random.RandomState(0)
np.set_printoptions(precision=6, suppress=True)
def show(*vs):
    for v in vs: print(v if isinstance(v,(int,str,tuple)) else (getattr(v,'dtype',None), np.round(np.atleast_1d(v), 5) + 0.0))
for dt in (np.float64, np.float32, np.complex128, np.complex64):
    a = r.randn(4,4).astype(dt)
    if np.dtype(dt).kind == 'c': a = (a + 1j*r.randn(4,4)).astype(dt)
    h = a + a.conj().T
    show(np.linalg.eigvals(a), *np.linalg.eig(a))
    show(np.linalg.eigvalsh(h), *np.linalg.eigh(h), np.linalg.eigvalsh(h,'U'))
    show(*np.linalg.svd(a[:3]), *np.linalg.svd(a[:,:2], full_matrices=False), np.linalg.svd(a, compute_uv=False))
    show(np.linalg.det(a), *np.linalg.slogdet(a), np.linalg.inv(a), np.linalg.solve(a, a[0]), np.linalg.solve(a, a[:, :2]))
    show(*np.linalg.qr(a[:3]), *np.linalg.qr(a[:,:2]), *np.linalg.qr(a[:,:2],'complete'), np.linalg.qr(a,'r'))
    p = a.dot(a.conj().T) + 4*np.eye(4, dtype=dt)
    show(np.linalg.cholesky(p))
    show(*np.linalg.lstsq(a[:,:2], a[0], rcond=None)[:2], np.linalg.lstsq(a[:,:2], a[0], rcond=None)[2], np.linalg.lstsq(a[:2], a[:2,:3], rcond=-1)[0])
    show(np.linalg.pinv(a[:2]), np.linalg.matrix_rank(a), np.linalg.cond(a))
s = r.randn(2,3,3,3)
show(*np.linalg.eig(s[0]), np.linalg.inv(s), np.linalg.det(s), np.linalg.solve(s, s[...,:1]), *np.linalg.svd(s), np.linalg.eigvals(s))
show(np.linalg.inv([[1,2],[3,4]]), np.linalg.det([[1,2],[3,4]]), np.linalg.det(np.zeros((0,0))), np.linalg.inv(np.zeros((0,0))).shape, np.linalg.eigvals(np.zeros((0,0))).shape)
print(np.linalg.det([[1,2],[3,4]]), np.linalg.inv([[1,2],[3,4]]), np.linalg.solve([[3,1],[1,2]],[9,8]))
for f in (lambda: np.linalg.inv([[1,2],[2,4]]), lambda: np.linalg.inv([1,2]), lambda: np.linalg.inv([[1,2,3],[2,4,3]]), lambda: np.linalg.cholesky([[1,2],[2,1]]),
          lambda: np.linalg.eig([[np.inf,1],[1,1]]), lambda: np.linalg.solve([[1,2],[3,4]],[1,2,3]), lambda: np.linalg.eigh([[1,2],[3,4]], 'X'), lambda: np.linalg.svd([1,2]), lambda: np.linalg.lstsq([[1,2],[3,4]],[1,2,3],rcond=None)):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
show(*[v.shape for v in np.linalg.svd(np.zeros((0, 2, 3)))], np.linalg.inv(np.zeros((2, 0, 3, 3))).shape, np.linalg.lstsq(np.zeros((0, 3)), np.zeros(0), rcond=None)[0])
for f in (lambda: np.linalg.svd([[np.nan, 1], [1, 1]]),):
    try: print(f())
    except np.linalg.LinAlgError as e: print(e)
