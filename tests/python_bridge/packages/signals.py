# needs scipy
# Filters, spectra and sound files.
import numpy as np, os, tempfile
import tensorflow.compat.v1 as tf
from scipy import signal, stats
from scipy.fftpack import dct, fft
from scipy.io import wavfile
from scipy.interpolate import interp1d

tf.disable_v2_behavior()

rate = 800
t = np.linspace(0, 1, rate, endpoint=False)
wave = np.sin(2 * np.pi * 50 * t) + 0.5 * signal.square(2 * np.pi * 120 * t)
name = os.path.join(tempfile.mkdtemp(), 'a.wav')
wavfile.write(name, rate, (wave * 10000).astype(np.int16))
fs, data = wavfile.read(name)
print(fs, data.dtype, data.shape, data[:4])
with tf.Session() as sess:
    decoded = tf.audio.decode_wav(tf.read_file(name)) if hasattr(tf, 'audio') else None
    audio = sess.run(decoded.audio)
    print(audio.shape, np.abs(audio[:, 0] * 32768 - data).max())
    spectrum = sess.run(tf.abs(tf.signal.rfft(tf.constant(wave, tf.float32))))
    print(np.argsort(spectrum)[-2:], np.allclose(spectrum, np.abs(fft(wave))[:401], atol=1e-2))
    window = tf.signal.hann_window(64)
    frames = tf.signal.stft(tf.constant(wave[None], tf.float32), 64, 32, 64)
    print(frames.shape, np.allclose(sess.run(window), signal.get_window('hann', 64), atol=1e-5))
    x = np.arange(8, dtype='float32')
    print(np.allclose(sess.run(tf.signal.dct(x[None]))[0], dct(x, type=2), atol=1e-3))
    b, a = signal.butter(3, 0.1)
    print(b.round(4), signal.lfilter(b, a, [1., 0, 0, 0]).round(4))
    image, kernel = np.arange(16.).reshape(4, 4), np.array([[0, 1.], [2, 3]])
    ours = tf.nn.conv2d(image[None, :, :, None], kernel[:, :, None, None], [1] * 4, 'VALID')
    print(np.allclose(sess.run(ours)[0, :, :, 0], signal.correlate2d(image, kernel, 'valid')))
    peaks, found = signal.find_peaks(spectrum, height=50)
    print(peaks, sorted(found))
    mean, std = sess.run(tf.nn.moments(tf.constant(wave), [0]))
    print('%.3f %.3f' % (mean + 0, std), stats.norm(0, 2).pdf(1).round(5), stats.ttest_ind([1, 2, 3.], [2, 3, 5.]).pvalue.round(4))
    print(stats.pearsonr([1, 2, 3, 4], [2, 1, 4, 3])[0].round(3), stats.mode([1, 2, 2]).mode, stats.zscore([1., 2, 3]).round(3))
    print(stats.truncnorm.rvs(-2, 2, size=3, random_state=0).round(4), interp1d([0, 1], [2, 4])(0.25), stats.entropy([.5, .5]).round(3))
