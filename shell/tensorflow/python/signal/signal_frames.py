"""tf.signal: windows, frames, and short-time transforms."""
import math


# ---- windows ----

def _raised_cosine(name, scope, length, periodic, dtype, mean, height):
    dtype = tf.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError('dtype must be a floating point type. Found %s' % dtype)
    with tf.name_scope(name, scope, [length, periodic]):
        length = tf.convert_to_tensor(length, dtype=tf.int32, name='window_length')
        # A periodic window of even length is computed one element longer, without its last element.
        longer = tf.cast(tf.convert_to_tensor(periodic, dtype=tf.bool, name='periodic'), tf.int32) * (1 - length % 2)
        steps = tf.cast(tf.maximum(length + longer - 1, 1), dtype)
        angle = tf.cast(tf.range(length), dtype) * tf.constant(2 * math.pi, dtype) / steps
        window = mean - height * tf.cos(angle)
        known = tf.get_static_value(length)
        if known == 1:
            return tf.ones([1], dtype=dtype)
        return window if known is not None else tf.where(tf.fill([length], tf.equal(length, 1)), tf.ones_like(window), window)


def hann_window(window_length, periodic=True, dtype=tf.float32, name=None):
    """The Hann window: a raised cosine from 0 to 1 and back."""
    return _raised_cosine(name, 'hann_window', window_length, periodic, dtype, 0.5, 0.5)


def hamming_window(window_length, periodic=True, dtype=tf.float32, name=None):
    """The Hamming window: a raised cosine that does not reach 0."""
    return _raised_cosine(name, 'hamming_window', window_length, periodic, dtype, 0.54, 0.46)


# ---- frames ----

def _scalar(value, name):
    """Returns a number if the value is known, and otherwise a tensor."""
    value = tf.convert_to_tensor(value, name=name)
    value.shape.assert_has_rank(0)
    known = tf.get_static_value(value)
    return value if known is None else int(known)


def frame(signal, frame_length, frame_step, pad_end=False, pad_value=0, axis=-1, name=None):
    """Slices a signal into frames of one length, with a distance of frame_step."""
    with tf.name_scope(name, 'frame', [signal, frame_length, frame_step, pad_value]):
        signal = tf.convert_to_tensor(signal, name='signal')
        rank = signal.shape.with_rank_at_least(1).ndims
        length, step, axis = _scalar(frame_length, 'frame_length'), _scalar(frame_step, 'frame_step'), _scalar(axis, 'axis')
        axis = axis + rank if axis < 0 else axis
        samples = signal.shape[axis].value
        samples = tf.shape(signal)[axis] if samples is None else samples
        if pad_end:
            count = -(-samples // step)
            more = tf.maximum(0, length + step * (count - 1) - samples)
            signal = tf.pad(signal, [[0, more if i == axis else 0] for i in range(rank)],
                            constant_values=tf.cast(pad_value, signal.dtype))
        else:
            count = 1 + (samples - length) // step
            count = max(0, count) if isinstance(count, int) else tf.maximum(0, count)
        places = tf.expand_dims(tf.range(count) * step, 1) + tf.expand_dims(tf.range(length), 0)
        return tf.gather(signal, places, axis=axis)


def overlap_and_add(signal, frame_step, name=None):
    """Adds frames [..., frames, length] with a distance of frame_step."""
    with tf.name_scope(name, 'overlap_and_add', [signal, frame_step]):
        signal = tf.convert_to_tensor(signal, name='signal')
        rank = signal.shape.with_rank_at_least(2).ndims
        frame_step = tf.convert_to_tensor(frame_step, name='frame_step')
        frame_step.shape.assert_has_rank(0)
        if not frame_step.dtype.is_integer:
            raise ValueError('frame_step must be an integer. Got %s' % frame_step.dtype)
        step = _scalar(frame_step, 'frame_step')
        known = signal.shape.as_list()
        sizes = tf.shape(signal)
        frames, length = [sizes[i] if known[i] is None else known[i] for i in (-2, -1)]
        total = length + step * (frames - 1)
        places = tf.expand_dims(tf.range(frames) * step, 1) + tf.expand_dims(tf.range(length), 0)
        # Moves the samples to the front, so that each sample is one segment of the sum.
        order = [rank - 2, rank - 1] + list(range(rank - 2))
        summed = tf.unsorted_segment_sum(tf.transpose(signal, order), places, total)
        out = tf.transpose(summed, list(range(1, rank - 1)) + [0])
        out.set_shape(known[:-2] + [total if isinstance(total, int) else None])
        return out


# ---- transforms ----

def _power_of_two(length):
    if isinstance(length, int):
        return int(2 ** math.ceil(math.log(length) / math.log(2.0)))
    exponent = tf.ceil(tf.log(tf.cast(length, tf.float32)) / tf.log(2.0))
    return tf.cast(tf.pow(2.0, exponent), tf.int32)


def stft(signals, frame_length, frame_step, fft_length=None, window_fn=hann_window, pad_end=False, name=None):
    """The Fourier transforms of a signal's frames: [..., frames, fft_length / 2 + 1]."""
    with tf.name_scope(name, 'stft', [signals, frame_length, frame_step]):
        signals = tf.convert_to_tensor(signals, name='signals')
        length = _scalar(frame_length, 'frame_length')
        points = _power_of_two(length) if fft_length is None else _scalar(fft_length, 'fft_length')
        frames = frame(signals, length, frame_step, pad_end=pad_end)
        if window_fn is not None:
            frames *= window_fn(length, dtype=frames.dtype)
        return tf.signal.rfft(frames, [points])


def inverse_stft(stfts, frame_length, frame_step, fft_length=None, window_fn=hann_window, name=None):
    """The inverse of stft: the signal whose frames have these transforms."""
    with tf.name_scope(name, 'inverse_stft', [stfts]):
        stfts = tf.convert_to_tensor(stfts, name='stfts')
        stfts.shape.with_rank_at_least(2)
        length = _scalar(frame_length, 'frame_length')
        points = _power_of_two(length) if fft_length is None else _scalar(fft_length, 'fft_length')
        frames = tf.signal.irfft(stfts, [points])[..., :length]
        short = length - points if isinstance(length, int) and isinstance(points, int) else length - tf.shape(frames)[-1]
        if not isinstance(short, int) or short > 0:
            frames = tf.pad(frames, [[0, 0]] * (frames.shape.ndims - 1) + [[0, short]])
        if window_fn is not None:
            frames *= window_fn(length, dtype=stfts.dtype.real_dtype)
        return overlap_and_add(frames, frame_step)


def inverse_stft_window_fn(frame_step, forward_window_fn=hann_window, name=None):
    """Returns the window_fn with which inverse_stft inverts stft with forward_window_fn."""
    def window_fn(frame_length, dtype):
        with tf.name_scope(name, 'inverse_stft_window_fn'):
            length, step = _scalar(frame_length, 'frame_length'), _scalar(frame_step, 'frame_step')
            window = forward_window_fn(length, dtype=dtype)
            overlaps = -(-length // step)
            power = tf.reshape(tf.pad(tf.square(window), [[0, overlaps * step - length]]), [overlaps, step])
            power = tf.tile(tf.reduce_sum(power, 0), [overlaps])[:length]
            return tf.where(tf.equal(power, 0.), tf.zeros_like(window), window / power)
    return window_fn


# ---- mel scale ----

def _mel(hertz):
    return 1127.0 * tf.log(1.0 + hertz / 700.0)


def linear_to_mel_weight_matrix(num_mel_bins=20, num_spectrogram_bins=129, sample_rate=8000, lower_edge_hertz=125.0,
                                upper_edge_hertz=3800.0, dtype=tf.float32, name=None):
    """The weight of each frequency bin in each mel band."""
    dtype = tf.as_dtype(dtype)
    with tf.name_scope(name, 'linear_to_mel_weight_matrix') as name:
        if num_mel_bins <= 0:
            raise ValueError('num_mel_bins must be positive. Got: %s' % num_mel_bins)
        if lower_edge_hertz < 0.0:
            raise ValueError('lower_edge_hertz must be non-negative. Got: %s' % lower_edge_hertz)
        if lower_edge_hertz >= upper_edge_hertz:
            raise ValueError('lower_edge_hertz %.1f >= upper_edge_hertz %.1f' % (lower_edge_hertz, upper_edge_hertz))
        if not isinstance(sample_rate, tf.Tensor):
            if sample_rate <= 0.0:
                raise ValueError('sample_rate must be positive. Got: %s' % sample_rate)
            if upper_edge_hertz > sample_rate / 2:
                raise ValueError('upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). Got %s '
                                 'for sample_rate: %s' % (upper_edge_hertz, sample_rate))
        if not dtype.is_floating:
            raise ValueError('dtype must be a floating point type. Got: %s' % dtype)
        highest = tf.cast(sample_rate, dtype) / 2.0
        zero = tf.constant(0, dtype)
        bins = tf.expand_dims(_mel(tf.linspace(zero, highest, num_spectrogram_bins)[1:]), 1)  # without the constant part
        edges = tf.linspace(_mel(tf.constant(lower_edge_hertz, dtype)), _mel(tf.constant(upper_edge_hertz, dtype)),
                            num_mel_bins + 2)
        low, center, high = edges[:-2], edges[1:-1], edges[2:]
        weights = tf.maximum(zero, tf.minimum((bins - low) / (center - low), (high - bins) / (high - center)))
        return tf.pad(weights, [[1, 0], [0, 0]], name=name)


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms, name=None):
    """The mel-frequency cepstral coefficients of log-magnitude spectrograms [..., mel bins]."""
    with tf.name_scope(name, 'mfccs_from_log_mel_spectrograms', [log_mel_spectrograms]):
        logs = tf.convert_to_tensor(log_mel_spectrograms)
        bins = logs.shape[-1].value
        if bins == 0:
            raise ValueError('num_mel_bins must be positive. Got: %s' % log_mel_spectrograms)
        cosines = tf.signal.dct(logs, type=2)
        return cosines * tf.rsqrt(tf.cast(tf.shape(logs)[-1] if bins is None else bins, logs.dtype) * 2.0)


# ---- shifts of frequencies ----

def _rolled(x, axes, name, scope, shift_of):
    with tf.name_scope(name, scope):
        x = tf.convert_to_tensor(x)
        if axes is None:
            axes = list(range(x.shape.ndims))
        axes = [axes] if isinstance(axes, int) else list(axes)
        sizes = tf.shape(x)
        return tf.roll(x, tf.stack([shift_of(sizes[axis]) for axis in axes]), axes)


def fftshift(x, axes=None, name=None):
    """Moves the component of frequency 0 to the middle."""
    return _rolled(x, axes, name, 'fftshift', lambda size: size // 2)


def ifftshift(x, axes=None, name=None):
    """Inverts fftshift."""
    return _rolled(x, axes, name, 'ifftshift', lambda size: -(size // 2))
