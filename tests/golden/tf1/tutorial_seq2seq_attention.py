"""Sequence to sequence with attention by hand: bidirectional cells, tf.scan over the decoder, clipped gradients."""
import numpy as np
import tensorflow as tf
import random, math, os, sys, time
random.seed(1)
PAD, GO, EOS, UNK = 0, 1, 2, 3

class Seq2SeqModel(object):
    def __init__(self, vocab=12, size=8, layers=2, batch=4, max_grad=5.0, lr=0.01, lr_decay=0.99, forward_only=False):
        self.vocab, self.batch = vocab, batch
        self.learning_rate = tf.Variable(float(lr), trainable=False, dtype=tf.float32)
        self.learning_rate_decay_op = self.learning_rate.assign(self.learning_rate * lr_decay)
        self.global_step = tf.Variable(0, trainable=False)
        init = tf.random_uniform_initializer(-0.1, 0.1, seed=3)
        self.encoder_inputs = tf.placeholder(tf.int32, [batch, None], 'enc')
        self.encoder_len = tf.placeholder(tf.int32, [batch], 'enc_len')
        self.decoder_inputs = tf.placeholder(tf.int32, [batch, None], 'dec')
        self.targets = tf.placeholder(tf.int32, [batch, None], 'targets')
        self.weights = tf.placeholder(tf.float32, [batch, None], 'weights')
        with tf.variable_scope('seq2seq', initializer=init):
            embedding = tf.get_variable('embedding', [vocab, size])
            def make_cell():
                return tf.nn.rnn_cell.GRUCell(size)
            with tf.variable_scope('encoder'):
                cell = tf.nn.rnn_cell.MultiRNNCell([make_cell() for _ in range(layers)])
                enc_emb = tf.nn.embedding_lookup(embedding, self.encoder_inputs)
                (fw, bw), (fs, bs) = tf.nn.bidirectional_dynamic_rnn(make_cell(), make_cell(), enc_emb, self.encoder_len, dtype=tf.float32)
                memory = tf.concat([fw, bw], 2)
                _, enc_state = tf.nn.dynamic_rnn(cell, memory, self.encoder_len, dtype=tf.float32)
            with tf.variable_scope('decoder'):
                dcell = tf.nn.rnn_cell.MultiRNNCell([make_cell() for _ in range(layers)])
                v = tf.get_variable('attention_v', [size])
                keys = tf.layers.dense(memory, size, use_bias=False, name='memory_layer')
                mask = tf.sequence_mask(self.encoder_len, tf.shape(memory)[1], dtype=tf.float32)
                query_layer = tf.layers.Dense(size, use_bias=False, name='query_layer', _scope='query_layer')
                projection = tf.layers.Dense(vocab, name='projection', _scope='projection')

                def attend(query):
                    score = tf.reduce_sum(v * tf.tanh(keys + tf.expand_dims(query_layer(query), 1)), 2)
                    score += (1. - mask) * -1e9
                    align = tf.nn.softmax(score)
                    return tf.reduce_sum(tf.expand_dims(align, 2) * memory, 1), align

                def step(state, inp):
                    cell_state, context, _, _ = state
                    emb = tf.nn.embedding_lookup(embedding, inp)
                    out, new_state = dcell(tf.concat([emb, context], 1), cell_state)
                    context, align = attend(out)
                    return new_state, context, projection(tf.concat([out, context], 1)), align
                zero_context = tf.zeros([batch, 2 * size])
                first = (enc_state, zero_context, tf.zeros([batch, vocab]), tf.zeros([batch, tf.shape(memory)[1]]))
                _, _, logits, aligns = tf.scan(step, tf.transpose(self.decoder_inputs), first)
                self.logits = tf.transpose(logits, [1, 0, 2])
                self.aligns = aligns
        xent = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.targets, logits=self.logits)
        self.loss = tf.reduce_sum(xent * self.weights) / tf.reduce_sum(self.weights)
        params = tf.trainable_variables()
        opt = tf.train.GradientDescentOptimizer(self.learning_rate)
        gradients = tf.gradients(self.loss, params)
        clipped, self.norm = tf.clip_by_global_norm(gradients, max_grad)
        self.update = opt.apply_gradients(zip(clipped, params), global_step=self.global_step)
        self.saver = tf.train.Saver(tf.global_variables())

    def get_batch(self, data):
        enc, dec = [], []
        for _ in range(self.batch):
            source, target = random.choice(data)
            enc.append(source)
            dec.append([GO] + target + [EOS])
        ne, nd = max(map(len, enc)), max(map(len, dec)) - 1
        e = np.array([x + [PAD] * (ne - len(x)) for x in enc], dtype=np.int32)
        d = np.array([x[:-1] + [PAD] * (nd - len(x) + 1) for x in dec], dtype=np.int32)
        t = np.array([x[1:] + [PAD] * (nd - len(x) + 1) for x in dec], dtype=np.int32)
        w = np.float32(t != PAD)
        return {self.encoder_inputs: e, self.encoder_len: [len(x) for x in enc], self.decoder_inputs: d, self.targets: t, self.weights: w}


data = [([4 + i % 8, 5 + i % 7, 6][:1 + i % 3], [4 + i % 8, 6][:1 + i % 2]) for i in range(10)]
with tf.Session() as sess:
    model = Seq2SeqModel()
    sess.run(tf.global_variables_initializer())
    previous = []
    for i in range(6):
        feed = model.get_batch(data)
        _, norm, loss = sess.run([model.update, model.norm, model.loss], feed)
        if len(previous) > 2 and loss > max(previous[-3:]):
            sess.run(model.learning_rate_decay_op)
        previous.append(loss)
        perplexity = math.exp(loss) if loss < 300 else float('inf')
        print("global step %d learning rate %.4f perplexity %.2f norm %.3f" % (model.global_step.eval(), model.learning_rate.eval(), perplexity, norm))
    outs, al = sess.run([tf.argmax(model.logits, 2), model.aligns], feed)
    print(outs.shape, al.shape, np.round(al.sum(2), 3).tolist()[0])
    for v in tf.trainable_variables():
        print(v.name, v.shape)
