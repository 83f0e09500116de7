// Strings, sparse tensors, sets, images, signals, summaries, protocol messages and the helpers of
// scripts: flags, logging, nests and files.
#include "tests/unit/shell/tensorflow/rows.h"

namespace tensh::shell {
namespace {

TEST(Strings, Values) {
  test::Rows().Check({
      {"",
       "tf.Session().run([tf.string_join(['a', ['b', 'c']], '-'), tf.substr('hello', 1, 3), "
       "tf.strings.length(['a', 'bcd']), tf.as_string([1, 2])])",
       "[array([b'a-b', b'a-c'], dtype=object), b'ell', array([1, 3], dtype=int32), array([b'1', "
       "b'2'], dtype=object)]"},
      {"",
       "tf.Session().run([tf.string_to_number(['1.5', '2']), tf.string_to_number('7', tf.int32), "
       "tf.regex_replace('a1b22', '[0-9]+', '#'), tf.string_strip([' a '])])",
       "[array([1.5, 2. ], dtype=float32), 7, b'a#b#', array([b'a'], dtype=object)]"},
      {"",
       "tf.Session().run([tf.strings.regex_full_match(['ab', 'b'], 'a.*'), "
       "tf.strings.lower('ABC'), tf.strings.upper('abc'), tf.reduce_join([['a', 'b'], ['c', 'd']], "
       "1)])",
       "[array([ True, False]), b'abc', b'ABC', array([b'ab', b'cd'], dtype=object)]"},
      {"", "tf.Session().run(tf.string_split(['a b', 'c']))",
       "SparseTensorValue(indices=array([[0, 0],\n"
       "       [0, 1],\n"
       "       [1, 0]]), values=array([b'a', b'b', b'c'], dtype=object), dense_shape=array([2, "
       "2]))"},
      {"",
       "tf.Session().run(tf.string_split(['a,b,,c'], ',')).values, "
       "tf.Session().run(tf.string_split(['a,b,,c'], ',', skip_empty=False)).values",
       "[b'a' b'b' b'c'] [b'a' b'b' b'' b'c']"},
      {"",
       "tf.Session().run([tf.encode_base64('ab?'), tf.decode_base64('YWI_'), "
       "tf.string_to_hash_bucket_fast(['a', 'b'], 10), tf.string_to_hash_bucket(['a'], 10)])",
       "[b'YWI_', b'ab?', array([9, 2]), array([8])]"},
      {"",
       "tf.Session().run([tf.decode_raw(['\\x01\\x02'], tf.uint8), tf.strings.format('{} and {}', "
       "(tf.constant([1, 2]), 'x'))])",
       "[array([[1, 2]], dtype=uint8), b'[1 2] and \"x\"']"},
      {"", "tf.strings.format('{} {}', [1])",
       "ValueError: 2 placeholder(s) in template does not match 1 tensor(s) provided as input"},
      {"", "tf.string_to_hash_bucket_fast(['a'], 0)",
       "ValueError: Value for attr 'num_buckets' of 0 must be at least minimum 1; op: "
       "StringToHashBucketFast"},
      {"try: tf.Session().run(tf.string_to_number('abc'))\n"
       "except tf.errors.InvalidArgumentError as e: m = e.message",
       "m.split('\\n')[0].split(' [[')[0]",
       "StringToNumberOp could not correctly convert string: abc"},
      {"",
       "tf.compat.as_bytes('é'), tf.compat.as_text(b'\\xc3\\xa9'), tf.compat.as_str(b'a'), "
       "tf.compat.as_str_any(3)",
       "b'\\xc3\\xa9' é a 3"},
      {"", "tf.compat.as_bytes(3)", "TypeError: Expected binary or unicode string, got 3"},
  });
}

TEST(Sparse, Values) {
  test::Rows().Check({
      {"s = tf.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 2])",
       "tf.Session().run([tf.sparse_tensor_to_dense(s), tf.sparse_reduce_sum(s, 0), "
       "tf.sparse_tensor_to_dense(tf.sparse_transpose(s))]), s.dtype, s.shape, s.get_shape()",
       "[array([[0, 5],\n"
       "       [0, 0],\n"
       "       [6, 0]], dtype=int32), array([6, 5], dtype=int32), array([[0, 0, 6],\n"
       "       [5, 0, 0]], dtype=int32)] <dtype: 'int32'> (3, 2) (3, 2)"},
      {"s = tf.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 2])",
       "tf.Session().run([s.values, s.indices, s.dense_shape]), [type(x).__name__ for x in (s, "
       "tf.Session().run(s))]",
       "[array([5, 6], dtype=int32), array([[0, 1],\n"
       "       [2, 0]]), array([3, 2])] ['SparseTensor', 'SparseTensorValue']"},
      {"a = tf.SparseTensor([[0, 0]], [1.], [2, 2])\n"
       "b = tf.SparseTensor([[0, 0], [1, 1]], [2., 3.], [2, 2])",
       "tf.Session().run([tf.sparse_tensor_to_dense(tf.sparse_add(a, b)), "
       "tf.sparse_tensor_dense_matmul(b, tf.ones([2, 1])), (b * 2.).values])",
       "[array([[3., 0.],\n"
       "       [0., 3.]], dtype=float32), array([[2.],\n"
       "       [3.]], dtype=float32), array([4., 6.], dtype=float32)]"},
      {"s = tf.SparseTensor([[1, 0], [0, 1]], [6, 5], [2, 2])",
       "tf.Session().run(tf.sparse_reorder(s).values), tf.Session().run(tf.sparse_to_dense([[1]], "
       "[3], [9], -1)), tf.Session().run(tf.sparse_retain(s, [True, False]).values)",
       "[5 6] [-1  9 -1] [6]"},
      {"s = tf.SparseTensor([[0, 0], [0, 1]], ['a', 'b'], [1, 3])",
       "tf.Session().run(tf.sparse_tensor_to_dense(s, '-')), tf.Session().run(tf.sparse_slice(s, "
       "[0, 1], [1, 2]).values), tf.Session().run(tf.sparse_reshape(s, [3, 1]).indices).tolist()",
       "[[b'a' b'b' b'-']] [b'b'] [[0, 0], [1, 0]]"},
      {"s = tf.SparseTensor([[0, 0], [1, 1]], [1, 2], [2, 3])",
       "tf.Session().run(tf.sparse_concat(1, [s, s]).indices).tolist(), "
       "tf.Session().run(tf.sparse_fill_empty_rows(tf.SparseTensor([[1, 0]], [5], [2, 1]), "
       "7)[0].values)",
       "[[0, 0], [0, 3], [1, 1], [1, 4]] [7 5]"},
      {"", "tf.SparseTensor([[0, 1]], [5, 6], [3, 2])",
       "ValueError: Dimensions 1 and 2 are not compatible"},
      {"", "tf.SparseTensor([0, 1], [5, 6], [3, 2])", "ValueError: Shape (2,) must have rank 2"},
      {"",
       "tf.sparse_placeholder(tf.float32, [2, 3]).shape, "
       "tf.sparse_placeholder(tf.float32).dense_shape.shape",
       "(2, 3) (?,)"},
      {"", "tf.Session().run(tf.sets.intersection([[1, 2]], [[2, 3]]).values)", "[2]"},
      {"",
       "tf.Session().run([tf.sets.size(tf.sets.union([[1, 2]], [[2, 3]])), tf.sets.difference([[1, "
       "2]], [[2, 3]]).values])",
       "[array([3], dtype=int32), array([1], dtype=int32)]"},
      {"s = tf.IndexedSlices(tf.constant([[1., 2.]]), tf.constant([1]), tf.constant([3, 2]))",
       "s.values.shape, s.indices.name, s.dtype, tf.Session().run(tf.convert_to_tensor(s))",
       "(1, 2) Const_1:0 <dtype: 'float32'> [[0. 0.]\n"
       " [1. 2.]\n"
       " [0. 0.]]"},
  });
}

TEST(Images, Values) {
  test::Rows().Check({
      {"x = tf.constant([[[1], [2]], [[3], [4]]])",
       "tf.Session().run([tf.image.flip_left_right(x)[..., 0], tf.image.flip_up_down(x)[..., 0], "
       "tf.image.rot90(x)[..., 0], tf.image.transpose_image(x)[..., 0]])",
       "[array([[2, 1],\n"
       "       [4, 3]], dtype=int32), array([[3, 4],\n"
       "       [1, 2]], dtype=int32), array([[2, 4],\n"
       "       [1, 3]], dtype=int32), array([[1, 3],\n"
       "       [2, 4]], dtype=int32)]"},
      {"x = tf.reshape(tf.range(16.), [1, 4, 4, 1])",
       "tf.Session().run([tf.image.resize_nearest_neighbor(x, [2, 2])[0, :, :, 0], "
       "tf.image.resize_bilinear(x, [2, 2])[0, :, :, 0], tf.image.resize_area(x, [2, 2])[0, :, :, "
       "0]])",
       "[array([[ 0.,  2.],\n"
       "       [ 8., 10.]], dtype=float32), array([[ 0.,  2.],\n"
       "       [ 8., 10.]], dtype=float32), array([[ 2.5,  4.5],\n"
       "       [10.5, 12.5]], dtype=float32)]"},
      {"x = tf.reshape(tf.range(16.), [4, 4, 1])",
       "tf.Session().run(tf.image.central_crop(x, .5)[..., 0]).tolist(), "
       "tf.image.resize_image_with_crop_or_pad(x, 6, 2).shape, tf.image.crop_to_bounding_box(x, 1, "
       "1, 2, 3).shape, tf.image.pad_to_bounding_box(x, 1, 1, 6, 6).shape",
       "[[5.0, 6.0], [9.0, 10.0]] (6, 2, 1) (2, 3, 1) (6, 6, 1)"},
      {"",
       "tf.Session().run([tf.image.rgb_to_grayscale([[[1., 1., 1.]]]), "
       "tf.image.convert_image_dtype(tf.constant([255], tf.uint8), tf.float32), "
       "tf.image.adjust_brightness([[[.5]]], .25)])",
       "[array([[[0.99990004]]], dtype=float32), array([1.], dtype=float32), array([[[0.75]]], "
       "dtype=float32)]"},
      {"",
       "tf.Session().run(tf.image.convert_image_dtype([1., .5, 0.], tf.uint8)), "
       "tf.image.grayscale_to_rgb(tf.zeros([2, 2, 1])).shape, "
       "tf.Session().run(tf.image.total_variation([[[1.], [3.]]]))",
       "AttributeError: 'list' object has no attribute 'get_shape'"},
      {"", "tf.image.central_crop(tf.zeros([4, 4, 1]), 1.5)",
       "ValueError: central_fraction must be within (0, 1]"},
      {"", "tf.image.rgb_to_hsv(tf.zeros([2, 2, 4]))", "ValueError: Dimension must be 3 but is 4"},
      {"", "tf.image.resize_images(tf.zeros([2, 2]), [4, 4])",
       "ValueError: 'images' must have either 3 or 4 dimensions."},
      {"", "tf.image.resize_images(tf.zeros([2, 2, 1]), [4])",
       "ValueError: 'size' must be a 1-D Tensor of 2 elements: new_height, new_width"},
      {"", "tf.image.crop_to_bounding_box(tf.zeros([4, 4, 1]), 3, 0, 2, 2)",
       "ValueError: height must be >= target + offset."},
      {"x = tf.constant(np.arange(12, dtype=np.uint8).reshape(2, 2, 3))",
       "(tf.Session().run(tf.image.decode_png(tf.image.encode_png(x))) == np.arange(12).reshape(2, "
       "2, 3)).all(), tf.image.decode_png('').shape, tf.image.decode_image('').shape",
       "True (?, ?, ?) <unknown>"},
      {"",
       "tf.Session().run(tf.image.non_max_suppression([[0., 0., 1., 1.], [0., 0., 1., .9], [2., "
       "2., 3., 3.]], [.5, .9, .3], 3))",
       "[1 2]"},
      {"",
       "tf.Session().run(tf.image.per_image_standardization(tf.constant([[[1.], [3.]]]))).ravel(), "
       "tf.image.ResizeMethod.BICUBIC, tf.image.resize_images(tf.zeros([1, 2, 2, 3]), [4, "
       "5]).shape",
       "[-1.  1.] 2 (1, 4, 5, 3)"},
  });
}

TEST(Signals, Values) {
  test::Rows().Check({
      {"", "np.round(tf.Session().run([tf.fft([1 + 0j, 0, 0, 0]), tf.ifft([4 + 0j, 0, 0, 0])]), 4)",
       "[[1.+0.j 1.+0.j 1.+0.j 1.+0.j]\n"
       " [1.+0.j 1.+0.j 1.+0.j 1.+0.j]]"},
      {"",
       "tf.spectral.rfft(tf.zeros([8])).shape, tf.spectral.irfft(tf.zeros([5], "
       "tf.complex64)).shape, tf.Session().run(tf.spectral.rfft([1., 1.]))",
       "(5,) (8,) [2.+0.j 0.+0.j]"},
      {"", "tf.Session().run(tf.signal.frame(tf.range(5), 3, 1)).tolist()",
       "[[0, 1, 2], [1, 2, 3], [2, 3, 4]]"},
      {"",
       "np.round(tf.Session().run([tf.signal.hann_window(4), tf.signal.hamming_window(4)]), "
       "4).tolist(), tf.signal.stft(tf.zeros([100]), 20, 10).shape",
       "[[0.0, 0.5, 1.0, 0.5], [0.07999999821186066, 0.5400000214576721, 1.0, 0.5400000214576721]] "
       "(9, 17)"},
      {"",
       "np.round(tf.Session().run(tf.signal.dct([1., 2.])), 3), "
       "tf.Session().run(tf.signal.overlap_and_add([[1, 2], [3, 4]], 1))",
       "[ 6.    -1.414] [1 5 4]"},
      {"", "tf.fft([1., 2.])", "Tensor(\"FFT:0\", shape=(2,), dtype=complex64)"},
  });
}

TEST(Summaries, Messages) {
  test::Rows().Check({
      {"s = tf.summary.scalar('loss', tf.constant(2.5))\n"
       "m = tf.Summary.FromString(tf.Session().run(s))",
       "s.op.name, s.dtype, m.value[0].tag, m.value[0].simple_value, [t.name for t in "
       "tf.get_collection(tf.GraphKeys.SUMMARIES)]",
       "loss <dtype: 'string'> loss 2.5 ['loss:0']"},
      {"with tf.name_scope('a'): s = tf.summary.scalar('loss', 1.)",
       "tf.Summary.FromString(tf.Session().run(s)).value[0].tag, tf.summary.scalar('a b', "
       "1.).op.name",
       "a/loss a_b"},
      {"h = tf.Summary.FromString(tf.Session().run(tf.summary.histogram('h', [1., 2., "
       "3.]))).value[0].histo",
       "h.min, h.max, h.num, h.sum, h.sum_squares", "1.0 3.0 3.0 6.0 14.0"},
      {"tf.summary.scalar('a', 1.)\n"
       "tf.summary.scalar('b', 2.)\n"
       "m = tf.summary.merge_all()",
       "[v.tag for v in tf.Summary.FromString(tf.Session().run(m)).value], m.op.type, "
       "tf.summary.merge_all('none')",
       "['a', 'b'] MergeSummary None"},
      {"", "tf.summary.merge([])",
       "ValueError: Value for attr 'N' of 0 must be at least minimum 1; op: MergeSummary"},
      {"", "tf.summary.scalar('a', 'x')",
       "TypeError: Value passed to parameter 'values' has DataType string not in list of allowed "
       "values: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, "
       "uint32, uint64"},
      {"try: tf.Session().run(tf.summary.scalar('a', [1., 2.]))\n"
       "except tf.errors.InvalidArgumentError as e: m = type(e).__name__",
       "m", "InvalidArgumentError"},
      {"s = tf.Summary(value=[tf.Summary.Value(tag='t', simple_value=1.5)])", "s",
       "value {\n"
       "  tag: \"t\"\n"
       "  simple_value: 1.5\n"
       "}\n"},
      {"import tempfile, os\n"
       "d = tempfile.mkdtemp()\n"
       "w = tf.summary.FileWriter(d)\n"
       "w.add_summary(tf.Summary(value=[tf.Summary.Value(tag='t', simple_value=1.5)]), 3)\n"
       "w.close()\n"
       "e = [e for e in tf.train.summary_iterator(d + '/' + os.listdir(d)[0])]",
       "len(e), e[0].file_version, e[1].step, e[1].summary.value[0].tag", "2 brain.Event:2 3 t"},
  });
}

TEST(Messages, Text) {
  test::Rows().Check({
      {"",
       "tf.train.Int64List(value=[1, 2]), tf.train.BytesList(value=[b'a\\n']), "
       "tf.train.FloatList(value=[.5])",
       "value: 1\n"
       "value: 2\n"
       " value: \"a\\n\"\n"
       " value: 0.5\n"},
      {"f = tf.train.Features()\n"
       "f.feature['k'].int64_list.value.extend([1, 2])",
       "f.feature['k'].WhichOneof('kind'), f.feature['none'].WhichOneof('kind'), len(f.feature)",
       "int64_list None 2"},
      {"x = tf.train.Int64List(value=[1])\n"
       "y = tf.train.Int64List()\n"
       "y.CopyFrom(x)\n"
       "y.value.append(2)",
       "x == y, x.value, y.value[:], y.SerializeToString(), y.ByteSize()",
       "False [1] [1, 2] b'\\n\\x02\\x01\\x02' 4"},
      {"c = tf.train.ClusterSpec({'ps': ['a:1', 'b:2'], 'worker': ['c:3']})",
       "c.jobs, c.num_tasks('ps'), c.task_address('ps', 1), c.job_tasks('worker'), "
       "c.task_indices('ps'), c.as_dict()",
       "['ps', 'worker'] 2 b:2 ['c:3'] [0, 1] {'ps': ['a:1', 'b:2'], 'worker': ['c:3']}"},
      {"", "tf.train.ClusterSpec({'ps': ['a:1']}).task_address('ps', 3)",
       "ValueError: No task with index 3 in job 'ps'"},
      {"", "tf.train.ClusterSpec({'ps': ['a:1']}).num_tasks('worker')",
       "ValueError: No such job in cluster: 'worker'"},
      {"", "tf.train.ClusterSpec([1])",
       "TypeError: `cluster` must be a dictionary mapping one or more job names to lists of "
       "network addresses, or a `ClusterDef` protocol buffer"},
      {"",
       "tf.train.ClusterSpec({'w': {1: 'a:1', 3: 'b:2'}}).as_dict(), "
       "bool(tf.train.ClusterSpec({}))",
       "{'w': {1: 'a:1', 3: 'b:2'}} False"},
      {"from google.protobuf import text_format\n"
       "g = text_format.Parse('node { name: \"a\" op: \"NoOp\" }', tf.GraphDef())",
       "g.node[0].name, text_format.MessageToString(tf.train.Int64List(value=[3]))",
       "a value: 3\n"},
  });
}

TEST(Scripts, Helpers) {
  test::Rows().Check({
      {"",
       "tf.nest.flatten([1, (2, {'b': 4, 'a': 3})]), tf.nest.map_structure(lambda x: x + 1, {'a': "
       "[1, 2]}), tf.nest.pack_sequence_as([0, (0, 0)], [1, 2, 3])",
       "[1, 2, 3, 4] {'a': [2, 3]} [1, (2, 3)]"},
      {"", "tf.nest.map_structure(lambda a, b: a, [1, 2], [1])",
       "ValueError: The two structures don't have the same number of elements.\n"
       "\n"
       "First structure (2 elements): [1, 2]\n"
       "\n"
       "Second structure (1 elements): [1]"},
      {"", "tf.nest.pack_sequence_as([0, 0], [1])",
       "ValueError: Could not pack sequence. Structure had 2 elements, but flat_sequence had 1 "
       "elements.  Structure: [0, 0], flat_sequence: [1]."},
      {"", "tf.nest.assert_same_structure([1, 2], (1, 2))",
       "TypeError: The two structures don't have the same sequence type. First structure has type "
       "<class 'list'>, while second structure has type <class 'tuple'>."},
      {"",
       "tf.nest.assert_same_structure([1, 2], (1, 2), check_types=False), tf.nest.is_nested([1]), "
       "tf.nest.is_nested('a')",
       "None True False"},
      {"import tempfile\n"
       "d = tempfile.mkdtemp()\n"
       "tf.gfile.MakeDirs(d + '/a/b')\n"
       "with tf.gfile.GFile(d + '/a/f.txt', 'w') as f: f.write('line1\\nline2\\n')",
       "sorted(tf.gfile.ListDirectory(d + '/a')), tf.gfile.IsDirectory(d + '/a'), [p[len(d):] for "
       "p in tf.gfile.Glob(d + '/a/*.txt')], tf.gfile.GFile(d + '/a/f.txt').readlines()",
       "['b', 'f.txt'] True ['/a/f.txt'] ['line1\\n', 'line2\\n']"},
      {"import tempfile\n"
       "d = tempfile.mkdtemp()\n"
       "with tf.gfile.GFile(d + '/f', 'w') as f: f.write('x')\n"
       "tf.gfile.Copy(d + '/f', d + '/g')\n"
       "tf.gfile.Rename(d + '/g', d + '/h')\n"
       "tf.gfile.Remove(d + '/f')",
       "tf.gfile.ListDirectory(d), tf.gfile.Exists(d + '/g')", "['h'] False"},
      {"", "tf.gfile.GFile('/no/such/file').read()",
       "NotFoundError: /no/such/file; No such file or directory"},
      {"", "tf.gfile.ListDirectory('/no/such/folder')",
       "NotFoundError: Could not find directory /no/such/folder"},
      {"", "tf.logging.INFO, tf.logging.DEBUG, tf.logging.WARN, tf.logging.ERROR, tf.logging.FATAL",
       "20 10 30 40 50"},
      {"tf.logging.set_verbosity(tf.logging.ERROR)", "tf.logging.get_verbosity()", "40"},
      {"y = tf.py_func(lambda a: [a, a * 2.5], [tf.constant(2.)], [tf.float32, tf.float32])",
       "tf.Session().run(y)", "[2.0, 5.0]"},
      {"y = tf.py_func(lambda a: 1 // 0, [1], tf.int64)\n"
       "try: tf.Session().run(y)\n"
       "except tf.errors.OpError as e: m = type(e).__name__, 'ZeroDivisionError' in e.message",
       "m", "('UnknownError', True)"},
      {"@tf.contrib.framework.add_arg_scope\n"
       "def f(a, b=1): return a, b\n"
       "with tf.contrib.framework.arg_scope([f], b=5): x = f(0)",
       "x, f(0), tf.contrib.framework.has_arg_scope(f)", "(0, 5) (0, 1) True"},
      {"y = tf.contrib.layers.fully_connected(tf.ones([2, 3]), 4, scope='fc')",
       "y.op.name, [(v.name, v.shape.as_list()) for v in "
       "tf.contrib.framework.get_model_variables()]",
       "fc/Relu [('fc/weights:0', [3, 4]), ('fc/biases:0', [4])]"},
      {"y = tf.contrib.layers.conv2d(tf.ones([1, 4, 4, 1]), 2, 3, scope='c', "
       "weights_regularizer=tf.contrib.layers.l2_regularizer(.1))",
       "y.op.name, y.shape, [t.name for t in tf.losses.get_regularization_losses()]",
       "c/Relu (1, 4, 4, 2) ['c/kernel/Regularizer/l2_regularizer:0']"},
      {"slim = tf.contrib.slim\n"
       "y = slim.stack(tf.ones([2, 3]), slim.fully_connected, [4, 5], scope='s')",
       "y.shape, [v.name for v in slim.get_variables()]",
       "(2, 5) ['s/s_1/weights:0', 's/s_1/biases:0', 's/s_2/weights:0', 's/s_2/biases:0']"},
      {"s = tf.Session()",
       "s.run([tf.contrib.layers.l2_regularizer(.5)(tf.constant([3., 4.])), "
       "tf.contrib.layers.l1_regularizer(.5)(tf.constant([3., -4.]))]), "
       "tf.contrib.layers.l2_regularizer(0.)(tf.constant(1.))",
       "[6.25, 3.5] None"},
      {"", "tf.contrib.layers.l2_regularizer(-1.)",
       "ValueError: Setting a scale less than 0 on a regularizer: -1."},
  });
}

}  // namespace
}  // namespace tensh::shell
