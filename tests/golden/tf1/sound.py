# Sound: WAV files, spectrograms, windows and transforms over short times.
import numpy as np
import tensorflow as tf

time = np.arange(400) / 8000.
tone = (np.sin(2 * np.pi * 440 * time) * .5 + np.sin(2 * np.pi * 1500 * time) * .25).astype(np.float32)
audio = tf.constant(np.stack([tone, tone[::-1]], 1))


def show(label, value, digits=3):
    value = np.asarray(value)
    print(label, value.shape, value.dtype, (np.round(value.ravel()[::max(1, value.size // 6)].astype(np.complex128), digits) + 0).tolist())


with tf.Session() as sess:
    file = tf.audio.encode_wav(audio, 8000)
    decoded = tf.audio.decode_wav(file, desired_channels=1, desired_samples=402)
    back, rate = sess.run(decoded)
    print(len(sess.run(file)), rate, decoded.audio.shape, bool(abs(back[:400, 0] - tone).max() < 1e-4), back[400:].tolist())
    loud = tf.raw_ops.AudioSpectrogram(input=audio, window_size=128, stride=100, magnitude_squared=True)
    show('spectrogram', sess.run(loud), 2)
    show('mfcc', sess.run(tf.raw_ops.Mfcc(spectrogram=loud, sample_rate=rate, dct_coefficient_count=5)), 2)
    try:
        sess.run(tf.audio.decode_wav('RIFF'))
    except tf.errors.InvalidArgumentError:
        print('no WAV file')

    for length in (1, 4, 5):
        show('hann %d' % length, sess.run(tf.signal.hann_window(length)))
        show('hamming %d' % length, sess.run(tf.signal.hamming_window(tf.constant(length), periodic=False, dtype=tf.float64)))
    fed = tf.placeholder(tf.int32, [])
    show('hann fed', sess.run(tf.signal.hann_window(fed), {fed: 6}))
    show('hann one', sess.run(tf.signal.hann_window(fed), {fed: 1}))

    short = tf.signal.stft(tone, frame_length=64, frame_step=32, fft_length=64)
    show('stft', sess.run(short))
    show('stft to the end', sess.run(tf.signal.stft(tf.constant(np.stack([tone, -tone])), 50, 40, pad_end=True)))
    again = tf.signal.inverse_stft(short, 64, 32, window_fn=tf.signal.inverse_stft_window_fn(32))
    print(short.shape, again.shape, bool(abs(sess.run(again)[32:352] - tone[32:352]).max() < 1e-4))
    show('inverse', sess.run(tf.signal.inverse_stft(short, 80, 20, fft_length=64)))
    frames = tf.signal.frame(tf.reshape(tf.range(20), [2, 10]), 4, 3, pad_end=True, pad_value=-1)
    print(frames.shape, sess.run(frames).tolist())
    print(sess.run(tf.signal.frame(tf.reshape(tf.range(12), [6, 2]), 3, 2, axis=0)).tolist())
    print(sess.run(tf.signal.overlap_and_add(tf.reshape(tf.range(24.), [2, 3, 4]), 3)).tolist())
    print(sess.run(tf.signal.overlap_and_add(tf.reshape(tf.range(6.), [3, 2]), 2)).tolist())

    mel = tf.signal.linear_to_mel_weight_matrix(num_mel_bins=10, num_spectrogram_bins=33, sample_rate=8000)
    logs = tf.log(tf.matmul(tf.abs(short), mel) + 1e-3)
    show('mel', sess.run(mel))
    show('mfccs', sess.run(tf.signal.mfccs_from_log_mel_spectrograms(logs)), 2)
    x = tf.constant(np.cos(np.arange(12)).reshape(2, 6))
    for kind in (1, 2, 3, 4):
        for norm in (None, 'ortho'):
            if kind == 1 and norm:
                continue
            forward = tf.signal.dct(x, type=kind, norm=norm)
            scale = {1: 10., 2: 12., 3: 12., 4: 12.}[kind] if norm is None else 1.
            show('dct %d %s' % (kind, norm), sess.run(forward))
            print(bool(abs(sess.run(tf.signal.idct(forward, type=kind, norm=norm) / scale - x)).max() < 1e-9))
    show('dct n', sess.run([tf.signal.dct(x, n=4), tf.signal.dct(x, n=4, type=3)]))
    show('longer', sess.run(tf.signal.dct(x, n=8)))

    print(sess.run(tf.spectral.idct(tf.spectral.dct([1., 2., 3.])) / 6.).round(4).tolist())
    grid = tf.reshape(tf.range(15), [3, 5])
    print(sess.run([tf.signal.fftshift(grid), tf.signal.ifftshift(grid, axes=1), tf.signal.fftshift(grid, axes=[0])]))
    print(sess.run(tf.signal.ifftshift(tf.signal.fftshift([1., 2., 3., 4., 5.]))).tolist())

    runs = tf.constant([[1., 2., -3.], [0., 50., 49.]])
    sums = tf.math.cumulative_logsumexp(runs, axis=1)
    show('logsumexp', sess.run([sums, tf.math.cumulative_logsumexp(runs, reverse=True)]))
    show('exclusive', np.exp(sess.run(tf.math.cumulative_logsumexp(runs, axis=-1, exclusive=True)[0])))
    show('gradient', sess.run(tf.gradients(sums * [[1.], [-2.]], runs)[0]))
    a, b = tf.constant([[1., 0.], [0., 2.]]), tf.constant([[3.], [4.]])
    product = tf.sparse_matmul(a, b, a_is_sparse=True)
    print(product.op.type, sess.run(product).tolist(), [g.tolist() for g in sess.run(tf.gradients(product, [a, b]))])
for wrong in (lambda: tf.signal.hann_window(4, dtype=tf.int32), lambda: tf.signal.dct(x, type=5), lambda: tf.signal.dct(x, norm='no'),
              lambda: tf.signal.linear_to_mel_weight_matrix(lower_edge_hertz=4000.), lambda: tf.signal.linear_to_mel_weight_matrix(upper_edge_hertz=5000.)):
    try:
        wrong()
    except ValueError as e:
        print(e)
