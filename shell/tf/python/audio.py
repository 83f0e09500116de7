"""tf.audio, and the ops of sound that tf.contrib.framework.python.ops.audio_ops has beside it."""


def decode_wav(contents, desired_channels=-1, desired_samples=-1, name=None):
    """(audio, sample_rate) of a WAV file."""
    return tf.raw_ops.DecodeWav(contents=contents, desired_channels=desired_channels, desired_samples=desired_samples,
                                name=name)


def encode_wav(audio, sample_rate, name=None):
    """A WAV file."""
    return tf.raw_ops.EncodeWav(audio=audio, sample_rate=sample_rate, name=name)
