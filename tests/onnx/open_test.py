#!/usr/bin/env python3
"""The verb `open` on ONNX models: its summary, names, operators that are missing, functions, data in other files.

    python3 tests/onnx/open_test.py --tensh build/tensh
"""
import os
import subprocess
import sys
import tempfile
import unittest

from onnx_file import FLOAT, INT64, field, graph, model, node, tensor, value

TENSH = ''


def linear(opset=17):
    """y = relu(x w + b), with names that are not legal in TensorFlow."""
    return model(graph([node('MatMul', ['x', 'onnx::w_1'], ['/mm']), node('Add', ['/mm', '7'], ['sum:0']),
                        node('Relu', ['sum:0'], ['y'])], [value('x', ['batch', 3])], [value('y', ['batch', 2])],
                       [tensor('onnx::w_1', [3, 2], [1, 2, 3, 4, 5, 6]), tensor('7', [2], [-100, .5])]), opset)


class OpenTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, data, name='m.onnx'):
        path = os.path.join(self.folder.name, name)
        with open(path, 'wb') as f:
            f.write(data)
        return path

    def run_lines(self, *lines, code=0, options=()):
        """Types the lines, and returns (stdout, stderr)."""
        done = subprocess.run([TENSH, '--keep-going', *options], input='\n'.join(lines) + '\n', capture_output=True, text=True,
                              timeout=60, cwd=self.folder.name)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def about(self, data):
        self.write(data)
        return self.run_lines("from _library import onnx; print(onnx.describe(onnx.open_model('m.onnx')))")[0]

    def test_values(self):
        self.write(linear())
        out, _ = self.run_lines('open m.onnx', 'eval y feed x=[[1., 1., 1.]]', 'eval sum, mm feed x=[[1., 1., 1.]]')
        self.assertEqual(out, '[[ 0.  12.5]]\n[[-91.   12.5]]\n[[ 9. 12.]]\n')

    def test_verbs_on_signatures(self):
        self.write(linear())
        out, err = self.run_lines('open m.onnx', 'explain model.run', 'bench model', 'show model.run([[1., 1., 1.]]) --ascii',
                                  'plot model.run([[1., 1., 1.]])[0]', 'plot [np.zeros([2, 2])] feed y=0', code=1)
        self.assertIn('model.run is a signature, which is called with its inputs. Type: explain model.run(x=np.zeros([1, 3]))', err)
        self.assertIn('model is a model, which is called with its inputs. Type: bench model.run(x=np.zeros([1, 3]))', err)
        self.assertIn('Type: show [np.zeros([2, 2])] feed y=0', err)
        self.assertIn('model.run([[1., 1., 1.]])', out)

    def test_trainable(self):
        """The weights become variables; the same model is one of constants when it is saved again."""
        self.write(model(graph([node('MatMul', ['x', 'w'], ['mm']), node('Add', ['mm', 'b'], ['s']), node('Mul', ['s', 'half'], ['y'])],
                               [value('x', ['batch', 3])], [value('y', ['batch', 1])],
                               [tensor('w', [3, 1], [1, 2, 3]), tensor('b', [1], [4]), tensor('half', [], [.5])]), 17))
        out, err = self.run_lines(
            'open m.onnx as m --trainable', 'print([v.name for v in tf.trainable_variables()])',
            'loss = tf.reduce_sum(tf.square(m["y"] - 4.))', 'train = tf.train.GradientDescentOptimizer(.1).minimize(loss)',
            'eval tf.gradients(loss, [m["x"], m["half"]]) feed m/x=[[1., 1., 1.]]',
            'for i in range(50): eval train feed m/x=[[1., 1., 1.]]', 'save o.onnx m["y"]', 'open o.onnx as o',
            'eval tf.round(1000. * o["m_y"]) feed o/m_x=[[1., 1., 1.]]', 'open m.onnx as m --trainable', 'print(tf.gradients([], m["x"]))',
            code=1)
        self.assertEqual(out, "['m/w:0', 'm/b:0']\n[array([[1., 2., 3.]], dtype=float32), 20.0]\n[[4000.]]\n[None]\n")
        self.assertIn("'m/w' already exists in this graph; reset the session first, or type: open m.onnx as NAME --trainable", err)

    def test_integer_products(self):
        """Sums that float32 does not hold exactly. The weights are known, so that the products are computed in pieces."""
        from onnx_file import INT8, UINT8
        for count in (100, 1200, 5000):
            self.write(model(graph([node('MatMulInteger', ['x', 'w', 'xz'], ['y'])], [value('x', [1, count], UINT8)], [value('y', [1, 1], 6)],
                                   [tensor('w', [count, 1], [127] * count, INT8), tensor('xz', [], [1], UINT8)])))
            out, _ = self.run_lines('open m.onnx', 'v = np.full([1, %d], 255, np.uint8)' % count, 'v[0, 3] = 254', 'eval y feed x=v')
            self.assertEqual(out, '[[%d]]\n' % (127 * (254 * count - 1)))
        for channels in (8, 200):
            self.write(model(graph([node('ConvInteger', ['x', 'w'], ['y'])], [value('x', [1, channels, 3, 3], UINT8)], [value('y', [1, 1, 1, 1], 6)],
                                   [tensor('w', [1, channels, 3, 3], [-127] * (9 * channels), INT8)])))
            out, _ = self.run_lines('open m.onnx', 'v = np.full([1, %d, 3, 3], 255, np.uint8)' % channels, 'v[0, 5, 2, 1] = 254', 'eval y feed x=v')
            self.assertEqual(out, '[[[[%d]]]]\n' % (-127 * (255 * 9 * channels - 1)))

    def test_quantized_lstm(self):
        """The values are onnxruntime's. What depends only on the weights is computed before the loops, and products in float32."""
        from onnx_file import INT8
        weights = [(7 * i) % 23 - 11 for i in range(64)]
        names = ['x', 'w', 'r', '', '', '', '', '', 'ws', 'wz', 'rs', 'rz']
        scales = [tensor(name, [2], [.05, .08]) for name in ('ws', 'rs')]
        zeros = [tensor(name, [2], [1, -2], INT8) for name in ('wz', 'rz')]
        self.write(model(graph([node('DynamicQuantizeLSTM', names, ['y'], domain='com.microsoft', hidden_size=2, direction='bidirectional')],
                               [value('x', [3, 1, 4])], [value('y', [3, 2, 1, 2])],
                               [tensor('w', [2, 4, 8], weights, INT8), tensor('r', [2, 2, 8], weights[:32], INT8)] + scales + zeros)))
        out, _ = self.run_lines('open m.onnx', 'x = np.arange(12.).reshape([3, 1, 4]) / 4 - 1', 'v = model.run(x=x)["y"].ravel()',
                                'print([int(round(float(e) * 10000)) for e in v])',
                                'print([o.name for o in tf.get_default_graph().get_operations() if tf.float64 in [t.dtype for t in o.outputs] '
                                'or o.type == "StridedSlice" and "while" in o.name])')
        self.assertEqual(out, '[-392, 1381, 355, -1231, -1079, 212, 2426, 1480, -1295, -1611, 2383, 4167]\n[]\n')

    def test_recurrent_weights_before_the_loop(self):
        """A loop does not copy the weights of its direction in each step."""
        for op, gates in (('RNN', 1), ('GRU', 3), ('LSTM', 4)):
            self.write(model(graph([node(op, ['x', 'w', 'r'], ['y'], hidden_size=2, direction='bidirectional')], [value('x', [3, 1, 4])],
                                   [value('y', [3, 2, 1, 2])],
                                   [tensor('w', [2, 2 * gates, 4], [.1] * 16 * gates), tensor('r', [2, 2 * gates, 2], [.2] * 8 * gates)])))
            out, _ = self.run_lines('open m.onnx', 'print([n.name for n in tf.get_default_graph().as_graph_def().node '
                                    'if n.op == "StridedSlice" and "while" in n.name])')
            self.assertEqual(out, '[]\n')

    def test_lstm_is_one_op(self):
        """Both directions with initial states, and the file that is written of them, have the values of the definition."""
        w, r, b = ([round(.37 * i % 1.9 - .9, 3) for i in range(k)] for k in (48, 32, 32))
        self.write(model(graph([node('LSTM', ['x', 'w', 'r', 'b', '', 'h0', 'c0'], ['y', 'h', 'c'], hidden_size=2, direction='bidirectional')],
                               [value('x', [4, 1, 3])], [value('y', [4, 2, 1, 2]), value('h', [2, 1, 2]), value('c', [2, 1, 2])],
                               [tensor('w', [2, 8, 3], w), tensor('r', [2, 8, 2], r), tensor('b', [2, 16], b),
                                tensor('h0', [2, 1, 2], [.1, -.2, .3, -.4]), tensor('c0', [2, 1, 2], [.5, -.6, .7, -.8])])))
        out, _ = self.run_lines(
            'open m.onnx', 'x = np.sin(np.arange(12.)).reshape([4, 1, 3])',
            'w, r, b = [np.array([round(.37 * i % 1.9 - .9, 3) for i in range(k)]).reshape([2, -1, n]) for k, n in ((48, 3), (32, 2), (32, 16))]',
            'sigma = lambda v: 1 / (1 + np.exp(-v))',
            'def direction(d, x, h, c):',
            '    ys = []',
            '    for t in range(4):',
            '        g = x[t, 0].dot(w[d].T) + h.dot(r[d].T) + b[d, 0, :8] + b[d, 0, 8:]',
            '        c = sigma(g[4:6]) * c + sigma(g[:2]) * np.tanh(g[6:])',
            '        h = sigma(g[2:4]) * np.tanh(c)',
            '        ys.append(h)',
            '    return np.array(ys), h, c',
            '',
            'f, b_ = direction(0, x, np.array([.1, -.2]), np.array([.5, -.6])), direction(1, x[::-1], np.array([.3, -.4]), np.array([.7, -.8]))',
            'wanted = [np.stack([f[0], b_[0][::-1]], 1)[:, :, None]] + [np.stack([f[k], b_[k]])[:, None] for k in (1, 2)]',
            'def largest(m):',
            '    got = m.run(x=x)',
            '    return max(np.abs(got[k] - v).max() for k, v in zip("yhc", wanted)) < 1e-6',
            '',
            'print(largest(model), sorted(set(o.type for o in tf.get_default_graph().get_operations()) & {"BlockLSTMV2", "Enter", "While"}))',
            'save again.onnx y, h, c', 'open again.onnx as again', 'print(largest(again))')
        self.assertEqual(out, "True ['BlockLSTMV2']\nTrue\n")

    def test_depthwise_with_unequal_strides(self):
        self.write(model(graph([node('Conv', ['x', 'w'], ['y'], strides=[2, 1], group=2, kernel_shape=[1, 2])], [value('x', [1, 2, 3, 3])], [value('y', [1, 2, 2, 2])],
                               [tensor('w', [2, 1, 1, 2], [1, 1, 1, -1])])))
        out, _ = self.run_lines('open m.onnx', 'eval y feed x=np.arange(18.).reshape(1, 2, 3, 3)', 'print([n.op for n in tf.get_default_graph().as_graph_def().node '
                                'if "onv" in n.op])')
        self.assertEqual(out, '[[[[ 1.  3.]\n   [13. 15.]]\n\n  [[-1. -1.]\n   [-1. -1.]]]]\n[\'DepthwiseConv2dNative\']\n')

    def test_names_of_the_model(self):
        """The signature takes the names of the model, too."""
        self.write(model(graph([node('Neg', ['in::1'], ['7'])], [value('in::1', [2])], [value('7', [2])])))
        out, _ = self.run_lines('open m.onnx as m', "print(m.run(**{'in::1': [1., 2.]}), m.run(in__1=[1., 2.]))")
        self.assertEqual(out, "{'v7': array([-1., -2.], dtype=float32)} {'v7': array([-1., -2.], dtype=float32)}\n")

    def test_support_vectors(self):
        """Labels and scores of onnxruntime. The labels follow the votes, also where the probabilities differ."""
        for proba, want in (({}, [[1.1, .63922, .49336], [.06581, -1.10727, -.15285], [.08186, -.43616, .33184]]),
                            (dict(prob_a=[-2., -1.5, -1.], prob_b=[.1, 0., -.2]),
                             [[.68398, .13226, .18376], [.17963, .35957, .46080], [.27878, .39418, .32704]])):
            svm = node('SVMClassifier', ['x'], ['label', 'score'], domain='ai.onnx.ml', classlabels_ints=[5, 6, 7],
                       coefficients=[1., .5, -.5, -1., .8, .2, .4, -.6], kernel_params=[.5, 0., 3.], kernel_type='RBF', post_transform='NONE',
                       rho=[.1, -.2, .3], support_vectors=[0., 0., 1., 0., 0., 1., 1., 2.], vectors_per_class=[2, 1, 1], **proba)
            self.write(model(graph([svm], [value('x', [3, 2])], [value('label', [3], INT64), value('score', [3, 3])]), 15, opsets=[('ai.onnx.ml', 1)]))
            out, _ = self.run_lines('open m.onnx', 'eval label feed x=[[0., 0.], [1., 2.], [0., 1.5]]',
                                    'score = tf.get_default_graph().get_tensor_by_name("score:0")',
                                    'eval tf.reduce_max(tf.abs(score - %r)) < 1e-4 feed x=[[0., 0.], [1., 2.], [0., 1.5]]' % want)
            self.assertEqual(out, '[5 7 5]\nTrue\n')

    def test_as_and_twice(self):
        self.write(linear())
        out, _ = self.run_lines('open m.onnx as left', 'open m.onnx as right', 'eval right/y feed right/x=[[0., 0., 0.]]')
        self.assertEqual(out, '[[0.  0.5]]\n')
        _, err = self.run_lines('open m.onnx', 'open m.onnx', code=1)
        self.assertIn('open m.onnx as NAME', err)
        # A node of the graph has the name of a value inside the model.
        _, err = self.run_lines("mm = tf.constant(1, name='mm')", 'open m.onnx', 'eval mm', code=1)
        self.assertIn("there is a node 'mm' already; reset the session first, or type: open m.onnx as NAME", err)

    def test_names_in_scopes(self):
        # The rule of Celu adds a node Maximum, and the model has a value with the name it would have.
        self.write(model(graph([node('Celu', ['x'], ['y']), node('Neg', ['y'], ['y/Maximum'])], [value('x', [1])],
                               [value('y', [1]), value('y/Maximum', [1])])))
        self.assertEqual(self.run_lines('open m.onnx', 'eval y, y/Maximum feed x=[2.]')[0], '[2.]\n[-2.]\n')

    def test_summary(self):
        about = self.about(linear())
        for line in ('ONNX by tests 1.0 · opset 17 · 3 operators · 8 parameters', 'input   x  f32[batch,3]',
                     'output  y  f32[batch,2]', 'ops     Add 1 · MatMul 1 · Relu 1', 'names   2 were changed',
                     'try     eval y feed x=np.zeros([1, 3], np.float32)'):
            self.assertIn(line, about)
        line = about[about.index('try     ') + 8:].split('\n')[0]
        self.assertEqual(self.run_lines('open m.onnx', line)[0], '[[0.  0.5]]\n')

    def test_initializers_are_tensors(self):
        self.write(linear())
        out, _ = self.run_lines('open m.onnx', 'eval v7', 'eval onnx__w_1')
        self.assertEqual(out, '[-100.     0.5]\n[[1. 2.]\n [3. 4.]\n [5. 6.]]\n')

    def test_small_types(self):
        # 8-bit floats of four kinds, a 4-bit float, and 4-bit integers; the last half byte of an odd number is unused.
        parts = [tensor('a', [3], b'\x38\xfe\x01', 17), tensor('b', [3], b'\x38\xff\x80', 18),
                 tensor('c', [3], b'\x3c\x7c\x01', 19), tensor('d', [3], b'\x3c\xff\x80', 20),
                 tensor('e', [3], b'\xf2\x01', 23), tensor('f', [3], b'\x8f\x07', 21), tensor('g', [3], b'\x8f\x07', 22)]
        self.write(model(graph([node('Identity', ['a'], ['y'])], [], [value('y', [3], 17)], parts), 21))
        out, _ = self.run_lines('open m.onnx', *['eval ' + name for name in 'abcdefg'])
        self.assertEqual(out.split('\n')[:-1], [
            '[ 1.000e+00 -4.480e+02  1.953e-03]', '[   0.5 -240.     nan]', '[1.000e+00       inf 1.526e-05]',
            '[ 5.000e-01 -5.734e+04        nan]', '[ 1.  -6.   0.5]', '[15  8  7]', '[-1 -8  7]'])

    def test_missing_operator(self):
        data = model(graph([node('Foo', ['x'], ['f'], name='odd', domain='my.ops'), node('Neg', ['f'], ['y']),
                            node('Abs', ['x'], ['z'])], [value('x', [2])], [value('y', [2]), value('z', [2])]))
        about = self.about(data)
        self.assertIn("missing node 'odd': ONNX operator Foo of my.ops, version 1: this operator is not supported. It "
                      "blocks: y.", about)
        out, err = self.run_lines('open m.onnx', 'eval z feed x=[-1., 2.]', 'eval y feed x=[1., 2.]', 'eval y feed f=[1., 2.]',
                                  code=1)
        self.assertEqual(out, '[1. 2.]\n[-1. -2.]\n')
        self.assertIn("UnimplementedError: node 'odd': ONNX operator Foo of my.ops", err)
        self.assertIn('feed f=', err)

    def test_versions(self):
        # The axes of Squeeze are an attribute up to version 12 and an input from version 13 on.
        old = model(graph([node('Squeeze', ['x'], ['y'], axes=[0])], [value('x', [1, 2])], [value('y', [2])]), 11)
        new = model(graph([node('Squeeze', ['x', 'a'], ['y'])], [value('x', [1, 2])], [value('y', [2])],
                          [tensor('a', [1], [0], INT64)]), 13)
        for data in (old, new):
            self.write(data)
            self.assertEqual(self.run_lines('open m.onnx', 'eval y feed x=[[1., 2.]]')[0], '[1. 2.]\n')

    def test_if(self):
        one = graph([node('Neg', ['x'], ['t'])], [], [value('t', [2])])
        two = graph([node('Abs', ['x'], ['e'])], [], [value('e', [2])])
        self.write(model(graph([node('If', ['c'], ['y'], then_branch=one, else_branch=two)],
                               [value('c', [], 9), value('x', [2])], [value('y', [2])])))
        out, _ = self.run_lines('open m.onnx', 'eval y feed c=True, x=[-1., 2.]', 'eval y feed c=False, x=[-1., 2.]')
        self.assertEqual(out, '[ 1. -2.]\n[1. 2.]\n')

    def test_loop(self):
        body = graph([node('Add', ['s', 'x'], ['t']), node('Identity', ['c'], ['d']), node('Identity', ['t'], ['u'])],
                     [value('i', [], INT64), value('c', [], 9), value('s', [2])],
                     [value('d', [], 9), value('t', [2]), value('u', [2])])
        self.write(model(graph([node('Loop', ['n', '', 'x'], ['last', 'all'], body=body)],
                               [value('n', [], INT64), value('x', [2])], [value('last', [2]), value('all', ['n', 2])])))
        out, _ = self.run_lines('open m.onnx', 'eval last, all feed n=2, x=[1., 2.]')
        self.assertEqual(out, '[3. 6.]\n[[2. 4.]\n [3. 6.]]\n')

    def test_function(self):
        # Twice(v) = v * factor, where the attribute `factor` of the call is that of a Constant.
        constant = field(2, ['k']) + field(4, 'Constant') + field(5, field(1, 'value_float') + field(21, 'factor') + field(20, 1))
        twice = field(1, 'Scale') + field(4, 'v') + field(5, 'w') + field(6, 'factor') + field(7, [
            constant, node('Mul', ['v', 'k'], ['w'])]) + field(9, field(2, 17)) + field(10, 'mine')
        self.write(model(graph([node('Scale', ['x'], ['a'], domain='mine', factor=2.),
                                node('Scale', ['a'], ['y'], domain='mine', factor=3.)],
                               [value('x', [2])], [value('y', [2])]), functions=[twice], opsets=[('mine', 1)]))
        self.assertEqual(self.run_lines('open m.onnx', 'eval y, a feed x=[1., 2.]')[0], '[ 6. 12.]\n[2. 4.]\n')

    def test_sequences(self):
        kind = field(4, field(1, field(1, field(1, FLOAT) + field(2, field(1, field(1, 2))))))
        s, t = [field(1, name) + field(2, kind) for name in ('s', 't')]
        self.write(model(graph([node('SequenceInsert', ['s', 'x'], ['t']), node('SequenceLength', ['t'], ['n'])],
                               [s, value('x', [2])], [t, value('n', [], INT64)])))
        out, _ = self.run_lines('open m.onnx', 'eval t/elements, n feed s=[[1., 2.]], x=[3., 4.]')
        self.assertEqual(out, '[[1. 2.]\n [3. 4.]]\n2\n')

    def test_trees(self):
        # The first tree asks x[0] <= 1, the second one x[1] < 2; scores of two classes.
        leaf = ['BRANCH_LEQ', 'LEAF', 'LEAF', 'BRANCH_LT', 'LEAF', 'LEAF']
        trees = node('TreeEnsembleClassifier', ['x'], ['label', 'p'], domain='ai.onnx.ml', classlabels_strings=['no', 'yes'],
                     nodes_treeids=[0, 0, 0, 1, 1, 1], nodes_nodeids=[0, 1, 2, 0, 1, 2], nodes_featureids=[0, 0, 0, 1, 0, 0],
                     nodes_values=[1., 0., 0., 2., 0., 0.], nodes_modes=leaf, nodes_truenodeids=[1, 0, 0, 1, 0, 0],
                     nodes_falsenodeids=[2, 0, 0, 2, 0, 0], class_treeids=[0, 0, 1, 1], class_nodeids=[1, 2, 1, 2],
                     class_ids=[0, 1, 0, 1], class_weights=[.5, .75, .25, .5])
        self.write(model(graph([trees], [value('x', ['n', 2])], [value('label', ['n'], 8), value('p', ['n', 2])]),
                         opsets=[('ai.onnx.ml', 3)]))
        out, _ = self.run_lines('open m.onnx', 'eval label, p feed x=[[1., 1.], [1., 2.], [3., 3.]]')
        self.assertEqual(out, "[b'no' b'no' b'yes']\n[[0.75 0.  ]\n [0.5  0.5 ]\n [0.   1.25]]\n")

    def test_slice_from_before_the_first(self):
        """TensorFlow's shape function refuses a slice of a shape whose start lies before the first element, so the mask says it."""
        self.write(model(graph([node('Shape', ['x'], ['s']), node('Slice', ['s', 'starts', 'ends'], ['y'])], [value('x', ['a', 2, 'b'])],
                               [value('y', [2], 7)], [tensor('starts', [1], [-2**63]), tensor('ends', [1], [2])])))
        out, _ = self.run_lines('open m.onnx', 'eval y feed x=np.zeros([3, 2, 4])',
                                'print([n.attr["begin_mask"].i for n in tf.get_default_graph().as_graph_def().node if n.op == "StridedSlice"])')
        self.assertEqual(out, '[3 2]\n[1]\n')

    def test_channels_after_computed_padding(self):
        """The padding of images of any size is computed in the graph. Their channels are known all the same, which writing ONNX needs."""
        self.write(model(graph([node('Conv', ['x', 'w'], ['h'], auto_pad='SAME_UPPER', strides=[2, 2], kernel_shape=[3, 3]),
                                node('MaxPool', ['h'], ['y'], auto_pad='SAME_UPPER', strides=[2, 2], kernel_shape=[3, 3])],
                               [value('x', ['n', 1, 'h', 'w'])], [value('y', ['n', 2, 'p', 'q'])], [tensor('w', [2, 1, 3, 3], [1.] * 18)])))
        out, _ = self.run_lines('open m.onnx as m', 'x = np.arange(35.).reshape([1, 1, 5, 7])', 'a = m.run(x=x)["y"]', 'save again.onnx',
                                'open again.onnx as k', 'b = k.run(x=x)["y"]', 'print(a.shape, np.all(a == b))')
        self.assertEqual(out, '(1, 2, 2, 2) True\n')

    def test_trees_with_gaps(self):
        """The numbers of trees and nodes are names: they may be far apart and in any order. One that does not exist is refused."""
        def trees(yes, weight_nodes, column=0):
            return model(graph([node('TreeEnsembleRegressor', ['x'], ['y'], domain='ai.onnx.ml', n_targets=2, nodes_treeids=[7, -3, 7, -3, 7, -3],
                                     nodes_nodeids=[2**40, 5, 9, 1, -6, 2], nodes_featureids=[0, 1, 0, 0, 0, 0],
                                     nodes_values=[.5, 2., 0., 0., 0., 0.], nodes_modes=['BRANCH_LEQ', 'BRANCH_GT'] + ['LEAF'] * 4,
                                     nodes_truenodeids=[yes, 1, 0, 0, 0, 0], nodes_falsenodeids=[-6, 2, 0, 0, 0, 0],
                                     target_treeids=[7, 7, -3, -3, 7], target_nodeids=weight_nodes, target_ids=[0, 1, 0, 1, column],
                                     target_weights=[1., 2., 10., 20., 100.])],
                               [value('x', ['n', 2])], [value('y', ['n', 2])]))
        self.write(trees(9, [9, -6, 1, 2, 9]))
        out, _ = self.run_lines('open m.onnx', 'eval y feed x=[[0., 3.], [1., 0.]]')
        self.assertEqual(out, '[[111.   0.]\n [  0.  22.]]\n')
        for broken in (trees(8, [9, -6, 1, 2, 9]), trees(9, [9, -6, 1, 3, 9]), trees(5, [9, -6, 1, 2, 9])):
            self.write(broken)
            self.assertIn('its nodes do not form a tree', self.run_lines('open m.onnx', 'eval y feed x=[[0., 3.]]', code=1)[1])
        self.write(trees(9, [9, -6, 1, 2, 9], 2))
        self.assertIn('one has the number 2', self.run_lines('open m.onnx', 'eval y feed x=[[0., 3.]]', code=1)[1])

    def test_convolution(self):
        # A chain of convolutions computes with the channels last; only what is fetched is transposed.
        w = tensor('w', [1, 1, 1, 1], [2.])
        nodes = [node('Conv', ['x', 'w'], ['a']), node('Relu', ['a'], ['b']), node('Conv', ['b', 'w'], ['y'])]
        self.write(model(graph(nodes, [value('x', [1, 1, 1, 2])], [value('y', [1, 1, 1, 2])], [w])))
        ran = "sql SELECT count(*) AS n FROM events JOIN nodes ON node = name WHERE nodes.op = 'Transpose' --json"
        out, _ = self.run_lines('open m.onnx', 'eval y, b feed x=[[[[1., -1.]]]]',
                                'explain analyze y feed x=[[[[1., 1.]]]]', ran)
        self.assertTrue(out.startswith('[[[[4. 0.]]]]\n[[[[2. 0.]]]]\n'), out)
        self.assertEqual(out.splitlines()[-1], '[{"n": 2}]')

    def external(self, **place):
        return model(graph([node('Neg', ['w'], ['y'])], [], [value('y', [2])], [tensor('w', [2], b'', external=place)]))

    def test_external_data(self):
        self.write(b'....' + tensor('', [2], [1, 2])[-8:], 'w.bin')
        self.write(self.external(location='w.bin', offset='4', length='8'))
        self.assertEqual(self.run_lines('open m.onnx', 'eval y')[0], '[-1. -2.]\n')

    def test_external_data_outside(self):
        secret = self.write(b'12345678', 'secret')
        os.mkdir(os.path.join(self.folder.name, 'inner'))
        os.symlink(secret, os.path.join(self.folder.name, 'inner', 'link'))
        for place in ('../secret', secret, 'link', 'x/../../secret', ''):
            self.write(self.external(location=place), 'inner/m.onnx')
            _, err = self.run_lines('open inner/m.onnx', code=1)
            self.assertIn('outside of the model', err)
        for place in ({'location': 'none'}, {'location': 'w', 'offset': '1'}, {'location': 'w', 'offset': '-1'},
                      {'location': 'w', 'length': '4'}, {'location': 'w', 'offset': 'x'}, {'location': '.'}):
            self.write(b'12345678', 'w')
            self.write(self.external(**place))
            _, err = self.run_lines('open m.onnx', code=1)
            self.assertIn("ValueError: m.onnx: tensor 'w'", err)

    def test_not_a_model(self):
        for data in (b'', b'hello, world', field(1, 8)):
            self.write(data)
            _, err = self.run_lines('open m.onnx', code=1)
            self.assertRegex(err, 'm.onnx is (an empty file|a text, not a model|not a valid ONNX model|not an ONNX model)')
        os.mkfifo(os.path.join(self.folder.name, 'pipe.onnx'))
        _, err = self.run_lines('open pipe.onnx', code=1)
        self.assertIn('a device or a pipe holds no model', err)
        _, err = self.run_lines('open none.onnx', code=1)
        self.assertIn('No such file', err)

    def test_a_refused_model_adds_nothing(self):
        self.write(model(graph([node('Neg', ['x'], ['y'])], [value('x', [2])], [value('y', [2]), value('z', [2])])))
        out, err = self.run_lines('open m.onnx', "print(len(tf.get_default_graph().get_operations()))", code=1)
        self.assertIn("its output 'z' is not computed by any node", err)
        self.assertEqual(out, '0\n')


if __name__ == '__main__':
    at = sys.argv.index('--tensh')
    TENSH = os.path.abspath(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    unittest.main()
