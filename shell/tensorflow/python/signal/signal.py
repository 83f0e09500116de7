"""tf.signal and tf.spectral: Fourier transforms."""


def fft(input, name=None):
    """The discrete Fourier transform over the last dimension."""
    return tf.raw_ops.FFT(input=input, name=name)


def ifft(input, name=None):
    """The inverse discrete Fourier transform over the last dimension."""
    return tf.raw_ops.IFFT(input=input, name=name)


def fft2d(input, name=None):
    """The discrete Fourier transform over the last two dimensions."""
    return tf.raw_ops.FFT2D(input=input, name=name)


def ifft2d(input, name=None):
    """The inverse discrete Fourier transform over the last two dimensions."""
    return tf.raw_ops.IFFT2D(input=input, name=name)


def fft3d(input, name=None):
    """The discrete Fourier transform over the last three dimensions."""
    return tf.raw_ops.FFT3D(input=input, name=name)


def ifft3d(input, name=None):
    """The inverse discrete Fourier transform over the last three dimensions."""
    return tf.raw_ops.IFFT3D(input=input, name=name)


def _lengths(x, rank, inverse):
    shape = x.get_shape()
    dims = shape[-rank:].as_list() if shape.ndims is not None else [None]
    if None not in dims:
        if inverse:
            dims[-1] = max(0, 2 * (dims[-1] - 1))
        return tf.constant(dims, tf.int32)
    lengths = tf.shape(x)[-rank:]
    if not inverse:
        return lengths
    return tf.concat([lengths[:-1], tf.maximum(0, 2 * (lengths[-1:] - 1))], 0)


def _padded(x, rank, known, lengths, inverse):
    shape = x.get_shape()
    if shape.ndims is not None and 0 in shape.as_list():
        return x
    if known is not None and shape.ndims is not None and None not in shape[-rank:].as_list():
        wanted = [int(n) for n in known]
        if inverse:
            wanted[-1] = wanted[-1] // 2 + 1
        pads = [[0, max(n - d, 0)] for n, d in zip(wanted, shape[-rank:].as_list())]
        if any(pad for _, pad in pads):
            return tf.pad(x, [[0, 0]] * max(shape.ndims - rank, 0) + pads)
        return x
    inner = tf.shape(x)[-rank:]
    wanted = tf.concat([lengths[:-1], lengths[-1:] // 2 + 1], 0) if inverse else lengths
    pads = tf.maximum(0, wanted - inner)
    outer = tf.zeros([tf.rank(x) - rank], pads.dtype)
    pads = tf.concat([outer, pads], 0)
    return tf.pad(x, tf.stack([tf.zeros_like(pads), pads], axis=1))


def _real(op, default, rank, inverse, x, lengths, name):
    with tf.name_scope(name, default, [x, lengths]) as scope:
        x = tf.convert_to_tensor(x, tf.complex64 if inverse and not isinstance(x, tf.Tensor) else
                                 None if isinstance(x, tf.Tensor) else tf.float32)
        if lengths is None:
            lengths = _lengths(x, rank, inverse)
        else:
            known = None if isinstance(lengths, tf.Tensor) else lengths
            lengths = tf.convert_to_tensor(lengths, tf.int32)
            x = _padded(x, rank, known, lengths, inverse)
        if inverse:
            return op(input=x, fft_length=lengths, Treal=x.dtype.real_dtype, name=scope)
        out = tf.complex128 if x.dtype == tf.float64 else tf.complex64
        return op(input=x, fft_length=lengths, Tcomplex=out, name=scope)


def rfft(input_tensor, fft_length=None, name=None):
    """The first half of the Fourier transform of real numbers over the last dimension."""
    return _real(tf.raw_ops.RFFT, 'rfft', 1, False, input_tensor, fft_length, name)


def irfft(input_tensor, fft_length=None, name=None):
    """The inverse of rfft: real numbers from the first half of their Fourier transform."""
    return _real(tf.raw_ops.IRFFT, 'irfft', 1, True, input_tensor, fft_length, name)


def rfft2d(input_tensor, fft_length=None, name=None):
    """The first half of the Fourier transform of real numbers over the last two dimensions."""
    return _real(tf.raw_ops.RFFT2D, 'rfft2d', 2, False, input_tensor, fft_length, name)


def irfft2d(input_tensor, fft_length=None, name=None):
    """The inverse of rfft2d: real numbers from the first half of their two-dimensional Fourier transform."""
    return _real(tf.raw_ops.IRFFT2D, 'irfft2d', 2, True, input_tensor, fft_length, name)


def rfft3d(input_tensor, fft_length=None, name=None):
    """The first half of the Fourier transform of real numbers over the last three dimensions."""
    return _real(tf.raw_ops.RFFT3D, 'rfft3d', 3, False, input_tensor, fft_length, name)


def irfft3d(input_tensor, fft_length=None, name=None):
    """The inverse of rfft3d: real numbers from the first half of their three-dimensional Fourier transform."""
    return _real(tf.raw_ops.IRFFT3D, 'irfft3d', 3, True, input_tensor, fft_length, name)
