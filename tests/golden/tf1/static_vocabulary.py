# tf.lookup.StaticVocabularyTable, and windows of arrays.
import numpy as np
import tensorflow.compat.v1 as tf
from numpy.lib.stride_tricks import as_strided, sliding_window_view
tf.disable_v2_behavior()

words = tf.lookup.KeyValueTensorInitializer(['a', 'b', 'c'], [0, 1, 2], tf.string, tf.int64)
table = tf.lookup.StaticVocabularyTable(words, 2)
ids = table.lookup(tf.constant(['b', 'c', 'other', 'a', '']))
with tf.Session() as sess:
    sess.run(tf.tables_initializer())
    print(sess.run(ids), sess.run(table.size()), table.key_dtype)
try:
    tf.lookup.StaticVocabularyTable(words, 0)
except ValueError as e:
    print(type(e).__name__)

a = np.arange(12).reshape(3, 4)
print(sliding_window_view(a, (2, 2)).shape, sliding_window_view(a, (2, 2))[1, 2], sliding_window_view(a, 2, axis=0).shape)
print(sliding_window_view(np.arange(5), 3), as_strided(a, (2, 3), (a.strides[0], a.strides[1])))
for wrong in ((4, 1), (1,), (-1, 1)):
    try:
        sliding_window_view(a, wrong)
    except ValueError as e:
        print(e)
print(np.from_dlpack(a) is a, np.from_dlpack(a).shape)
