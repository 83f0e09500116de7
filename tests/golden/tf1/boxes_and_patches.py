# Boxes on images, windows of them, and tensors as messages.
import numpy as np
import tensorflow as tf

sess = tf.Session()
image = np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2) / 32
print(sess.run(tf.extract_image_patches(image, ksizes=[1, 2, 2, 1], strides=[1, 2, 2, 1], rates=[1, 1, 1, 1], padding='VALID')).shape)
print(sess.run(tf.image.extract_image_patches(image, [1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], 'SAME'))[0, 0, 0])
print(sess.run(tf.image.extract_patches(image, sizes=[1, 2, 1, 1], strides=[1, 1, 3, 1], rates=[1, 2, 1, 1], padding='VALID'))[0, :, :, 0])
volume = tf.constant(np.arange(12.).reshape(1, 2, 3, 2, 1))
print(sess.run(tf.extract_volume_patches(volume, [1, 2, 2, 2, 1], [1, 1, 1, 1, 1], 'VALID'))[0, 0, :, 0])
x = tf.constant(image)
patches = tf.extract_image_patches(x, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], 'SAME')
print(sess.run(tf.gradients(patches, x)[0])[0, :, :, 0])
print(sess.run(tf.image.extract_glimpse(image, [2, 2], [[0.5, 0.0]], uniform_noise=False))[0, :, :, 1])
print(sess.run(tf.image.extract_glimpse(image, [2, 2], [[-1., 1.]], centered=True, normalized=False))[0, :, :, 0])

box = [[[0.1, 0.2, 0.8, 0.9]]]
print(sess.run(tf.image.draw_bounding_boxes(np.zeros((1, 5, 5, 3), np.float32), box))[0, :, :, 0])
print(sess.run(tf.image.draw_bounding_boxes(np.zeros((1, 5, 5, 1), np.float32), box, colors=[[0.5]]))[0, :, :, 0])
begin, size, crop = tf.image.sample_distorted_bounding_box([40, 30, 3], box, seed=3, seed2=4, min_object_covered=0.5)
print(sess.run([begin, size, crop]))
part = tf.slice(np.zeros((40, 30, 3), np.uint8), begin, size)
print(part.get_shape(), sess.run(tf.shape(part)))

boxes = np.array([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 2, 1, 3], [0, 2.05, 1, 3.05]], np.float32)
scores = np.array([0.9, 0.75, 0.6, 0.95], np.float32)
print(sess.run(tf.image.non_max_suppression_with_scores(boxes, scores, 4, iou_threshold=0.5)))
indices, left = sess.run(tf.image.non_max_suppression_with_scores(boxes, scores, 4, score_threshold=0.1, soft_nms_sigma=0.5))
print(indices, ['%.4f' % s for s in left])
print(sess.run(tf.image.non_max_suppression_padded(boxes, scores, 4, pad_to_max_output_size=True)))
print(sess.run(tf.image.non_max_suppression_overlaps(np.eye(4, dtype=np.float32), scores, 3)))
print(sess.run(tf.image.combined_non_max_suppression(boxes.reshape(1, 4, 1, 4), np.stack([scores, 1 - scores], 1)[None], 2, 3)))

text = tf.serialize_tensor(tf.constant([[1, 2], [3, 4]], tf.int64))
print(sess.run(text))
print(sess.run(tf.parse_tensor(text, tf.int64)), sess.run(tf.io.parse_tensor(tf.io.serialize_tensor('word'), tf.string)))
try:
    sess.run(tf.parse_tensor(b'not one', tf.float32))
except tf.errors.InvalidArgumentError as e:
    print(type(e).__name__)
packed = b'x\x9c\xcbH\xcd\xc9\xc9W\xc8@\x90\x00:.\x06}'
print(sess.run(tf.io.decode_compressed([packed, packed], 'ZLIB')), sess.run(tf.decode_compressed(b'plain')))

summary = tf.Summary.FromString(sess.run(tf.summary.text('note', tf.constant(['a', 'b']))))
print(summary.value[0].tag, summary.value[0].metadata.plugin_data.plugin_name)
summary = tf.Summary.FromString(sess.run(tf.summary.tensor_summary('kept', [1., 2.], 'what it is', display_name='Kept')))
print(summary.value[0].tag, summary.value[0].metadata.display_name, summary.value[0].metadata.summary_description)
print([t.op.type for t in tf.get_collection(tf.GraphKeys.SUMMARIES)])
print(tf.SummaryMetadata(display_name='x', plugin_data=tf.SummaryMetadata.PluginData(plugin_name='p', content=b'c')))
