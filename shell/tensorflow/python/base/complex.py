"""Complex numbers and their parts."""


def _part(op, default, x, name):
    with tf.name_scope(name, default, [x]) as scope:
        x = tf.convert_to_tensor(x, name='input')
        if not x.dtype.is_complex:
            return x
        return op(input=x, Tout=x.dtype.real_dtype, name=scope)


def real(input, name=None):
    """The real part of complex numbers. Real numbers are returned unchanged."""
    return _part(tf.raw_ops.Real, 'Real', input, name)


def imag(input, name=None):
    """The imaginary part of complex numbers. It is 0 for real numbers."""
    with tf.name_scope(name, 'Imag', [input]) as scope:
        input = tf.convert_to_tensor(input, name='input')
        if not input.dtype.is_complex:
            return tf.zeros_like(input)
        return tf.raw_ops.Imag(input=input, Tout=input.dtype.real_dtype, name=scope)


def angle(input, name=None):
    """The angle in the complex plane."""
    with tf.name_scope(name, 'Angle', [input]) as scope:
        input = tf.convert_to_tensor(input, name='input')
        if not input.dtype.is_complex:
            return tf.where(input < 0, np.pi * tf.ones_like(input), tf.zeros_like(input))
        return tf.raw_ops.Angle(input=input, Tout=input.dtype.real_dtype, name=scope)


def conj(x, name=None):
    """The conjugate of complex numbers. Real numbers are returned unchanged."""
    if isinstance(x, tf.Tensor) and (x.dtype.is_floating or x.dtype.is_integer):
        return x
    with tf.name_scope(name, 'Conj', [x]) as scope:
        x = tf.convert_to_tensor(x, name='x')
        if x.dtype.is_complex:
            return tf.raw_ops.Conj(input=x, name=scope)
        if x.dtype.is_floating or x.dtype.is_integer:
            return x
        raise TypeError('Expected numeric or variant tensor, got dtype %r' % x.dtype)


def complex(real, imag, name=None):
    """Builds complex numbers from their real and imaginary parts."""
    real = tf.convert_to_tensor(real, name='real')
    imag = tf.convert_to_tensor(imag, name='imag')
    with tf.name_scope(name, 'Complex', [real, imag]) as scope:
        types = (real.dtype.base_dtype, imag.dtype.base_dtype)
        if types == (tf.float64, tf.float64):
            out = tf.complex128
        elif types == (tf.float32, tf.float32):
            out = tf.complex64
        else:
            raise TypeError('real and imag have incorrect types: {} {}'.format(real.dtype.name, imag.dtype.name))
        return tf.raw_ops.Complex(real=real, imag=imag, Tout=out, name=scope)
