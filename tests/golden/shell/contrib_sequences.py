# tf.contrib is not in the TensorFlow that records the other scripts: values are checked here against numpy and sums over
# all sequences, and the rest by shapes and lengths.
import itertools
import numpy as np
import tensorflow as tf
from tensorflow.contrib import crf, legacy_seq2seq, rnn, seq2seq
from tensorflow.contrib.factorization import KMeans, RANDOM_INIT, SQUARED_EUCLIDEAN_DISTANCE
from tensorflow.contrib.learn.preprocessing import VocabularyProcessor, CategoricalVocabulary, tokenizer
from tensorflow.contrib.tensorboard.plugins import projector
from tensorflow.contrib.training import HParams

np.random.seed(0)
B, T, D, V = 3, 5, 4, 7
encoded = tf.constant(np.random.rand(B, T, D), tf.float32)
lengths = tf.constant([5, 3, 4])
embedding = tf.get_variable('embedding', [V, D])
ids = tf.constant([[1, 2, 3, 0], [2, 3, 0, 0], [4, 5, 6, 1]])


def values(fetch):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetch)


def two():
    return rnn.MultiRNNCell([rnn.BasicLSTMCell(6) for _ in range(2)])


outputs, last = tf.nn.dynamic_rnn(two(), encoded, lengths, dtype=tf.float32)
for kind in (seq2seq.BahdanauAttention, seq2seq.LuongAttention, seq2seq.BahdanauMonotonicAttention,
             seq2seq.LuongMonotonicAttention):
    with tf.variable_scope(kind.__name__) as scope:
        mechanism = kind(6, outputs, memory_sequence_length=lengths)
        cell = seq2seq.AttentionWrapper(two(), mechanism, attention_layer_size=6, alignment_history=True)
        state = cell.zero_state(B, tf.float32).clone(cell_state=last)
        helper = seq2seq.TrainingHelper(tf.nn.embedding_lookup(embedding, ids), [4, 2, 3])
        decoder = seq2seq.BasicDecoder(cell, helper, state, tf.layers.Dense(V, use_bias=False))
        made, final, ends = seq2seq.dynamic_decode(decoder, impute_finished=True, maximum_iterations=6)
        loss = seq2seq.sequence_loss(made.rnn_output, ids, tf.sequence_mask([4, 2, 3], 4, dtype=tf.float32))
        gradients = tf.gradients(loss, tf.trainable_variables(scope.name))
        found = values([made, ends, final.alignment_history.stack(), loss])
        sums = found[2].sum(-1)
        print(kind.__name__, found[0].rnn_output.shape, found[1], found[2].shape, 1.5 < found[3] < 2.5,
              np.allclose(sums, 1) if 'Monotonic' not in kind.__name__ else bool(np.all(sums < 1.0001)),
              np.all(found[0].rnn_output[1, 2:] == 0), None not in gradients)
print(isinstance(mechanism, seq2seq.AttentionMechanism), isinstance(state, seq2seq.AttentionWrapperState),
      isinstance(made, seq2seq.BasicDecoderOutput), isinstance(decoder, seq2seq.Decoder))

start, like = tf.fill([B], 1), rnn.GRUCell(V)
zero = like.zero_state(B, tf.float32)
helpers = [seq2seq.GreedyEmbeddingHelper(embedding, start, 0), seq2seq.SampleEmbeddingHelper(embedding, start, 0, 0.5),
           seq2seq.InferenceHelper(lambda out: tf.argmax(out, -1, output_type=tf.int32), [], tf.int32,
                                   tf.nn.embedding_lookup(embedding, start), lambda s: tf.equal(s, 0),
                                   lambda s: tf.nn.embedding_lookup(embedding, s)),
           seq2seq.ScheduledEmbeddingTrainingHelper(tf.nn.embedding_lookup(embedding, ids), [4, 4, 4], embedding, 0.5),
           seq2seq.ScheduledOutputTrainingHelper(tf.ones([B, 4, V]), [4, 4, 4], 0.5),
           seq2seq.CustomHelper(lambda: (tf.zeros([B], tf.bool), tf.zeros([B, D])),
                                lambda time, outputs, state: tf.fill([B], time),
                                lambda time, outputs, state, sample_ids: (tf.fill([B], time > 2), tf.zeros([B, D]), state))]
for i, helper in enumerate(helpers):
    with tf.variable_scope('helper%d' % i):
        made, _, ends = seq2seq.dynamic_decode(seq2seq.BasicDecoder(rnn.GRUCell(V), helper, zero), maximum_iterations=4)
        got = values([made, ends])
        print(type(helper).__name__, isinstance(helper, seq2seq.Helper), got[0].sample_id.shape[0], max(got[1]) <= 4)

# A beam as wide as all sequences finds the best one.
with tf.variable_scope('beam'):
    logits = tf.constant(np.random.rand(V, V), tf.float32)


class Chain(rnn.RNNCell):
    state_size, output_size = V, V

    def call(self, inputs, state):
        return tf.matmul(inputs, logits), state + 0


beam = seq2seq.BeamSearchDecoder(Chain(), tf.eye(V), tf.fill([2], 1), 0, seq2seq.tile_batch(tf.zeros([2, V]), 49), 49)
found, _, _ = seq2seq.dynamic_decode(beam, maximum_iterations=3)
got, table = values([found.predicted_ids, tf.nn.log_softmax(logits)])


def score(words):
    total, at = 0, 1
    for w in words:
        total, at = total + table[at, w], w
        if w == 0:
            break
    return total


best = max(itertools.product(range(V), repeat=3), key=score)
print(got.shape, best[0] == got[0, 0, 0], np.isclose(score(best), score(got[0, :, 0])))
print(isinstance(found, seq2seq.FinalBeamSearchDecoderOutput),
      isinstance(found.beam_search_decoder_output, seq2seq.BeamSearchDecoderOutput), seq2seq.BeamSearchDecoderState._fields)
print(values(seq2seq.gather_tree([[[1, 2]], [[3, 4]], [[5, 6]]], [[[0, 0]], [[1, 0]], [[1, 0]]], [3], 9)).tolist())
print(values(seq2seq.hardmax([[1., 3., 2.]])), values(seq2seq.safe_cumprod([.5, .5])))
one = [values(seq2seq.monotonic_attention([[.2, .5, .9]], [[.5, .3, .2]], mode)) for mode in ('recursive', 'parallel')]
print(np.allclose(one[0], one[1]), values(seq2seq.monotonic_attention([[0., 1., 1.]], [[1., 0., 0.]], 'hard')))

# Unrolled models.
inputs, targets = [tf.constant([1, 2])] * 3, [tf.constant([1, 2])] * 4
rows, ones = [tf.ones([2, D])] * 3, [tf.ones([2])] * 4
models = {
    'attention': lambda e, d: legacy_seq2seq.embedding_attention_seq2seq(e, d, rnn.GRUCell(5), V, V, D),
    'plain': lambda e, d: legacy_seq2seq.embedding_rnn_seq2seq(e, d, rnn.GRUCell(5), V, V, D, feed_previous=True),
    'tied': lambda e, d: legacy_seq2seq.embedding_tied_rnn_seq2seq(e, d, rnn.GRUCell(5), V, D)}
for name, model in models.items():
    with tf.variable_scope(name):
        _, losses = legacy_seq2seq.model_with_buckets(inputs, targets, targets, ones, [(2, 2), (3, 4)], model)
        print(name, [1.5 < loss < 2.5 for loss in values(losses)], len(tf.trainable_variables(name + '/')))
with tf.variable_scope('feed'):
    feed = tf.placeholder(tf.bool, [])
    made, _ = legacy_seq2seq.embedding_rnn_seq2seq(inputs, targets, rnn.GRUCell(5), V, V, D, feed_previous=feed)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print([sess.run(made[0], {feed: on}).shape for on in (True, False)])
with tf.variable_scope('parts'):
    print(len(legacy_seq2seq.basic_rnn_seq2seq(rows, rows, rnn.GRUCell(5))[0]),
          len(legacy_seq2seq.tied_rnn_seq2seq(rows, rows, rnn.GRUCell(5))[0]),
          len(legacy_seq2seq.rnn_decoder(rows, tf.zeros([2, 5]), rnn.GRUCell(5))[0]))
    made, _ = legacy_seq2seq.attention_decoder(rows, tf.zeros([2, 5]), tf.ones([2, 6, 3]), rnn.GRUCell(5), num_heads=2,
                                               initial_state_attention=True)
    print(values(made[2]).shape)
    made, _ = legacy_seq2seq.embedding_attention_decoder(inputs, tf.zeros([2, 5]), tf.ones([2, 6, 3]), rnn.GRUCell(5), V, D)
    print(values(made[0]).shape)
    made, _ = legacy_seq2seq.embedding_rnn_decoder(inputs, tf.zeros([2, 5]), rnn.GRUCell(5), V, D)
    print(values(made[0]).shape)
    made, _ = legacy_seq2seq.one2many_rnn_seq2seq(inputs, {'a': inputs}, rnn.GRUCell(5), {'a': rnn.GRUCell(5)}, V,
                                                  {'a': 3}, D)
    print(values(made['a'][0]).shape)
flat = [np.random.rand(2, 3).astype(np.float32) for _ in range(2)]
picked = [-np.log(np.exp(x[i, t]) / np.exp(x[i]).sum()) for x, ts in zip(flat, ([0, 1], [2, 0])) for i, t in enumerate(ts)]
args = [tf.constant(x) for x in flat], [tf.constant([0, 1]), tf.constant([2, 0])], [tf.ones([2])] * 2
print(np.isclose(values(legacy_seq2seq.sequence_loss(*args)), sum(picked) / 4),
      np.allclose(values(legacy_seq2seq.sequence_loss_by_example(*args)), np.reshape(picked, [2, 2]).sum(0) / 2))

# Cells.
x = [tf.ones([2, D])] * 3
cells = [rnn.OutputProjectionWrapper(rnn.GRUCell(5), 3), rnn.InputProjectionWrapper(rnn.GRUCell(5), 2),
         rnn.AttentionCellWrapper(rnn.GRUCell(5), 3), rnn.LayerNormBasicLSTMCell(5, dropout_keep_prob=0.9)]
for cell in cells:
    with tf.variable_scope(type(cell).__name__):
        print(type(cell).__name__, values(tf.nn.static_rnn(cell, x, dtype=tf.float32)[0][-1]).shape)
with tf.variable_scope('more'):
    words = rnn.EmbeddingWrapper(rnn.GRUCell(5), V, D)
    print(values(words(tf.constant([1, 2]), tf.zeros([2, 5]))[0]).shape)
    print(values(rnn.FusedRNNCellAdaptor(rnn.GRUCell(5))(tf.ones([3, 2, D]), dtype=tf.float32)[0]).shape)
    for i, kind in enumerate((rnn.Conv1DLSTMCell, rnn.Conv2DLSTMCell, rnn.Conv3DLSTMCell)):
        conv = kind(input_shape=[4] * (i + 1) + [2], output_channels=3, kernel_shape=[3] * (i + 1))
        image = tf.ones([2] + [4] * (i + 1) + [2])
        print(isinstance(conv, rnn.ConvLSTMCell), values(conv(image, conv.zero_state(2, tf.float32))[0]).shape)
    pair = lambda: [rnn.GRUCell(5), rnn.GRUCell(6)]
    print(values(rnn.stack_bidirectional_dynamic_rnn(pair(), pair(), encoded, dtype=tf.float32)[0]).shape)
    print(values(rnn.stack_bidirectional_rnn(pair(), pair(), x, dtype=tf.float32, scope='static')[0][0]).shape)
    print(values(rnn.transpose_batch_time(encoded)).shape)

# Conditional random fields, against all sequences.
scores, moves = np.random.rand(2, 4, 3).astype(np.float32), np.random.rand(3, 3).astype(np.float32)
tags, sizes = np.array([[0, 1, 2, 0], [1, 1, 0, 0]]), np.array([4, 2])


def total(b, way):
    return sum(scores[b, i, t] for i, t in enumerate(way)) + sum(moves[p, q] for p, q in zip(way, way[1:]))


ways = [list(itertools.product(range(3), repeat=n)) for n in sizes]
norms = [np.log(sum(np.exp(total(b, w)) for w in ways[b])) for b in range(2)]
taken = [total(b, tags[b][:sizes[b]]) for b in range(2)]
best = [max(ways[b], key=lambda w: total(b, w)) for b in range(2)]
chain = tf.constant(scores), tf.constant(sizes), tf.constant(moves)
print(np.allclose(values(crf.crf_log_norm(*chain)), norms, atol=1e-4),
      np.allclose(values(crf.crf_sequence_score(chain[0], tags, chain[1], chain[2])), taken, atol=1e-4),
      np.allclose(values(crf.crf_log_likelihood(chain[0], tags, chain[1], chain[2])[0]), np.subtract(taken, norms), atol=1e-4))
print(np.allclose(values(crf.crf_unary_score(tags, sizes, chain[0]) + crf.crf_binary_score(tags, sizes, chain[2])), taken,
                  atol=1e-4))
print(np.allclose(values(crf.crf_multitag_sequence_score(chain[0], tf.ones([2, 4, 3], tf.bool), sizes, chain[2])), norms,
                  atol=1e-4), values(crf.crf_forward(chain[0][:, 1:], chain[0][:, 0], chain[2], sizes)).shape)
got, at = values(crf.crf_decode(chain[0], chain[2], chain[1]))
print([tuple(got[b][:sizes[b]]) == best[b] for b in range(2)], got[1][2:],
      np.allclose(at, [total(b, best[b]) for b in range(2)], atol=1e-4))
print(tuple(crf.viterbi_decode(scores[0], moves)[0]) == best[0])

# Parameters, embeddings, clusters, documents, distributions and the first names.
params = HParams(rate=.1, layers=[1, 2], on=True, name='x').parse('rate=0.5,layers=[3,4],on=false')
print(params, params.rate, 'rate' in params, params.to_json(sort_keys=True))
try:
    params.parse('none=1')
except ValueError as e:
    print(e)
config = projector.ProjectorConfig()
info = config.embeddings.add()
info.tensor_name, info.sprite.image_path = 'emb', 's.png'
info.sprite.single_image_dim.extend([28, 28])
print(config, isinstance(info, projector.EmbeddingInfo), isinstance(info.sprite, projector.SpriteMetadata))
points = tf.constant([[0., 0.], [0., 1.], [9., 9.], [9., 8.]])
graph = KMeans(points, 2, np.array([[0., 0.], [9., 9.]], np.float32), SQUARED_EUCLIDEAN_DISTANCE).training_graph()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(graph[4])
    sess.run(graph[5])
    print(sess.run(graph[1][0]), sess.run(graph[2][0]), RANDOM_INIT)
processor = VocabularyProcessor(4)
print([row.tolist() for row in processor.fit_transform(['a big dog', 'the dog ran far away'])],
      isinstance(processor.vocabulary_, CategoricalVocabulary), list(tokenizer(["it's a Dog"])))
for make in (tf.distributions.Normal, tf.distributions.Uniform):
    d = make(0., 2.)
    print(isinstance(d, tf.distributions.Distribution), values([d.mean(), d.stddev(), d.entropy(), d.log_prob(.5)]))
print(values(tf.distributions.Categorical(logits=[1., 2., 3.]).entropy()), values(
    tf.distributions.Bernoulli(probs=.25).log_prob(1)), values(tf.distributions.Exponential(2.).log_prob(1.)))
print(values(tf.distributions.kl_divergence(tf.distributions.Normal(0., 1.), tf.distributions.Normal(1., 2.))),
      values(tf.distributions.MultivariateNormalDiag([0., 0.], [1., 1.]).log_prob([0., 0.])))
image = tf.zeros([1, 2, 2, 1])
for made in (tf.scalar_summary('s', 1.), tf.histogram_summary('h', [1.]), tf.image_summary('i', image)):
    print(made.op.type)
print(tf.merge_summary([made]).op.type, tf.merge_all_summaries().op.type, tf.batch_matrix_transpose([[1, 2]]).shape,
      tf.pack([1, 2]).shape, tf.concat(0, [[1], [2]]).shape, len(tf.split(1, 2, tf.zeros([2, 4]))))

# Embeddings of words, and constants as messages.
words = tf.constant([[0, 2], [1, 2]])
embedded = tf.contrib.layers.embed_sequence(words, 3, 2, initializer=tf.constant_initializer([[1., 2.], [3., 4.], [5., 6.]]))
again = tf.contrib.layers.embed_sequence(words, scope='EmbedSequence', reuse=True, unique=True)
print(embedded.name, tf.model_variables()[-1].name, again.shape)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    values = sess.run([embedded, again])
    print(values[0].tolist(), (values[0] == values[1]).all())
try:
    tf.contrib.layers.embed_sequence(words, vocab_size=3)
except ValueError as e:
    print(e)
proto = tf.contrib.util.make_tensor_proto([[1, 2]], shape=[2, 1])
print(tf.contrib.util.make_ndarray(proto).tolist(), tf.contrib.util.constant_value(words).tolist())
