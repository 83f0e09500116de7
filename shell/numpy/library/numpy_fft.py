"""numpy.fft: Fourier transforms, computed by TensorFlow's kernels in double precision."""


def _run(build, a):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(build(tf.constant(a)))


def _sized(a, n, axis):
    """Moves the axis to the end and cuts it, or pads it with zeros, to n."""
    a = np.asarray(a)
    a = np.swapaxes(a, axis, -1)
    n = a.shape[-1] if n is None else n
    if n < 1:
        raise ValueError('Invalid number of FFT data points (%d) specified.' % n)
    if n < a.shape[-1]:
        a = a[..., :n]
    elif n > a.shape[-1]:
        a = np.concatenate([a, np.zeros(a.shape[:-1] + (n - a.shape[-1],), a.dtype)], axis=-1)
    return a, n


def _norm(n, norm, back):
    if norm not in (None, 'backward', 'ortho', 'forward'):
        raise ValueError('Invalid norm value %s; should be "backward", "ortho" or "forward".' % norm)
    if norm == 'ortho':
        return np.sqrt(n) if back else 1 / np.sqrt(n)
    return (n if back else 1 / n) if norm == 'forward' else 1.0


def _whole(a, n, axis, norm, back):
    a, n = _sized(a, n, axis)
    made = _run(tf.ifft if back else tf.fft, a.astype(np.complex128))
    scale = _norm(n, norm, back)
    return np.swapaxes(made if scale == 1 else made * scale, axis, -1)


def fft(a, n=None, axis=-1, norm=None):
    """Return the discrete Fourier transform."""
    return _whole(a, n, axis, norm, False)


def ifft(a, n=None, axis=-1, norm=None):
    """Return the inverse discrete Fourier transform."""
    return _whole(a, n, axis, norm, True)


def rfft(a, n=None, axis=-1, norm=None):
    """Return the transform of a real signal."""
    made = np.swapaxes(_whole(np.asarray(a) * 1.0, n, axis, norm, False), axis, -1)
    return np.swapaxes(made[..., :(made.shape[-1] // 2) + 1], axis, -1)


def irfft(a, n=None, axis=-1, norm=None):
    """Return the inverse transform of a real signal."""
    a = np.swapaxes(np.asarray(a), axis, -1)
    n = 2 * (a.shape[-1] - 1) if n is None else n
    half, _ = _sized(a, n // 2 + 1, -1)
    half = half.astype(np.complex128)
    rest = np.conj(half[..., 1:(n + 1) // 2])[..., ::-1]
    return np.swapaxes(ifft(np.concatenate([half, rest], axis=-1), norm=norm).real, axis, -1)


def hfft(a, n=None, axis=-1, norm=None):
    """Return the transform of a signal with Hermitian symmetry."""
    n = 2 * (np.shape(a)[axis] - 1) if n is None else n
    return irfft(np.conj(a), n, axis) * n


def _axes(a, s, axes):
    if axes is None:
        axes = range(-len(s), 0) if s is not None else range(-np.ndim(a), 0)
    axes = list(axes)
    return list(zip(axes, [None] * len(axes) if s is None else s))


def fftn(a, s=None, axes=None, norm=None):
    """Return the discrete Fourier transform in n dimensions."""
    for axis, n in reversed(_axes(a, s, axes)):
        a = fft(a, n, axis, norm)
    return a


def ifftn(a, s=None, axes=None, norm=None):
    """Return the inverse transform in n dimensions."""
    for axis, n in reversed(_axes(a, s, axes)):
        a = ifft(a, n, axis, norm)
    return a


def fft2(a, s=None, axes=(-2, -1), norm=None):
    """Return the discrete Fourier transform in two dimensions."""
    return fftn(a, s, axes, norm)


def ifft2(a, s=None, axes=(-2, -1), norm=None):
    """Return the inverse transform in two dimensions."""
    return ifftn(a, s, axes, norm)


def rfftn(a, s=None, axes=None, norm=None):
    """Return the transform of a real signal in n dimensions."""
    pairs = _axes(a, s, axes)
    a = rfft(a, pairs[-1][1], pairs[-1][0], norm)
    for axis, n in reversed(pairs[:-1]):
        a = fft(a, n, axis, norm)
    return a


def rfft2(a, s=None, axes=(-2, -1), norm=None):
    """Return the transform of a real signal in two dimensions."""
    return rfftn(a, s, axes, norm)


def irfftn(a, s=None, axes=None, norm=None):
    """Return the inverse transform of a real signal in n dimensions."""
    pairs = _axes(a, s, axes)
    for axis, n in pairs[:-1]:
        a = ifft(a, n, axis, norm)
    return irfft(a, pairs[-1][1], pairs[-1][0], norm)


def irfft2(a, s=None, axes=(-2, -1), norm=None):
    """Return the inverse transform of a real signal in two dimensions."""
    return irfftn(a, s, axes, norm)


def fftfreq(n, d=1.0):
    """Return the sample frequencies of a transform."""
    half = (n - 1) // 2 + 1
    return np.concatenate([np.arange(0, half), np.arange(-(n // 2), 0)]) * (1.0 / (n * d))


def rfftfreq(n, d=1.0):
    """Return the sample frequencies of the transform of a real signal."""
    return np.arange(0, n // 2 + 1) * (1.0 / (n * d))


def _shift(x, axes, part):
    x = np.asarray(x)
    axes = range(x.ndim) if axes is None else [axes] if isinstance(axes, int) else axes
    for axis in axes:
        x = np.roll(x, part(x.shape[axis]), axis)
    return x


def fftshift(x, axes=None):
    """Move the zero frequency to the center."""
    return _shift(x, axes, lambda n: n // 2)


def ifftshift(x, axes=None):
    """Undo fftshift."""
    return _shift(x, axes, lambda n: -(n // 2))
