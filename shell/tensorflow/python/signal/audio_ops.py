"""tf.contrib.framework.python.ops.audio_ops: audio in the frequency domain."""


def audio_spectrogram(input, window_size, stride, magnitude_squared=False, name=None):
    """The magnitude of each frequency over time."""
    return tf.raw_ops.AudioSpectrogram(input=input, window_size=window_size, stride=stride,
                                       magnitude_squared=magnitude_squared, name=name)


def mfcc(spectrogram, sample_rate, upper_frequency_limit=4000, lower_frequency_limit=20, filterbank_channel_count=40,
         dct_coefficient_count=13, name=None):
    """Mel-frequency cepstral coefficients."""
    return tf.raw_ops.Mfcc(spectrogram=spectrogram, sample_rate=sample_rate,
                           upper_frequency_limit=upper_frequency_limit, lower_frequency_limit=lower_frequency_limit,
                           filterbank_channel_count=filterbank_channel_count,
                           dct_coefficient_count=dct_coefficient_count, name=name)
