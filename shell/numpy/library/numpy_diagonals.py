"""numpy: triangles and diagonals of matrices."""


def tri(N, M=None, k=0, dtype=float):
    """Return a matrix with ones on and below a diagonal."""
    m = N if M is None else M
    return (np.arange(m).reshape(1, -1) <= np.arange(N).reshape(-1, 1) + k).astype(dtype)


def triu_indices(n, k=0, m=None):
    """Return the indices of the upper triangle of an n-by-n array."""
    return np.nonzero(tri(n, m, k - 1) == 0)


def tril_indices(n, k=0, m=None):
    """Return the indices of the lower triangle of an n-by-n array."""
    return np.nonzero(tri(n, m, k) != 0)


def diag_indices(n, ndim=2):
    """Return the indices of the main diagonal of an n-by-n array."""
    return (np.arange(n),) * ndim


def fill_diagonal(a, val, wrap=False):
    """Fill the main diagonal of an array in place."""
    for i in range(min(a.shape)):
        a[(i,) * a.ndim] = val


def diagflat(v, k=0):
    """Build a matrix with the flattened input as a diagonal."""
    return np.diag(np.ravel(v), k)


def vander(x, N=None, increasing=False):
    """Return the Vandermonde matrix of x."""
    x = np.asarray(x)
    n = len(x) if N is None else N
    powers = range(n) if increasing else range(n - 1, -1, -1)
    return np.stack([x ** p for p in powers], axis=1)


def tril_indices_from(arr, k=0):
    """Return the indices of the lower triangle of an array."""
    return np.tril_indices(arr.shape[-2], k=k, m=arr.shape[-1])


def triu_indices_from(arr, k=0):
    """Return the indices of the upper triangle of an array."""
    return np.triu_indices(arr.shape[-2], k=k, m=arr.shape[-1])


def diag_indices_from(arr):
    """Return the indices of the main diagonal of an array."""
    if arr.ndim < 2:
        raise ValueError('input array must be at least 2-d')
    return np.diag_indices(arr.shape[0], arr.ndim)
