"""Rules of ONNX: Fourier transforms, windows and filter banks."""
import numpy as np
from _library.onnx_rules import rule, dtype_of, rank, dims, scalar, axis_of


def _window(n, size, weights):
    """A sum of cosines."""
    dtype = dtype_of(n.get('output_datatype', 1))
    count = scalar(size, tf.float64)
    at = tf.cast(tf.range(tf.cast(count, tf.int32)), tf.float64)
    turn = 2 * np.pi * at / (count if n.get('periodic', 1) else count - 1)
    y = weights[0]
    for k, weight in enumerate(weights[1:], 1):
        y = y + (-1) ** k * weight * tf.cos(k * turn)
    return tf.cast(y, dtype, name=n.out)


@rule('HannWindow')
def _hann(n, size):
    return _window(n, size, [.5, .5])


@rule('HammingWindow')
def _hamming(n, size):
    return _window(n, size, [25 / 46, 21 / 46])


@rule('BlackmanWindow')
def _blackman(n, size):
    return _window(n, size, [.42, .5, .08])


def _transform(n, x, axis, length=None):
    """The DFT of x, whose last dimension has the real and perhaps the imaginary part."""
    r = rank(x)
    wide = tf.cast(x, tf.float64)
    c = tf.complex(wide[..., 0], tf.reduce_sum(wide[..., 1:], -1))
    line = tf.range(r - 1)
    order = tf.where(tf.equal(line, axis), tf.zeros_like(line) + r - 2, tf.where(tf.equal(line, r - 2), line * 0 + axis, line))
    c = tf.transpose(c, order)
    if length is not None:
        size = tf.shape(c)[-1]
        c = c[..., :tf.minimum(size, length)]
        c = tf.pad(c, tf.concat([tf.zeros([r - 2, 2], tf.int32), tf.reshape(
            tf.stack([0, tf.maximum(length - size, 0)]), [1, 2])], 0))
    inverse, one = n.get('inverse', 0), n.get('onesided', 0)
    count = tf.shape(c)[-1]
    y = tf.ifft(c) if inverse else tf.fft(c)
    if one and not inverse:
        y = y[..., :tf.floordiv(count, 2) + 1]
    elif one:
        # The other half is the mirrored conjugate, so the result is real.
        half = c[..., 1:tf.floordiv(length if length is not None else 2 * (count - 1), 2) + 1]
        whole = length if length is not None else 2 * (count - 1)
        rest = tf.reverse(tf.conj(c[..., 1:whole - tf.floordiv(whole, 2)]), [-1])
        full = tf.concat([c[..., :1], half, rest], -1)
        y = tf.ifft(full)
        return tf.cast(tf.expand_dims(tf.transpose(tf.real(y), order), -1), x.dtype)
    y = tf.transpose(y, order)
    return tf.cast(tf.stack([tf.real(y), tf.imag(y)], -1), x.dtype)


@rule('DFT', 17)
def _dft_attribute(n, x, length=None):
    axis = axis_of(n, x, 1)
    return _transform(n, x, axis, None if length is None else scalar(length, tf.int32))


@rule('DFT', 20)
def _dft(n, x, length=None, axis=None):
    axis = -2 if axis is None else scalar(axis, tf.int32)
    return _transform(n, x, tf.floormod(axis, rank(x)), None if length is None else scalar(length, tf.int32))


@rule('STFT')
def _stft(n, signal, step, window=None, length=None):
    x = signal if rank(signal) < 3 or dims(signal)[-1] == 2 else signal[..., 0]  # unknown: real
    step = scalar(step, tf.int32)
    length = scalar(length, tf.int32) if length is not None else tf.shape(window)[0]
    size = tf.shape(x)[1]
    frames = tf.floordiv(size - length, step) + 1
    places = tf.expand_dims(tf.range(frames) * step, 1) + tf.expand_dims(tf.range(length), 0)
    y = tf.gather(x, places, axis=1)  # [batch, frames, length(, 2)]
    c = tf.complex(y[..., 0], y[..., 1]) if rank(x) == 3 else tf.complex(y, tf.zeros_like(y))
    if window is not None:
        c = c * tf.complex(window, tf.zeros_like(window))
    c = tf.fft(c)
    if n.get('onesided', 1):
        c = c[..., :tf.floordiv(length, 2) + 1]
    return tf.stack([tf.real(c), tf.imag(c)], -1)


@rule('MelWeightMatrix')
def _mel(n, bins, length, rate, low, high):
    """Triangular filters between frequencies that are equally spaced on the mel scale, in steps of the spectrum."""
    dtype = dtype_of(n.get('output_datatype', 1))
    bins, length, rate = scalar(bins, tf.int32), scalar(length, tf.int32), scalar(rate, tf.float64)
    low, high = scalar(low, tf.float64), scalar(high, tf.float64)
    columns = tf.floordiv(length, 2) + 1

    def mel(f):
        return 2595 * tf.log(1 + f / 700) / np.log(10.)
    step = (mel(high) - mel(low)) / tf.cast(bins + 2, tf.float64)
    edges = tf.cast(tf.range(bins + 2), tf.float64) * step + mel(low)
    hertz = 700 * (tf.pow(tf.constant(10., tf.float64), edges / 2595) - 1)
    at = tf.floor(tf.cast(length + 1, tf.float64) * hertz / rate)
    first, middle, last = [tf.expand_dims(at[i:bins + i], 0) for i in range(3)]
    line = tf.expand_dims(tf.cast(tf.range(columns), tf.float64), 1)
    up = tf.where(tf.logical_and(tf.equal(middle, first), tf.equal(line, middle)), tf.ones_like(line + first),
                  tf.div_no_nan(line - first, middle - first + line * 0))
    down = tf.div_no_nan(last - line, last - middle + line * 0)
    rising = tf.logical_and(line >= first, line <= middle)
    falling = tf.logical_and(line > middle, line < last)
    zero = tf.zeros_like(up)
    return tf.cast(tf.where(rising, up, tf.where(falling, down, zero)), dtype)
