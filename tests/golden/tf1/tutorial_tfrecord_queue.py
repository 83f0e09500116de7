# TFRecords: write some, read them back through a queue of files.
import os
import tempfile
import numpy as np
import tensorflow as tf

def _int64_feature(value):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))

def _bytes_feature(value):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))

folder = tempfile.mkdtemp()
filename = os.path.join(folder, 'output.tfrecords')
images = np.arange(24, dtype=np.uint8).reshape(4, 6)
writer = tf.python_io.TFRecordWriter(filename)
for index in range(4):
    image_raw = images[index].tobytes()
    example = tf.train.Example(features=tf.train.Features(feature={
        'pixels': _int64_feature(6),
        'label': _int64_feature(int(index * index)),
        'weight': tf.train.Feature(float_list=tf.train.FloatList(value=[0.5 * index, 1.0])),
        'image_raw': _bytes_feature(image_raw)}))
    writer.write(example.SerializeToString())
writer.close()
print(os.path.exists(filename), os.path.getsize(filename))

for record in tf.python_io.tf_record_iterator(filename):
    example = tf.train.Example()
    example.ParseFromString(record)
    print(example.features.feature['label'].int64_list.value[0],
          list(example.features.feature['weight'].float_list.value),
          np.frombuffer(example.features.feature['image_raw'].bytes_list.value[0], dtype=np.uint8))

reader = tf.TFRecordReader()
filename_queue = tf.train.string_input_producer([filename], num_epochs=1, shuffle=False)
_, serialized_example = reader.read(filename_queue)
features = tf.parse_single_example(serialized_example, features={
    'image_raw': tf.FixedLenFeature([], tf.string),
    'pixels': tf.FixedLenFeature([], tf.int64),
    'weight': tf.FixedLenFeature([2], tf.float32),
    'label': tf.FixedLenFeature([], tf.int64)})
image = tf.decode_raw(features['image_raw'], tf.uint8)
label = tf.cast(features['label'], tf.int32)
pixels = tf.cast(features['pixels'], tf.int32)
print(image, label, features['weight'].shape)
with tf.Session() as sess:
    sess.run(tf.group(tf.global_variables_initializer(), tf.local_variables_initializer()))
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
        while not coord.should_stop():
            i, l, p, w = sess.run([image, label, pixels, features['weight']])
            print(i, l, p, w)
    except tf.errors.OutOfRangeError:
        print('Done reading')
    finally:
        coord.request_stop()
    coord.join(threads)
