"""Models with several graphs, state, text or options of their own, for record.py: (name, function that returns the bytes of the model, feeds, runs or the values, reference)."""
import numpy as np

from build_model import Builder, T, const, feed, options as O, out, schema, tf, var

MODELS = []
R = np.random.default_rng(3)


def model(name, feeds, runs=1, reference=True):
    def add(build):
        def made():
            b = Builder()
            build(b)
            return b.bytes()
        MODELS.append((name, made, [np.asarray(v) for v in feeds], runs, reference))
    return add


class Graph(object):
    """A graph whose tensors are made by name as they are used."""

    def __init__(self, b, name='main'):
        self.b, self.g = b, b.graph(name)

    def add(self, name, t):
        return self.b.tensor(self.g, t, name)

    def input(self, name, dtype='float32', shape=()):
        i = self.add(name, out(dtype, shape=list(shape)))
        self.g.inputs = list(self.g.inputs) + [i]
        return i

    def const(self, value):
        return self.add('c%d' % len(self.g.tensors), const(value))

    def op(self, name, inputs, opts=None, dtypes=('float32',), shapes=None, **more):
        outs = [self.add('%s_%d' % (name.lower(), len(self.g.tensors)), out(d, shape=list(s))) for d, s in zip(
            dtypes, shapes or [()] * len(dtypes))]
        self.b.operator(self.g, name, list(inputs), outs, opts, **more)
        return outs if len(outs) != 1 else outs[0]

    def output(self, *tensors):
        self.g.outputs = list(tensors)


def i32(v):
    return np.array(v, np.int32)


@model('IF', [np.array(True), np.array([1., 2.], np.float32)])
def _if_true(b):
    _conditional(b)


@model('IF else', [np.array(False), np.array([1., 2.], np.float32)])
def _if_false(b):
    _conditional(b)


def _conditional(b):
    g = Graph(b)
    p, x = g.input('p', 'bool'), g.input('x', shape=[2])
    g.output(g.op('IF', [p, x], O('IfOptions', thenSubgraphIndex=1, elseSubgraphIndex=2), shapes=[[2]]))
    for name, op in (('then', 'EXP'), ('else', 'NEG')):
        h = Graph(b, name)
        h.output(h.op(op, [h.input('x', shape=[2])], shapes=[[2]]))


@model('WHILE', [np.array(5, np.int32), np.array([1., 2.], np.float32)])
def _while(b):
    g = Graph(b)
    n, x = g.input('n', 'int32'), g.input('x', shape=[2])
    made = g.op('WHILE', [g.const(i32(0)), n, x], O('WhileOptions', condSubgraphIndex=1, bodySubgraphIndex=2), ('int32', 'int32', 'float32'), [(), (), (2,)])
    g.output(made[0], made[2])
    c = Graph(b, 'condition')
    i, n, _ = c.input('i', 'int32'), c.input('n', 'int32'), c.input('x', shape=[2])
    c.output(c.op('LESS', [i, n], None, ('bool',)))
    d = Graph(b, 'body')
    i, n, x = d.input('i', 'int32'), d.input('n', 'int32'), d.input('x', shape=[2])
    j = d.op('ADD', [i, d.const(i32(1))], O('AddOptions'), ('int32',))
    d.output(j, n, d.op('MUL', [x, d.const(np.array([2., .5], np.float32))], O('MulOptions'), shapes=[[2]]))


@model('WHILE grows', [np.array(3, np.int32), np.array([1.], np.float32)])
def _while_grows(b):
    g = Graph(b)
    n, x = g.input('n', 'int32'), g.input('x', shape=[1])
    made = g.op('WHILE', [n, x], O('WhileOptions', condSubgraphIndex=1, bodySubgraphIndex=2), ('int32', 'float32'), [(), (1,)])
    g.output(made[1])
    c = Graph(b, 'condition')
    n, _ = c.input('n', 'int32'), c.input('x', shape=[1])
    c.output(c.op('GREATER', [n, c.const(i32(0))], None, ('bool',)))
    d = Graph(b, 'body')
    n, x = d.input('n', 'int32'), d.input('x', shape=[1])
    d.output(d.op('SUB', [n, d.const(i32(1))], O('SubOptions'), ('int32',)), d.op('CONCATENATION', [x, x], O('ConcatenationOptions', axis=0)))


@model('VAR_HANDLE', [np.array([1., 2.], np.float32)], 3)
def _variable(b):
    """Adds to a variable, which is initialized once."""
    g = Graph(b)
    x = g.input('x', shape=[2])
    b.operator(g.g, 'CALL_ONCE', [], [], O('CallOnceOptions', initSubgraphIndex=1))
    handle = g.op('VAR_HANDLE', [], O('VarHandleOptions', container='', sharedName='total'), ('resource',), [[1]])
    old = g.op('READ_VARIABLE', [handle], O('ReadVariableOptions'), shapes=[[2]])
    new = g.op('ADD', [old, x], O('AddOptions'), shapes=[[2]])
    b.operator(g.g, 'ASSIGN_VARIABLE', [handle, new], [], O('AssignVariableOptions'))
    g.output(g.op('READ_VARIABLE', [handle], O('ReadVariableOptions'), shapes=[[2]]))
    h = Graph(b, 'init')
    handle = h.op('VAR_HANDLE', [], O('VarHandleOptions', container='', sharedName='total'), ('resource',), [[1]])
    b.operator(h.g, 'ASSIGN_VARIABLE', [handle, h.const(np.array([10., 20.], np.float32))], [], O('AssignVariableOptions'))


@model('HASHTABLE', [np.array([b'two', b'nine', b'one'], object)], 1, False)
def _table(b):
    g = Graph(b)
    x = g.input('x', 'str', [3])
    b.operator(g.g, 'CALL_ONCE', [], [], O('CallOnceOptions', initSubgraphIndex=1))

    def table(g):
        return g.op('HASHTABLE', [], O('HashtableOptions', tableId=7, keyDtype=schema.TensorType.STRING, valueDtype=schema.TensorType.INT64), ('resource',), [[1]])
    t = table(g)
    found = g.op('HASHTABLE_FIND', [t, x, g.const(np.array(-1, np.int64))], O('HashtableFindOptions'), ('int64',), [[3]])
    g.output(found, g.op('HASHTABLE_SIZE', [t], O('HashtableSizeOptions'), ('int64',), [[1]]))
    h = Graph(b, 'init')
    t = table(h)
    b.operator(h.g, 'HASHTABLE_IMPORT', [t, h.const(np.array([b'one', b'two'], object)), h.const(np.array([1, 2], np.int64))], [],
               O('HashtableImportOptions'))


@model('STABLEHLO_COMPOSITE', [np.array([1., -2.], np.float32)])
def _composite(b):
    g = Graph(b)
    g.output(g.op('STABLEHLO_COMPOSITE', [g.input('x', shape=[2])], O('StableHLOCompositeOptions', name='odlml.test', decompositionSubgraphIndex=1), shapes=[[2]]))
    h = Graph(b, 'body')
    h.output(h.op('ABS', [h.input('x', shape=[2])], shapes=[[2]]))


@model('STABLEHLO_WHILE', [np.array([3.], np.float32)], [np.array([96.], np.float32)])
def _stablehlo_while(b):
    g = Graph(b)
    g.output(g.op('STABLEHLO_WHILE', [g.input('x', shape=[1])], O('StablehloWhileOptions', condSubgraphIndex=1, bodySubgraphIndex=2), shapes=[[1]]))
    c = Graph(b, 'condition')
    less = c.op('LESS', [c.input('x', shape=[1]), c.const(np.array([50.], np.float32))], None, ('bool',), [[1]])
    c.output(c.op('RESHAPE', [less, c.const(np.zeros([0], np.int32))], O('ReshapeOptions', newShape=[]), ('bool',)))
    d = Graph(b, 'body')
    x = d.input('x', shape=[1])
    d.output(d.op('ADD', [x, x], O('AddOptions'), shapes=[[1]]))


def reducer(name, op, opts, inputs, shapes=((2, 3),)):
    """A model whose operator combines values by another graph of one operator."""
    @model(name, [(R.random(s) * 4 - 2).astype(np.float32) for s in shapes])
    def _build(b):
        g = Graph(b)
        xs = [g.input('x%d' % i, shape=s) for i, s in enumerate(shapes)]
        g.output(g.op(name.split()[0], xs + [g.const(v) for v in inputs], opts))
        h = Graph(b, 'body')
        x, y = h.input('a'), h.input('b')
        h.output(h.op(op, [x, y]))


for _op, _start in (('STABLEHLO_ADD', 0.), ('STABLEHLO_MAXIMUM', -9.)):
    reducer('STABLEHLO_REDUCE_WINDOW ' + _op.lower(), _op, O(
        'StablehloReduceWindowOptions', windowDimensions=np.array([2, 2]), windowStrides=np.array([1, 2]), baseDilations=np.array([1, 1]),
        windowDilations=np.array([1, 1]), padding=np.array([1, 0, 0, 1]), bodySubgraphIndex=1), [np.float32(_start)], ((3, 4),))


def hlo(name, feeds, values, opts, body):
    """A model of an operator that uses another graph and has no kernel in TensorFlow Lite."""
    @model(name, feeds, values)
    def _build(b):
        g = Graph(b)
        xs = [g.input('x%d' % i, v.dtype.name, v.shape) for i, v in enumerate(feeds)]
        made = g.op(name.split()[0], xs, opts, [v.dtype.name for v in values], [v.shape for v in values])
        g.output(*(made if isinstance(made, list) else [made]))
        body(b)


def pair(op, dtype='float32', result='float32', turned=False):
    def body(b):
        h = Graph(b, 'body')
        x, y = h.input('a', dtype), h.input('b', dtype)
        h.output(h.op(op, [y, x] if turned else [x, y], None, (result,)))
    return body


X = (R.random([2, 3]) * 4 - 2).astype(np.float32)
hlo('STABLEHLO_REDUCE', [X, np.float32(1)], [X.sum(1) + np.float32(1)], O('StablehloReduceOptions', dimensions=np.array([1]), bodySubgraphIndex=1), pair('STABLEHLO_ADD'))
hlo('STABLEHLO_SORT', [X], [np.sort(X, 1)], O('StablehloSortOptions', dimension=1, isStable=True, comparatorSubgraphIndex=1), pair('LESS', result='bool'))
hlo('STABLEHLO_SORT down', [X], [-np.sort(-X, 0)], O('StablehloSortOptions', dimension=0, isStable=True, comparatorSubgraphIndex=1),
    pair('LESS', result='bool', turned=True))
_scattered = X.copy()
_scattered[1] += [10, 20, 30]
hlo('STABLEHLO_SCATTER', [X, np.array([[1]], np.int32), np.array([[10, 20, 30]], np.float32)], [_scattered], O(
    'StablehloScatterOptions', updateWindowDims=np.array([1]), insertedWindowDims=np.array([0]), scatterDimsToOperandDims=np.array([0]), indexVectorDim=1,
    updateComputationSubgraphIndex=1), pair('STABLEHLO_ADD'))


def _cases(b):
    for op in ('EXP', 'NEG', 'ABS'):
        h = Graph(b, op)
        h.output(h.op(op, [h.input('x', shape=[2, 3])], shapes=[[2, 3]]))


for _k in (1, 5):
    hlo('STABLEHLO_CASE %d' % _k, [np.array(_k, np.int32), X], [-X if _k == 1 else np.abs(X)], O('StablehloCaseOptions', branchSubgraphIndices=[1, 2, 3]), _cases)


@model('CALL', [X], [np.exp(X)])
def _call(b):
    g = Graph(b)
    g.output(g.op('CALL', [g.input('x', shape=[2, 3])], O('CallOptions', subgraph=1), shapes=[[2, 3]]))
    _cases(b)


def flex_string(value):
    from flatbuffers import flexbuffers
    return flexbuffers.Dumps(value)


@model('TFLite_Detection_PostProcess', [(R.random([1, 6, 4]) * .2).astype(np.float32), R.random([1, 6, 3]).astype(np.float32)])
def _detection(b):
    _detections(b, use_regular_nms=False)


@model('TFLite_Detection_PostProcess regular', [(R.random([1, 6, 4]) * .2).astype(np.float32), R.random([1, 6, 3]).astype(np.float32)])
def _detection_regular(b):
    _detections(b, use_regular_nms=True)


def _detections(b, **more):
    g = Graph(b)
    boxes, scores = g.input('boxes', shape=[1, 6, 4]), g.input('scores', shape=[1, 6, 3])
    anchors = np.array([[.5, .5, 1., 1.]] * 3 + [[.5, 1.5, 1., 1.], [.5, 10.5, 1., 1.], [.5, 100.5, 1., 1.]], np.float32)
    opts = dict(max_detections=3, max_classes_per_detection=1, detections_per_class=2, nms_score_threshold=.1, nms_iou_threshold=.5, num_classes=2,
                y_scale=10., x_scale=10., h_scale=5., w_scale=5., **more)
    g.output(*g.op('CUSTOM', [boxes, scores, g.const(anchors)], None, ('float32',) * 4, custom='TFLite_Detection_PostProcess', custom_options=flex_string(opts)))


def sparse(name, value, indices, segments):
    """A fully connected layer with compressed weights."""
    @model(name, [(R.random([2, 4])).astype(np.float32)])
    def _build(b):
        g = Graph(b)
        x = g.input('x', shape=[2, 4])
        s = schema.SparsityParametersT()
        s.traversalOrder, s.blockMap = [0, 1], []
        dense, compressed = schema.DimensionMetadataT(), schema.DimensionMetadataT()
        dense.format, dense.denseSize = 0, 3
        compressed.format = 1
        compressed.arraySegmentsType, compressed.arraySegments = 3, schema.Uint8VectorT()
        compressed.arraySegments.values = segments
        compressed.arrayIndicesType, compressed.arrayIndices = 3, schema.Uint8VectorT()
        compressed.arrayIndices.values = indices
        s.dimMetadata = [dense, compressed]
        w = g.add('w', T('const', np.array(value, np.float32), shape=[3, 4], sparsity=s))
        d = g.op('DENSIFY', [w], O('DensifyOptions'), shapes=[[3, 4]])
        g.output(g.op('FULLY_CONNECTED', [x, d, -1], O('FullyConnectedOptions'), shapes=[[2, 3]]))


sparse('DENSIFY', [5., 6., 7., 8.], [1, 0, 3, 2], [0, 1, 3, 4])


_WEIGHTS = R.integers(-100, 100, [3, 8]).astype(np.int8)
_SCALES = (R.random([3, 2]) * .1).astype(np.float16)
_X = R.random([2, 8]).astype(np.float32)


@model('FULLY_CONNECTED blocks', [_X], [_X @ (_WEIGHTS * np.repeat(_SCALES.astype(np.float32), 4, 1)).T])
def _blocks(b):
    """Weights with a scale for each block of four."""
    g = Graph(b)
    x = g.input('x', shape=[2, 8])
    scales = g.const(_SCALES)
    w = g.add('w', const(_WEIGHTS, blocks=(scales, -1, 4)))
    g.output(g.op('FULLY_CONNECTED', [x, w, -1], O('FullyConnectedOptions'), shapes=[[2, 3]]))


def two_signatures(b):
    for number, (key, op) in enumerate((('double', 'ADD'), ('square', 'MUL'))):
        g = Graph(b, key)
        x = g.input(key + '_x:0', shape=[2])
        y = g.op(op, [x, x], O(op[0] + op[1:].lower() + 'Options'), shapes=[[2]])
        g.output(y)
        s = schema.SignatureDefT()
        s.signatureKey, s.subgraphIndex, s.inputs, s.outputs = key, number, [schema.TensorMapT()], [schema.TensorMapT()]
        s.inputs[0].name, s.inputs[0].tensorIndex = 'x', x
        s.outputs[0].name, s.outputs[0].tensorIndex = 'y', y
        b.model.signatureDefs.append(s)


model('ADD signatures', [np.array([1., 2.], np.float32)])(two_signatures)


def converted(name, feeds, values, *specs, lists=False):
    """A model that TensorFlow's converter makes of a function. With `lists`, the lists of its loops stay ops of TensorFlow."""
    def add(f):
        function = tf.function(f, input_signature=[tf.TensorSpec(s, d) for s, d in specs])
        converter = tf.lite.TFLiteConverter.from_concrete_functions([function.get_concrete_function()])
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS, tf.lite.OpsSet.SELECT_TF_OPS]
        if lists:
            converter._experimental_lower_tensor_list_ops = False
        MODELS.append((name, converter.convert, [np.asarray(v) for v in feeds], values, None))
    return add


@converted('FlexMatrixInverse', [np.array([[2., 1.], [1., 3.]], np.float32)], [np.array([[1.6, .8], [.8, 1.4]], np.float32)], ([2, 2], tf.float32))
def _inverse(x):
    return tf.linalg.inv(x) + 1.


@converted('FlexBincount', [np.array([1, 1, 3], np.int32)], [np.array([0., 2., 0., 1.], np.float32)], ([3], tf.int32))
def _bincount(x):
    return tf.raw_ops.Bincount(arr=x, size=4, weights=tf.zeros([0]))


@converted('FlexTensorListSetItem', [np.array([1., 2., 3.], np.float32)], [np.array([1., 5., 14.], np.float32)], ([3], tf.float32), lists=True)
def _list_in_a_loop(x):
    def body(i, total, rows):
        total = total + x[i] * x[i]
        return i + 1, total, rows.write(i, total)
    return tf.while_loop(lambda i, *_: i < 3, body, [0, 0., tf.TensorArray(tf.float32, 3, element_shape=[])])[2].stack()
