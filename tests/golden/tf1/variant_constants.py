"""A constant that is a list, in a graph that has no op of lists when it first runs."""
import base64

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

# A Const named 'l': a TensorList of the floats 1, 2 and 3.
LIST = 'CnQKAWwSBUNvbnN0KgsKBWR0eXBlEgIwFSpbCgV2YWx1ZRJSQlAIFRIAekoKFnRlbnNvcmZsb3c6OlRlbnNvckxpc3QSDAAB////////////ARoKCAESACoEAACAPxoKCAESACoEAAAAQBoKCAESACoEAABAQCIDCOgH'

graph_def = tf.GraphDef()
graph_def.ParseFromString(base64.b64decode(LIST))
tf.import_graph_def(graph_def, name='')
held = tf.get_default_graph().get_tensor_by_name('l:0')
with tf.Session() as sess:
    sess.run(held.op)
    sess.run(tf.identity(held).op)
    print(sess.run(tf.raw_ops.TensorListLength(input_handle=held)))
    third = tf.raw_ops.TensorListGetItem(
        input_handle=held, index=2, element_shape=tf.constant([], tf.int32), element_dtype=tf.float32)
    print(sess.run(third))
