"""tf.audio, and the audio ops of tf.contrib.framework.python.ops.audio_ops."""


def decode_wav(contents, desired_channels=-1, desired_samples=-1, name=None):
    """Decodes a WAV file into (audio, sample_rate)."""
    return tf.raw_ops.DecodeWav(contents=contents, desired_channels=desired_channels, desired_samples=desired_samples,
                                name=name)


def encode_wav(audio, sample_rate, name=None):
    """Encodes audio as a WAV file."""
    return tf.raw_ops.EncodeWav(audio=audio, sample_rate=sample_rate, name=name)
