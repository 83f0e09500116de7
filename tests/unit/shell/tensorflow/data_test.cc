// Input: datasets and their iterators, queues, lookup tables, readers and examples.
#include "tests/unit/shell/tensorflow/rows.h"

namespace tensh::shell {
namespace {

TEST(Datasets, Elements) {
  const std::string prefix =
      "def all_of(d):\n"
      "  n = d.make_one_shot_iterator().get_next()\n"
      "  out = []\n"
      "  with tf.Session() as s:\n"
      "    try:\n"
      "      while True: out.append(s.run(n))\n"
      "    except tf.errors.OutOfRangeError: pass\n"
      "  return [getattr(x, 'tolist', lambda: x)() for x in out]\n"
      "D = tf.data.Dataset\n";
  test::Rows().Check({
      {prefix,
       "all_of(D.range(4)), all_of(D.range(2, 9, 3)), all_of(D.from_tensor_slices([1, 2])), "
       "all_of(D.from_tensors([1, 2])), all_of(D.range(0))",
       "[0, 1, 2, 3] [2, 5, 8] [1, 2] [[1, 2]] []"},
      {prefix,
       "all_of(D.range(5).batch(2)), all_of(D.range(5).batch(2, drop_remainder=True)), "
       "all_of(D.range(2).repeat(2)), all_of(D.range(5).skip(3)), all_of(D.range(5).take(2))",
       "[[0, 1], [2, 3], [4]] [[0, 1], [2, 3]] [0, 1, 0, 1] [3, 4] [0, 1]"},
      {prefix,
       "all_of(D.range(4).map(lambda x: x * x)), all_of(D.range(4).filter(lambda x: x % 2 > 0)), "
       "all_of(D.range(3).flat_map(lambda x: D.range(x)))",
       "[0, 1, 4, 9] [1, 3] [0, 0, 1]"},
      {prefix,
       "all_of(D.zip((D.range(2), D.range(5, 9)))), all_of(D.range(2).concatenate(D.range(7, 8))), "
       "all_of(D.range(2).interleave(lambda x: D.range(x * 10, x * 10 + 2), 2, 1))",
       "[(0, 5), (1, 6)] [0, 1, 7] [0, 10, 1, 11]"},
      {prefix,
       "all_of(D.range(5).shard(2, 1)), all_of(D.range(3).prefetch(1)), "
       "all_of(D.range(3).cache()), all_of(D.range(6).apply(lambda d: d.take(1)))",
       "[1, 3] [0, 1, 2] [0, 1, 2] [0]"},
      {prefix,
       "sorted(all_of(D.range(6).shuffle(3, seed=1))), all_of(D.range(6).shuffle(3, seed=1)) == "
       "all_of(D.range(6).shuffle(3, seed=1)), all_of(D.range(4).shuffle(1))",
       "[0, 1, 2, 3, 4, 5] True [0, 1, 2, 3]"},
      {prefix,
       "all_of(D.from_tensor_slices({'a': [1, 2]}).map(lambda d: d['a'] + 1)), "
       "all_of(D.from_tensor_slices(([1, 2], [3, 4])).map(lambda a, b: a * b))",
       "[2, 3] [3, 8]"},
      {prefix,
       "all_of(D.from_generator(lambda: iter([3, 1]), tf.int32)), all_of(D.from_generator(lambda: "
       "((i, i * i) for i in range(2)), (tf.int32, tf.int64), ([], [])).map(lambda a, b: "
       "tf.to_int64(a) + b))",
       "[3, 1] [0, 2]"},
      {prefix,
       "all_of(D.range(5).window(2).flat_map(lambda w: w.batch(2))), [x for x in "
       "all_of(D.range(3).enumerate(start=5))]",
       "[[0, 1], [2, 3], [4]] [(5, 0), (6, 1), (7, 2)]"},
      {prefix, "tf.Session().run(D.range(4).reduce(tf.constant(0, tf.int64), lambda a, x: a + x))",
       "6"},
  });
}

TEST(Datasets, Types) {
  test::Rows().Check({
      {"d = tf.data.Dataset.from_tensor_slices({'a': tf.zeros([4, 3]), 'b': tf.constant([1, 2, 3, "
       "4])})",
       "d.output_shapes, d.output_types, sorted(d.batch(2).output_shapes.items())",
       "{'a': TensorShape([Dimension(3)]), 'b': TensorShape([])} {'a': tf.float32, 'b': tf.int32} "
       "[('a', TensorShape([Dimension(None), Dimension(3)])), ('b', "
       "TensorShape([Dimension(None)]))]"},
      {"d = tf.data.Dataset.from_tensor_slices((tf.zeros([4, 3]), [1, 2, 3, 4]))",
       "d.output_shapes, d.batch(2, drop_remainder=True).output_shapes, d.map(lambda a, b: "
       "a).output_types",
       "(TensorShape([Dimension(3)]), TensorShape([])) (TensorShape([Dimension(2), Dimension(3)]), "
       "TensorShape([Dimension(2)])) <dtype: 'float32'>"},
      {"", "tf.data.Dataset.from_tensor_slices(3)",
       "ValueError: Unbatching a tensor is only supported for rank >= 1"},
      {"d = tf.data.Dataset.range(3)\n"
       "it = d.make_one_shot_iterator()",
       "it.output_types, it.output_shapes, it.get_next().op.type, it.get_next().name",
       "<dtype: 'int64'> () IteratorGetNext IteratorGetNext_1:0"},
      {"it = tf.data.Dataset.range(3).make_initializable_iterator()\n"
       "n = it.get_next()\n"
       "try: tf.Session().run(n)\n"
       "except tf.errors.FailedPreconditionError as e: m = e.message",
       "'has not been initialized' in m or 'not been initialized' in m", "True"},
      {"x = tf.placeholder(tf.int64, [])\n"
       "it = tf.data.Dataset.range(x).make_initializable_iterator()\n"
       "n = it.get_next()\n"
       "s = tf.Session()\n"
       "s.run(it.initializer, {x: 1})\n"
       "a = s.run(n)\n"
       "try: s.run(n)\n"
       "except tf.errors.OutOfRangeError as e: m = e.message",
       "a, m.split('\\n')[0]", "0 End of sequence"},
      {"a, b = tf.data.Dataset.range(2), tf.data.Dataset.range(10, 12)\n"
       "it = tf.data.Iterator.from_structure(a.output_types, a.output_shapes)\n"
       "n = it.get_next()\n"
       "i, j = it.make_initializer(a), it.make_initializer(b)\n"
       "s = tf.Session()\n"
       "s.run(j)\n"
       "x = s.run(n)\n"
       "s.run(i)",
       "x, s.run(n)", "10 0"},
      {"d = tf.data.Dataset.range(3)\n"
       "h = tf.placeholder(tf.string, [])\n"
       "it = tf.data.Iterator.from_string_handle(h, d.output_types, d.output_shapes)\n"
       "n = it.get_next()\n"
       "one = d.make_one_shot_iterator()\n"
       "s = tf.Session()\n"
       "k = s.run(one.string_handle())",
       "s.run(n, {h: k}), s.run(n, {h: k})", "0 1"},
  });
}

TEST(Queues, Use) {
  test::Rows().Check({
      {"q = tf.FIFOQueue(3, tf.int32, shapes=[[]])\n"
       "s = tf.Session()\n"
       "s.run(q.enqueue(7))\n"
       "s.run(q.enqueue_many([[8, 9]]))",
       "s.run(q.size()), s.run(q.dequeue()), s.run(q.dequeue_many(2)), q.dtypes, q.shapes, q.name",
       "3 7 [8 9] [tf.int32] [TensorShape([])] fifo_queue"},
      {"q = tf.PriorityQueue(3, [tf.string], [[]])\n"
       "s = tf.Session()\n"
       "s.run(q.enqueue_many([[5, 1, 3], ['e', 'a', 'c']]))",
       "[s.run(q.dequeue()) for _ in range(3)]", "[[1, b'a'], [3, b'c'], [5, b'e']]"},
      {"q = tf.PaddingFIFOQueue(3, tf.int32, [[None]])\n"
       "s = tf.Session()\n"
       "s.run(q.enqueue([[1]]))\n"
       "s.run(q.enqueue([[2, 3]]))",
       "s.run(q.dequeue_many(2)).tolist(), q.dequeue_many(2).shape", "[[1, 0], [2, 3]] (2, ?)"},
      {"q = tf.RandomShuffleQueue(10, 0, tf.int32, [[]], seed=1)\n"
       "s = tf.Session()\n"
       "s.run(q.enqueue_many([list(range(5))]))",
       "sorted(s.run(q.dequeue_many(5)).tolist())", "[0, 1, 2, 3, 4]"},
      {"q = tf.FIFOQueue(3, tf.int32, shapes=[[]])\n"
       "s = tf.Session()\n"
       "s.run(q.enqueue(1))\n"
       "s.run(q.close())\n"
       "a = s.run(q.dequeue_up_to(5)).tolist()\n"
       "try: s.run(q.enqueue(1))\n"
       "except tf.errors.CancelledError as e: m = type(e).__name__",
       "a, m, s.run(q.is_closed())", "[1] CancelledError True"},
      {"q = tf.FIFOQueue(3, tf.int32)",
       "q.enqueue_many([[1, 2]]).type, q.dequeue().shape, q.dequeue_many(2)",
       "QueueEnqueueManyV2 <unknown> Tensor(\"fifo_queue_DequeueMany:0\", dtype=int32)"},
      {"q = tf.FIFOQueue(3, tf.int32, shapes=[[2]])", "q.enqueue([[1, 2, 3]])",
       "ValueError: Shapes (3,) and (2,) are incompatible"},
      {"q = tf.FIFOQueue(3, tf.int32, shared_name='s', name='q')",
       "q.queue_ref.name, q.queue_ref.op.get_attr('shared_name'), "
       "q.queue_ref.op.get_attr('capacity'), q.queue_ref.dtype",
       "q:0 b's' 3 <dtype: 'resource'>"},
  });
}

TEST(Tables, Use) {
  test::Rows().Check({
      {"t = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(['a', 'b'], [1, 2]), "
       "-1)\n"
       "s = tf.Session()\n"
       "s.run(tf.tables_initializer())",
       "s.run(t.lookup(tf.constant([['a'], ['c']]))), s.run(t.size()), t.key_dtype, t.value_dtype",
       "[[ 1]\n"
       " [-1]] 2 <dtype: 'string'> <dtype: 'int32'>"},
      {"t = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(['a'], [1]), -1)",
       "t.lookup(tf.constant([1]))",
       "TypeError: Signature mismatch. Keys must be dtype <dtype: 'string'>, got <dtype: "
       "'int32'>."},
      {"t = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(['a'], [1]), -1)\n"
       "try: tf.Session().run(t.lookup(tf.constant('a')))\n"
       "except tf.errors.FailedPreconditionError as e: m = e.message",
       "'not initialized' in m", "True"},
      {"t = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1, 1], [1, 2]), -1)\n"
       "try: tf.Session().run(tf.tables_initializer())\n"
       "except tf.errors.OpError as e: m = type(e).__name__",
       "m", "FailedPreconditionError"},
  });
}

TEST(Records, Examples) {
  test::Rows().Check({
      {"f = {'a': tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2])), 'b': "
       "tf.train.Feature(bytes_list=tf.train.BytesList(value=[b'x']))}\n"
       "e = tf.train.Example(features=tf.train.Features(feature=f))\n"
       "b = e.SerializeToString()\n"
       "r = tf.train.Example.FromString(b)",
       "r.features.feature['a'].int64_list.value[1], r.features.feature['b'].bytes_list.value[0], "
       "sorted(r.features.feature), r == e",
       "2 b'x' ['a', 'b'] True"},
      {"e = tf.train.Example()\n"
       "e.features.feature['x'].float_list.value.extend([1.5, 2.])\n"
       "p = tf.parse_single_example(e.SerializeToString(), {'x': tf.FixedLenFeature([2], "
       "tf.float32), 'y': tf.FixedLenFeature([], tf.int64, 7), 'z': tf.VarLenFeature(tf.string)})\n"
       "r = tf.Session().run(p)",
       "r['x'], r['y'], r['z'].dense_shape", "[1.5 2. ] 7 [0]"},
      {"e = tf.train.Example()\n"
       "try: tf.Session().run(tf.parse_single_example(e.SerializeToString(), {'x': "
       "tf.FixedLenFeature([2], tf.float32)}))\n"
       "except tf.errors.InvalidArgumentError as e: m = e.message",
       "'x' in m and 'required but could not be found' in m", "True"},
      {"e = tf.train.Example()\n"
       "e.features.feature['x'].int64_list.value.append(5)\n"
       "r = tf.Session().run(tf.parse_example([e.SerializeToString()] * 2, {'x': "
       "tf.FixedLenFeature([1], tf.int64)}))",
       "r['x'].tolist()", "[[5], [5]]"},
      {"e = tf.train.Example()\n"
       "e.features.feature['x'].int64_list.value.append(5)",
       "e",
       "features {\n"
       "  feature {\n"
       "    key: \"x\"\n"
       "    value {\n"
       "      int64_list {\n"
       "        value: 5\n"
       "      }\n"
       "    }\n"
       "  }\n"
       "}\n"},
      {"", "tf.parse_example(['a'], {})", "ValueError: Missing: features was {}."},
      {"", "tf.train.Feature(int64_list=tf.train.Int64List(value=['a']))",
       "TypeError: 'str' object cannot be interpreted as an integer"},
      {"import tempfile\n"
       "p = tempfile.mkdtemp() + '/r'\n"
       "with tf.python_io.TFRecordWriter(p) as w:\n"
       "  for v in (b'one', b'', b'two'): w.write(v)\n"
       "n = tf.data.TFRecordDataset(p).make_one_shot_iterator().get_next()\n"
       "s = tf.Session()",
       "list(tf.python_io.tf_record_iterator(p)), [s.run(n), s.run(n), s.run(n)]",
       "[b'one', b'', b'two'] [b'one', b'', b'two']"},
      {"import tempfile\n"
       "p = tempfile.mkdtemp() + '/t'\n"
       "with tf.gfile.Open(p, 'w') as f: f.write('a\\nb\\n')\n"
       "n = tf.data.TextLineDataset(p).skip(1).make_one_shot_iterator().get_next()",
       "tf.Session().run(n), tf.gfile.Exists(p), tf.gfile.Stat(p).length, tf.gfile.Open(p).read()",
       "b'b' True 4 a\n"
       "b\n"},
      {"r = tf.decode_csv(['1,x,2.5', '3,,4'], [[0], ['d'], [0.]])", "tf.Session().run(r)",
       "[array([1, 3], dtype=int32), array([b'x', b'd'], dtype=object), array([2.5, 4. ], "
       "dtype=float32)]"},
      {"try: tf.Session().run(tf.decode_csv(['1,x'], [[0], ['d'], [0.]]))\n"
       "except tf.errors.InvalidArgumentError as e: m = e.message",
       "m.split('\\n')[0]", "Expect 3 fields but have 2 in record 0"},
  });
}

}  // namespace
}  // namespace tensh::shell
