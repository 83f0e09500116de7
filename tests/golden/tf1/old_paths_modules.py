# Modules inside TensorFlow that old scripts import by their paths.
import os
import tempfile

import tensorflow as tf
from tensorflow.python import pywrap_tensorflow
from tensorflow.python.data.ops import dataset_ops, iterator_ops
from tensorflow.python.eager import context
from tensorflow.python.framework import errors_impl, importer
from tensorflow.python.ops import (bitwise_ops, confusion_matrix, ctc_ops, gen_math_ops, gen_nn_ops, image_ops_impl,
                                   manip_ops, metrics_impl, partitioned_variables, standard_ops, template)
from tensorflow.python.training import adadelta, checkpoint_management, ftrl, server_lib
from tensorflow.python.util import compat

path = os.path.join(tempfile.mkdtemp(), 'model.ckpt')
weights = tf.get_variable('weights', initializer=[1.0, 2.0])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    tf.train.Saver().save(sess, path)
    print(sess.run([bitwise_ops.bitwise_and(6, 3), confusion_matrix.confusion_matrix([0, 1], [0, 1], 2)]))
    print(sess.run(manip_ops.roll([1, 2, 3], 1, 0)), sess.run(standard_ops.reduce_sum(weights)))
    print(sess.run(image_ops_impl.flip_left_right([[[1.0], [2.0]]])).tolist())
    rows = dataset_ops.Dataset.range(3).make_one_shot_iterator().get_next()
    print([sess.run(rows) for _ in range(3)])
    try:
        sess.run(rows)
    except errors_impl.OutOfRangeError as e:
        print(type(e).__name__)
# Of this module TensorFlow 2 has kept only the path.
reader = getattr(pywrap_tensorflow, 'NewCheckpointReader', tf.train.NewCheckpointReader)(path)
print(reader.get_variable_to_shape_map(), reader.get_tensor('weights'))
print(checkpoint_management.latest_checkpoint(os.path.dirname(path)) == path, compat.as_bytes('x'))
with tf.Graph().as_default() as graph:
    with graph.as_default():
        importer.import_graph_def(weights.graph.as_graph_def(), name='again')
    print(graph.get_operations()[0].name, context.executing_eagerly())
print(ftrl.FtrlOptimizer(0.1).get_name(), adadelta.AdadeltaOptimizer().get_name())
print([hasattr(m, n) for m, n in ((ctc_ops, 'ctc_loss'), (partitioned_variables, 'fixed_size_partitioner'),
                                  (template, 'make_template'), (server_lib, 'Server'), (metrics_impl, 'accuracy'))])

# The datasets themselves.
from tensorflow.python.data import Dataset, FixedLengthRecordDataset, Iterator, TFRecordDataset, TextLineDataset

element = tf.data.make_one_shot_iterator(Dataset.range(2)).get_next()
with tf.Session() as sess:
    print(sess.run(element), [issubclass(each, Dataset) for each in (FixedLengthRecordDataset, TFRecordDataset, TextLineDataset)], Iterator.__name__[:8])
