# tf.summary.audio: WAV files in a summary.
import numpy as np
import tensorflow as tf

tf.set_random_seed(1)
x = tf.constant(np.sin(np.arange(24, dtype=np.float32)).reshape(2, 6, 2), name='x')
sounds = tf.summary.audio('sound', x, 8000, max_outputs=2)
one = tf.summary.audio('one', x[:, :, 0] * 3., tf.constant(44100.), max_outputs=1, family='f')
print(sounds.op.type, [(t.name, t.dtype.name) for t in sounds.op.inputs], one.name)
with tf.Session() as sess:
    for data in sess.run([sounds, one]):
        for v in tf.Summary.FromString(data).value:
            print(v.tag, v.audio.sample_rate, v.audio.num_channels, v.audio.length_frames, v.audio.content_type,
                  v.audio.encoded_audio_string)
    for bad in (x[0, 0], tf.zeros([1, 2, 3, 4])):
        try:
            print(sess.run(tf.summary.audio('bad', bad, 8000.)))
        except tf.errors.InvalidArgumentError as e:
            print('InvalidArgumentError')
    try:
        sess.run(tf.summary.audio('bad', x, 0.))
    except tf.errors.InvalidArgumentError as e:
        print('InvalidArgumentError')
    print(sess.run(tf.summary.merge_all(scope='sound')) == sess.run(tf.summary.merge([sounds])))
