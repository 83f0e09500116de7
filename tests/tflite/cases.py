"""The cases of record.py: operators of TensorFlow Lite with inputs. Each is one row (name, operator, tensors, outputs, …)."""
import numpy as np
from flatbuffers import flexbuffers

from build_model import const, feed, options as O, out, schema, var

R = np.random.default_rng(7)
CASES = []
UNTESTED = {}  # operators that TensorFlow Lite cannot run by itself
SAME, VALID = 0, 1
RELU, RELU_N1, RELU6, TANH = 1, 2, 3, 4


def case(name, ins, outs, opts=None, label='', tolerance=1e-4, off=0, version=1, custom=None, custom_options=None, extra=(), times=1, reference=True):
    """off is the largest difference of integers."""
    CASES.append(dict(name=name, ins=ins, outs=outs, opts=opts, label=label, tolerance=tolerance, off=off, version=version,
                      custom=custom, custom_options=custom_options, extra=extra, times=times, reference=reference))


def f(*shape, low=-2., high=2.):
    return (low + (high - low) * R.random(shape)).astype(np.float32)


def i8(*shape, low=-128, high=128):
    return R.integers(low, high, shape).astype(np.int8)


def u8(*shape):
    return R.integers(0, 256, shape).astype(np.uint8)


def i16(*shape):
    return R.integers(-32768, 32768, shape).astype(np.int16)


def i32(values):
    return np.array(values, np.int32)


def q8(*shape, scale=.05, zero=3):
    return feed(i8(*shape), scale, zero)


def q16(*shape, scale=.0005):
    return feed(i16(*shape), scale, 0)


def o8(scale=.05, zero=-4):
    return out('int8', scale, zero)


# ---- elementwise ----

for op in 'FLOOR CEIL COS SIN EXP SQUARE ELU LOGISTIC TANH RELU RELU6 RELU_N1_TO_1 RELU_0_TO_1 ABS NEG HARD_SWISH SIGN ZEROS_LIKE'.split():
    case(op, [feed(f(2, 5) * 3)], [out()], reference=op not in ('ELU', 'CEIL'))
for op in 'LOG SQRT RSQRT'.split():
    case(op, [feed(f(2, 5, low=.1))], [out()])
case('ROUND', [feed(np.array([.5, 1.5, 2.5, -.5, -1.5, .49999997], np.float32))], [out()], label='halves', reference=False)
for op in 'ABS NEG SQUARE SIGN'.split():
    if op in ('ABS', 'NEG'):
        case(op, [feed(i32([-3, 0, 7]))], [out('int32')], label='int32')
case('GELU', [feed(f(7))], [out()], O('GeluOptions', approximate=False))
case('GELU', [feed(f(7))], [out()], O('GeluOptions', approximate=True), label='approximate')
case('LEAKY_RELU', [feed(f(2, 4))], [out()], O('LeakyReluOptions', alpha=.3))
case('PRELU', [feed(f(2, 3, 4)), const(f(1, 1, 4))], [out()])
case('LOGICAL_NOT', [feed(np.array([True, False]))], [out('bool')])
for op in 'LOGICAL_AND LOGICAL_OR'.split():
    case(op, [feed(np.array([True, False, True, False])), feed(np.array([True, True, False, False]))], [out('bool')])
for op in 'ADD SUB MUL DIV'.split():
    kind = op[0] + op[1:].lower() + 'Options'
    for code, label in ((0, ''), (RELU, 'relu'), (RELU6, 'relu6'), (RELU_N1, 'relu_n1')):
        case(op, [feed(f(2, 3)), feed(f(3, low=.5) * 3)], [out()], O(kind, fusedActivationFunction=code), label=label)
    case(op, [feed(i32([-7, 9, 4])), feed(i32([2, 2, -3]))], [out('int32')], O(kind), label='int32')
for op in 'POW SQUARED_DIFFERENCE MAXIMUM MINIMUM FLOOR_DIV FLOOR_MOD'.split():
    case(op, [feed(f(2, 3, low=.2)), feed(f(1, 3, low=.3))], [out()])
for op in 'MAXIMUM MINIMUM FLOOR_DIV FLOOR_MOD'.split():
    case(op, [feed(i32([-7, 9, 4, -6])), feed(i32([2, 2, -3, 3]))], [out('int32')], label='int32')
case('ATAN2', [feed(f(6)), feed(f(6))], [out()])
case('ADD_N', [feed(f(2, 3)), feed(f(2, 3)), feed(f(2, 3))], [out()], O('AddNOptions'))
for op in 'EQUAL NOT_EQUAL LESS LESS_EQUAL GREATER GREATER_EQUAL'.split():
    case(op, [feed(np.array([1, 2, 3], np.float32)), feed(np.array([[2, 2, 2]], np.float32))], [out('bool')])
    case(op, [feed(np.array([1, 2, 3], np.int64)), feed(np.array([2, 2, 2], np.int64))], [out('bool')], label='int64')
    case(op, [q8(2, 6, scale=.05, zero=3), q8(2, 6, scale=.04, zero=-1)], [out('bool')], label='int8')
case('BITWISE_XOR', [feed(i32([5, -9, 12])), feed(i32([3, 7, -1]))], [out('int32')], O('BitwiseXorOptions'))
case('RIGHT_SHIFT', [feed(i32([50, -9, 12])), feed(i32([3, 1, 2]))], [out('int32')], O('RightShiftOptions'))
case('SELECT', [feed(np.array([True, False])), feed(f(2, 3)), feed(f(2, 3))], [out()], label='rows')
case('SELECT_V2', [feed(np.array([[True], [False]])), feed(f(2, 3)), feed(f(3))], [out()])
case('CAST', [feed(f(6) * 4)], [out('int32')], O('CastOptions', inDataType=0, outDataType=2))
case('CAST', [feed(i32([-1, 0, 3]))], [out('float32')], O('CastOptions', inDataType=2, outDataType=0), label='back')
case('CAST', [feed(i32([-1, 0, 3]))], [out('bool')], O('CastOptions', inDataType=2, outDataType=6), label='bool')
case('BITCAST', [feed(f(4))], [out('int32')], O('BitcastOptions'))
case('FAKE_QUANT', [feed(f(8) * 2)], [out()], O('FakeQuantOptions', min=-1.5, max=1.7, numBits=8, narrowRange=False))
for op, low, high in (('REAL', None, None), ('IMAG', None, None), ('COMPLEX_ABS', None, None)):
    case(op, [feed((f(4) + 1j * f(4)).astype(np.complex64))], [out()])

# ---- normalisation ----

case('SOFTMAX', [feed(f(2, 5))], [out()], O('SoftmaxOptions', beta=1.))
case('SOFTMAX', [feed(f(2, 5))], [out()], O('SoftmaxOptions', beta=.5), label='beta')
case('LOG_SOFTMAX', [feed(f(2, 5))], [out()], O('LogSoftmaxOptions'))
case('L2_NORMALIZATION', [feed(f(2, 3, 3, 4))], [out()], O('L2NormOptions'))
case('LOCAL_RESPONSE_NORMALIZATION', [feed(f(1, 2, 2, 8))], [out()],
     O('LocalResponseNormalizationOptions', radius=2, bias=1., alpha=.1, beta=.75), reference=False)  # the reference kernel leaves out the last neighbour

# ---- reductions ----

for op in 'MEAN SUM REDUCE_PROD REDUCE_MAX REDUCE_MIN'.split():
    case(op, [feed(f(2, 3, 4)), const(i32([1]))], [out()], O('ReducerOptions', keepDims=False))
    case(op, [feed(f(2, 3, 4)), const(i32([0, -1]))], [out()], O('ReducerOptions', keepDims=True), label='keep')
    case(op, [feed(i32(R.integers(-9, 9, (3, 4)))), const(i32([1]))], [out('int32')], O('ReducerOptions', keepDims=False), label='int32')
for op in 'REDUCE_ANY REDUCE_ALL'.split():
    case(op, [feed(R.random((3, 4)) < .6), const(i32([1]))], [out('bool')], O('ReducerOptions', keepDims=False))
for exclusive, reverse in ((False, False), (True, False), (False, True), (True, True)):
    case('CUMSUM', [feed(f(2, 4)), const(i32(1))], [out()], O('CumsumOptions', exclusive=exclusive, reverse=reverse),
         label='%d%d' % (exclusive, reverse))
for op, kind in (('ARG_MAX', 'ArgMaxOptions'), ('ARG_MIN', 'ArgMinOptions')):
    case(op, [feed(f(3, 5)), const(i32(1))], [out('int32')], O(kind, outputType=2))
    case(op, [q8(3, 5), const(i32(-1))], [out('int64')], O(kind, outputType=4), label='int8')
case('SEGMENT_SUM', [feed(f(4, 2)), feed(i32([0, 0, 1, 2]))], [out()], O('SegmentSumOptions'), reference=False)
for op in 'SUM PROD MAX MIN'.split():
    case('UNSORTED_SEGMENT_' + op, [feed(f(4, 2)), feed(i32([2, 0, 0, 1])), const(i32(3))], [out()],
         O('UnsortedSegment%sOptions' % op.capitalize()))

# ---- shapes and slices ----

case('RESHAPE', [feed(f(2, 6)), const(i32([3, -1]))], [out()], O('ReshapeOptions', newShape=[3, -1]))
case('RESHAPE', [feed(f(2, 6))], [out()], O('ReshapeOptions', newShape=[4, 3]), label='option')
case('SQUEEZE', [feed(f(1, 3, 1))], [out()], O('SqueezeOptions', squeezeDims=[0]))
case('SQUEEZE', [feed(f(1, 3, 1))], [out()], O('SqueezeOptions', squeezeDims=[]), label='all')
case('EXPAND_DIMS', [feed(f(2, 3)), const(i32(-1))], [out()], O('ExpandDimsOptions'))
case('SHAPE', [feed(f(2, 3))], [out('int32')], O('ShapeOptions', outType=2))
case('RANK', [feed(f(2, 3))], [out('int32')], O('RankOptions'))
case('TRANSPOSE', [feed(f(2, 3, 4)), const(i32([2, 0, 1]))], [out()], O('TransposeOptions'))
case('CONCATENATION', [feed(f(2, 3)), feed(f(2, 1)), const(f(2, 2))], [out()], O('ConcatenationOptions', axis=-1))
case('PACK', [feed(f(2, 3)), feed(f(2, 3))], [out()], O('PackOptions', valuesCount=2, axis=1))
case('UNPACK', [feed(f(2, 3))], [out(), out(), out()], O('UnpackOptions', num=3, axis=1))
case('SPLIT', [const(i32(1)), feed(f(2, 6))], [out(), out(), out()], O('SplitOptions', numSplits=3))
case('SPLIT_V', [feed(f(2, 6)), const(i32([1, 2, 3])), const(i32(1))], [out(), out(), out()], O('SplitVOptions', numSplits=3))
case('SLICE', [feed(f(3, 4)), const(i32([1, 0])), const(i32([-1, 2]))], [out()], O('SliceOptions'))
case('STRIDED_SLICE', [feed(f(4, 5)), const(i32([3, 1])), const(i32([0, 5])), const(i32([-1, 2]))], [out()],
     O('StridedSliceOptions', beginMask=0, endMask=0, ellipsisMask=0, newAxisMask=0, shrinkAxisMask=0))
case('STRIDED_SLICE', [feed(f(4, 5)), const(i32([1, 1])), const(i32([2, 5])), const(i32([1, 2]))], [out()],
     O('StridedSliceOptions', beginMask=2, endMask=2, ellipsisMask=0, newAxisMask=0, shrinkAxisMask=1), label='masks')
case('STRIDED_SLICE', [feed(f(4, 5)), const(i32([1, 1])), const(i32([2, 3])), const(i32([1, 1]))], [out()],
     O('StridedSliceOptions', beginMask=0, endMask=0, ellipsisMask=0, newAxisMask=0, shrinkAxisMask=0, offset=True), label='offset')
case('GATHER', [feed(f(3, 4)), const(i32([2, 0]))], [out()], O('GatherOptions', axis=1, batchDims=0))
case('GATHER', [feed(f(2, 3, 4)), const(i32([[2, 0], [1, 1]]))], [out()], O('GatherOptions', axis=1, batchDims=1), label='batch')
case('GATHER_ND', [feed(f(3, 4)), const(i32([[2, 0], [1, 3]]))], [out()], O('GatherNdOptions'))
case('SCATTER_ND', [const(i32([[1], [3]])), feed(f(2, 3)), const(i32([5, 3]))], [out()], O('ScatterNdOptions'))
case('EMBEDDING_LOOKUP', [feed(i32([2, 0])), const(f(4, 3))], [out()])
for code in range(3):
    case('EMBEDDING_LOOKUP_SPARSE', [feed(i32([1, 3, 0])), feed(i32([[0, 0], [2, 0], [2, 1]])), feed(i32([3, 2])), feed(f(3, low=.1)),
                                     const(f(4, 3))], [out()], O('EmbeddingLookupSparseOptions', combiner=code), label=str(code))
case('HASHTABLE_LOOKUP', [feed(i32([5, 4, 9])), const(i32([1, 5, 9])), const(f(3, 2))], [out(), out('uint8')])
case('TOPK_V2', [feed(f(2, 5)), const(i32(3))], [out(), out('int32')], O('TopKV2Options'))
case('UNIQUE', [feed(i32([4, 1, 4, 2]))], [out('int32'), out('int32')], O('UniqueOptions', idxOutType=2))
case('WHERE', [feed(R.random((3, 4)) < .5)], [out('int64')], O('WhereOptions'))
case('ONE_HOT', [feed(i32([1, 3, 0])), const(i32(4)), const(np.float32(2)), const(np.float32(-1))], [out()], O('OneHotOptions', axis=-1))
case('SPARSE_TO_DENSE', [const(i32([[0, 1], [2, 0]])), const(i32([3, 2])), feed(f(2)), const(np.float32(.5))], [out()],
     O('SparseToDenseOptions', validateIndices=False))
case('BUCKETIZE', [feed(f(8))], [out('int32')], O('BucketizeOptions', boundaries=[-1., 0., .5]))
case('TILE', [feed(f(2, 3)), const(i32([2, 1]))], [out()], O('TileOptions'))
case('BROADCAST_TO', [feed(f(1, 3)), const(i32([2, 2, 3]))], [out()], O('BroadcastToOptions'))
case('BROADCAST_ARGS', [feed(i32([2, 1])), feed(i32([5, 1, 4]))], [out('int32')])
case('FILL', [const(i32([2, 3])), feed(np.float32(1.5))], [out()], O('FillOptions'))
case('RANGE', [feed(np.float32(1)), feed(np.float32(5)), feed(np.float32(1.5))], [out()], O('RangeOptions'))
case('RANGE', [feed(i32(9)), feed(i32(1)), feed(i32(-3))], [out('int32')], O('RangeOptions'), label='int32')
case('PAD', [feed(f(2, 3)), const(i32([[1, 0], [2, 1]]))], [out()], O('PadOptions'))
case('PADV2', [feed(f(2, 3)), const(i32([[1, 0], [2, 1]])), const(np.float32(7))], [out()], O('PadV2Options'))
for mode in (0, 1):
    case('MIRROR_PAD', [feed(f(3, 4)), const(i32([[1, 1], [2, 1]]))], [out()], O('MirrorPadOptions', mode=mode), label=str(mode))
case('REVERSE_V2', [feed(f(2, 3, 4)), const(i32([1]))], [out()], O('ReverseV2Options'))
case('REVERSE_SEQUENCE', [feed(f(3, 4)), const(i32([4, 2, 1]))], [out()], O('ReverseSequenceOptions', seqDim=1, batchDim=0))
case('SPACE_TO_DEPTH', [feed(f(1, 4, 4, 2))], [out()], O('SpaceToDepthOptions', blockSize=2))
case('DEPTH_TO_SPACE', [feed(f(1, 2, 2, 8))], [out()], O('DepthToSpaceOptions', blockSize=2))
case('SPACE_TO_BATCH_ND', [feed(f(1, 4, 5, 2)), const(i32([2, 2])), const(i32([[0, 0], [1, 0]]))], [out()], O('SpaceToBatchNDOptions'))
case('BATCH_TO_SPACE_ND', [feed(f(4, 2, 3, 2)), const(i32([2, 2])), const(i32([[0, 0], [1, 0]]))], [out()], O('BatchToSpaceNDOptions'))
case('MATRIX_DIAG', [feed(f(2, 3))], [out()], O('MatrixDiagOptions'))
case('MATRIX_SET_DIAG', [feed(f(2, 3, 4)), feed(f(2, 3))], [out()], O('MatrixSetDiagOptions'))
case('RFFT2D', [feed(f(2, 4, 8)), const(i32([4, 8]))], [out('complex64')], O('Rfft2dOptions'))
case('DYNAMIC_UPDATE_SLICE', [feed(f(4, 5)), feed(f(2, 2)), feed(i32([1, 4]))], [out()], O('DynamicUpdateSliceOptions'))
case('DILATE', [feed(f(2, 3)), const(i32([2, 3])), const(np.float32(-1))], [out()], O('DilateOptions'))
boxes = np.array([[0, 0, 1, 1], [0, .1, 1, 1.1], [0, -.1, 1, .9], [0, 10, 1, 11], [0, 10.1, 1, 11.1], [0, 100, 1, 101]], np.float32)
scores = np.array([.9, .75, .6, .95, .5, .3], np.float32)
case('NON_MAX_SUPPRESSION_V4', [feed(boxes), feed(scores), const(i32(6)), const(np.float32(.5)), const(np.float32(.4))],
     [out('int32'), out('int32')], O('NonMaxSuppressionV4Options'))
case('NON_MAX_SUPPRESSION_V5', [feed(boxes), feed(scores), const(i32(6)), const(np.float32(.5)), const(np.float32(0)), const(np.float32(.5))],
     [out('int32'), out(), out('int32')], O('NonMaxSuppressionV5Options'))
for code, op in ((1, 'add'), (2, 'mul'), (3, 'min'), (4, 'max')):
    case('REDUCE_WINDOW', [feed(f(4, 5)), const(np.float32({1: 0, 2: 1, 3: 9, 4: -9}[code])), const(np.array([2, 2], np.int64)), const(
        np.array([1, 2], np.int64)), const(np.array([1, 1], np.int64))], [out()], O('ReduceWindowOptions', reduceFunction=code), label=op)

# ---- convolutions and products ----

for code, label in ((0, ''), (RELU6, 'relu6')):
    for padding, name in ((SAME, 'same'), (VALID, 'valid')):
        opts = O('Conv2DOptions', padding=padding, strideW=2, strideH=1, fusedActivationFunction=code, dilationWFactor=1, dilationHFactor=1)
        case('CONV_2D', [feed(f(1, 5, 6, 3)), const(f(4, 3, 3, 3)), const(f(4))], [out()], opts, label=name + label)
case('CONV_2D', [feed(f(1, 7, 7, 2)), const(f(4, 3, 3, 2)), const(f(4))], [out()], O('Conv2DOptions', padding=SAME, strideW=1, strideH=1, dilationWFactor=2,
                                                                     dilationHFactor=2), label='dilated')
case('CONV_2D', [feed(f(1, 5, 5, 4)), const(f(6, 3, 3, 2)), const(f(6))], [out()], O('Conv2DOptions', padding=SAME, strideW=1, strideH=1,
                                                                                 dilationWFactor=1, dilationHFactor=1), label='groups')
for stride, dilation, m in ((1, 1, 1), (2, 1, 2), (1, 2, 1)):
    opts = O('DepthwiseConv2DOptions', padding=SAME, strideW=stride, strideH=stride, depthMultiplier=m, fusedActivationFunction=RELU,
             dilationWFactor=dilation, dilationHFactor=dilation)
    case('DEPTHWISE_CONV_2D', [feed(f(1, 6, 6, 3)), const(f(1, 3, 3, 3 * m)), const(f(3 * m))], [out()], opts, label='%d%d%d' % (stride, dilation, m))
case('TRANSPOSE_CONV', [const(i32([1, 6, 6, 2])), const(f(2, 3, 3, 3)), feed(f(1, 3, 3, 3)), const(f(2))], [out()],
     O('TransposeConvOptions', padding=SAME, strideW=2, strideH=2), version=3)
case('CONV_3D', [feed(f(1, 4, 5, 5, 2)), const(f(2, 3, 3, 2, 3)), const(f(3))], [out()],
     O('Conv3DOptions', padding=SAME, strideD=1, strideW=2, strideH=1, dilationDFactor=1, dilationWFactor=1, dilationHFactor=1))
case('CONV_3D_TRANSPOSE', [const(i32([1, 3, 6, 6, 2])), const(f(2, 3, 3, 2, 3)), feed(f(1, 3, 3, 3, 3)), const(f(2))], [out()],
     O('Conv3DOptions', padding=SAME, strideD=1, strideW=2, strideH=2, dilationDFactor=1, dilationWFactor=1, dilationHFactor=1))
case('FULLY_CONNECTED', [feed(f(2, 5)), const(f(3, 5)), const(f(3))], [out()], O('FullyConnectedOptions', fusedActivationFunction=RELU))
case('FULLY_CONNECTED', [feed(f(2, 4, 5)), const(f(3, 5)), None], [out()], O('FullyConnectedOptions', keepNumDims=True), label='keep')
case('BATCH_MATMUL', [feed(f(2, 3, 4)), feed(f(2, 4, 5))], [out()], O('BatchMatMulOptions', adjX=False, adjY=False))
case('BATCH_MATMUL', [feed(f(2, 4, 3)), const(f(5, 4))], [out()], O('BatchMatMulOptions', adjX=True, adjY=True), label='adjoint')
pool = dict(padding=SAME, strideW=2, strideH=2, filterWidth=3, filterHeight=2)
for op in 'AVERAGE_POOL_2D MAX_POOL_2D L2_POOL_2D'.split():
    case(op, [feed(f(1, 5, 6, 3))], [out()], O('Pool2DOptions', **pool))
    case(op, [feed(f(1, 5, 6, 3))], [out()], O('Pool2DOptions', **dict(pool, padding=VALID, fusedActivationFunction=RELU)), label='valid')
for corners, half in ((False, False), (True, False), (False, True)):
    case('RESIZE_BILINEAR', [feed(f(1, 3, 4, 2)), const(i32([5, 7]))], [out()], O('ResizeBilinearOptions', alignCorners=corners, halfPixelCenters=half),
         label='%d%d' % (corners, half), version=3)
    case('RESIZE_NEAREST_NEIGHBOR', [feed(f(1, 3, 4, 2)), const(i32([5, 7]))], [out()], O(
        'ResizeNearestNeighborOptions', alignCorners=corners, halfPixelCenters=half), label='%d%d' % (corners, half), version=3)

# ---- quantized ----

for op in 'ADD SUB MUL'.split():
    kind = op[0] + op[1:].lower() + 'Options'
    case(op, [q8(4, 9), q8(1, 9, scale=.03, zero=-10)], [o8(.09, 5)], O(kind), label='int8', version=2)
    case(op, [q8(4, 9), q8(4, 9, scale=.03, zero=-10)], [o8(.03, 5)], O(kind, fusedActivationFunction=RELU6), label='int8 relu6', version=2)
    case(op, [feed(u8(4, 9), .05, 120), feed(u8(4, 9), .03, 99)], [out('uint8', .09, 130)], O(kind), label='uint8')
    case(op, [q16(4, 9), q16(4, 9, scale=.0003)], [out('int16', .0007 if op != 'MUL' else .01, 0)], O(kind, **({} if op == 'MUL' else {'potScaleInt16': False})), label='int16', version=4 if op == 'MUL' else 3)
case('DIV', [feed(u8(3, 5), .05, 120), feed(R.integers(130, 255, (3, 5)).astype(np.uint8), .03, 99)], [out('uint8', .03, 130)], O('DivOptions'), label='uint8', off=1)
for op in 'LOGISTIC TANH HARD_SWISH ELU EXP ABS RSQRT LOG SQRT NEG RELU RELU6 RELU_N1_TO_1 RELU_0_TO_1 GELU'.split():
    positive = op in ('RSQRT', 'LOG', 'SQRT')
    scale, zero = {'LOGISTIC': (1 / 256, -128), 'TANH': (1 / 128, 0), 'EXP': (.5, -128)}.get(op, (.06, -4))
    scale, zero = (.06, 3) if op in ('NEG',) else (scale, zero)
    x = feed(i8(4, 16, low=10), .06, 3) if positive else feed(i8(4, 16), .06, 3)
    if op == 'NEG':
        x = feed(i8(4, 16, low=-100, high=100), .06, 0)
        scale, zero = .06, 0
    exact = op.startswith('RELU') and op != 'RELU_N1_TO_1'
    case(op, [x], [o8(scale, zero)], O('GeluOptions') if op == 'GELU' else None, label='int8', off=0 if exact or op == 'NEG' else 1, version=2, reference=op != 'ELU')
case('LOGISTIC', [q16(4, 9)], [out('int16', 1 / 32768, 0)], label='int16', off=8, version=3)
case('TANH', [q16(4, 9)], [out('int16', 1 / 32768, 0)], label='int16', off=8, version=3)
case('LEAKY_RELU', [q8(4, 9)], [o8(.04, 7)], O('LeakyReluOptions', alpha=.3), label='int8', version=2)
case('PRELU', [q8(1, 4, 9), const(i8(1, 1, 9), .01, 2)], [o8(.04, 7)], label='int8')
case('QUANTIZE', [feed(f(4, 9))], [o8(.03, 5)], O('QuantizeOptions'))
case('QUANTIZE', [feed(np.array([.5, 1.5, 2.5, -.5, -1.5, 900, -900], np.float32))], [out('int8', 1., 0)], O('QuantizeOptions'), label='halves')
case('QUANTIZE', [q8(4, 9)], [o8(.07, -9)], O('QuantizeOptions'), label='again', version=2)
case('QUANTIZE', [q8(4, 9)], [out('uint8', .05, 131)], O('QuantizeOptions'), label='uint8', version=2)
case('QUANTIZE', [feed(np.array([[-32768, -3, 0, 5, 32767]], np.int16), .0005, 0)], [out('int32', .002, 0)], O('QuantizeOptions'), label='int32', version=2)
case('QUANTIZE', [feed(np.array([[-70000, -3, 0, 5, 900000]], np.int32), .002, 0)], [out('int16', .03, 0)], O('QuantizeOptions'), label='from int32', version=2)
case('DEQUANTIZE', [q8(4, 9)], [out()], O('DequantizeOptions'), version=2)
case('DEQUANTIZE', [const(f(3, 2).astype(np.float16))], [out()], O('DequantizeOptions'), label='float16', version=3)
case('SOFTMAX', [q8(4, 9)], [o8(1 / 256, -128)], O('SoftmaxOptions', beta=1.), label='int8', off=1, version=2)
case('LOG_SOFTMAX', [q8(4, 9)], [o8(16 / 256, 127)], O('LogSoftmaxOptions'), label='int8', off=1, version=2)
case('L2_NORMALIZATION', [q8(1, 2, 2, 4, zero=0)], [o8(1 / 128, 0)], O('L2NormOptions'), label='int8', off=1, version=2)
for op in 'MEAN SUM REDUCE_MAX REDUCE_MIN REDUCE_PROD'.split():
    scale, zero = {'SUM': (.2, 1), 'MEAN': (.04, 1), 'REDUCE_PROD': (.5, 2)}.get(op, (.05, 3))
    case(op, [q8(2, 5, 7) if op != 'REDUCE_PROD' else feed(i8(2, 3), .02, 1), const(i32([1]))], [o8(scale, zero)], O('ReducerOptions', keepDims=False), label='int8', version=2,
         off=1 if op in ('REDUCE_PROD',) else 0, reference=op != 'SUM')
case('MEAN', [q8(1, 7, 7, 5), const(i32([1, 2]))], [o8(.03, -7)], O('ReducerOptions', keepDims=True), label='image', version=2)
case('SQUARED_DIFFERENCE', [q8(4, 9), q8(4, 9, scale=.03, zero=-10)], [o8(.2, -100)], label='int8', version=2)
for op in 'MAXIMUM MINIMUM'.split():
    case(op, [q8(4, 9), q8(4, 9)], [o8(.05, 3)], label='int8', version=2)
case('CONCATENATION', [q8(2, 3), q8(2, 4)], [o8(.05, 3)], O('ConcatenationOptions', axis=1), label='int8', version=2)
case('CONCATENATION', [feed(u8(2, 3), .05, 120), feed(u8(2, 4), .04, 99)], [out('uint8', .06, 128)], O('ConcatenationOptions', axis=1), label='scales', off=1)
case('PAD', [q8(2, 3), const(i32([[1, 0], [2, 1]]))], [o8(.05, 3)], O('PadOptions'), label='int8', version=2)
case('TRANSPOSE', [q8(2, 3), const(i32([1, 0]))], [o8(.05, 3)], O('TransposeOptions'), label='int8', version=2)
case('RESHAPE', [q8(2, 6), const(i32([3, 4]))], [o8(.05, 3)], O('ReshapeOptions', newShape=[3, 4]), label='int8')
case('SPACE_TO_BATCH_ND', [q8(1, 4, 5, 2), const(i32([2, 2])), const(i32([[0, 0], [1, 0]]))], [o8(.05, 3)], O('SpaceToBatchNDOptions'), label='int8', version=2)
case('RESIZE_BILINEAR', [q8(1, 3, 4, 2), const(i32([5, 7]))], [o8(.05, 3)], O('ResizeBilinearOptions', halfPixelCenters=True), label='int8', version=3)
case('RESIZE_NEAREST_NEIGHBOR', [q8(1, 3, 4, 2), const(i32([5, 7]))], [o8(.05, 3)], O('ResizeNearestNeighborOptions'), label='int8', version=3)
case('TOPK_V2', [q8(2, 5), const(i32(3))], [o8(.05, 3), out('int32')], O('TopKV2Options'), label='int8', version=2)
case('EMBEDDING_LOOKUP', [feed(i32([2, 0])), const(i8(4, 3), .02, 0)], [out()], label='hybrid', version=2)
for op in 'AVERAGE_POOL_2D MAX_POOL_2D'.split():
    case(op, [q8(1, 5, 6, 3)], [o8(.05, 3)], O('Pool2DOptions', **pool), label='int8', version=2)
    case(op, [q8(1, 5, 6, 3)], [o8(.05, 3)], O('Pool2DOptions', **dict(pool, padding=VALID, fusedActivationFunction=RELU6)), label='int8 relu6', version=2)
    case(op, [q16(1, 5, 6, 3)], [out('int16', .0005, 0)], O('Pool2DOptions', **pool), label='int16', version=3)


def scales(n, low=.002):
    return (low * (1 + R.random(n))).astype(np.float32)


def conv_options(**more):
    return O('Conv2DOptions', **dict(dict(padding=SAME, strideW=1, strideH=1, dilationWFactor=1, dilationHFactor=1), **more))


w = scales(4)
case('CONV_2D', [q8(1, 5, 6, 3), const(i8(4, 3, 3, 3, low=-127), w, 0), const(i32(R.integers(-900, 900, 4)), .05 * w, 0)], [o8(.02, -4)],
     conv_options(fusedActivationFunction=RELU), label='int8', version=3)
case('CONV_2D', [feed(u8(1, 5, 6, 3), .05, 120), const(u8(4, 3, 3, 3), .004, 110), const(i32(R.integers(-900, 900, 4)), .0002, 0)], [out('uint8', .08, 131)],
     conv_options(), label='uint8')
w = scales(4)
case('CONV_2D', [q16(1, 5, 6, 3), const(i8(4, 3, 3, 3, low=-127), w, 0), const(R.integers(-90000, 90000, 4).astype(np.int64), .0005 * w, 0)],
     [out('int16', .0004, 0)], conv_options(), label='int16', version=4)
w = scales(2)
case('CONV_2D', [q8(1, 3, 3, 130), const(i8(2, 3, 3, 130, low=-127), w, 0), const(i32([5, -7]), .05 * w, 0)], [o8(.2, -4)], conv_options(),
     label='int8 wide', version=3)
for stride, dilation in ((1, 1), (2, 1), (1, 2)):
    w = scales(6)
    opts = O('DepthwiseConv2DOptions', padding=SAME, strideW=stride, strideH=stride, depthMultiplier=2, dilationWFactor=dilation, dilationHFactor=dilation)
    case('DEPTHWISE_CONV_2D', [q8(1, 6, 6, 3), const(i8(1, 3, 3, 6, low=-127), w, 0, 3), const(i32(R.integers(-900, 900, 6)), .05 * w, 0)], [o8(.01, -4)],
         opts, label='int8 %d%d' % (stride, dilation), version=3)
w = scales(2)
case('TRANSPOSE_CONV', [const(i32([1, 6, 6, 2])), const(i8(2, 3, 3, 3, low=-127), w, 0), q8(1, 3, 3, 3), const(i32([100, -200]), .05 * w, 0)], [o8(.02, -4)],
     O('TransposeConvOptions', padding=SAME, strideW=2, strideH=2), label='int8', version=3)
case('FULLY_CONNECTED', [q8(2, 5), const(i8(3, 5, low=-127), .004, 0), const(i32([10, -20, 30]), .0002, 0)], [o8(.01, -4)],
     O('FullyConnectedOptions', fusedActivationFunction=RELU), label='int8', version=4)
w = scales(3)
case('FULLY_CONNECTED', [q8(2, 5), const(i8(3, 5, low=-127), w, 0), const(i32([10, -20, 30]), .05 * w, 0)], [o8(.01, -4)],
     O('FullyConnectedOptions'), label='int8 channels', version=4)
case('FULLY_CONNECTED', [q16(2, 5), const(i8(3, 5, low=-127), .004, 0), const(np.array([10, -20, 30], np.int64), .000002, 0)], [out('int16', .0002, 0)],
     O('FullyConnectedOptions'), label='int16', version=4)
case('FULLY_CONNECTED', [feed(u8(2, 5), .05, 120), const(u8(3, 5), .004, 110), const(i32([10, -20, 30]), .0002, 0)], [out('uint8', .01, 128)],
     O('FullyConnectedOptions'), label='uint8')
case('BATCH_MATMUL', [q8(2, 3, 4), q8(2, 4, 5, scale=.03, zero=-5)], [o8(.09, 6)], O('BatchMatMulOptions'), label='int8', version=2)
case('BATCH_MATMUL', [q16(2, 3, 4), q16(2, 4, 5)], [out('int16', .01, 0)], O('BatchMatMulOptions'), label='int16', version=3)
# Weights of 4 bits, of which two are in a byte.
four = R.integers(-7, 8, (4, 6)).astype(np.int8)
packed = ((four.reshape(-1)[0::2] & 15) | ((four.reshape(-1)[1::2] & 15) << 4)).astype(np.uint8).tobytes()
case('FULLY_CONNECTED', [feed(f(2, 6)), const(four, .1, 0, dtype='int4', packed=packed)], [out()], O('FullyConnectedOptions'), label='int4', version=10, tolerance=1e-3)
# Float inputs with integer weights.
case('FULLY_CONNECTED', [feed(f(3, 8)), const(i8(4, 8, low=-127), .01, 0), const(f(4))], [out()], O('FullyConnectedOptions'), label='hybrid', version=3, tolerance=1e-4)
case('FULLY_CONNECTED', [feed(f(3, 8)), const(i8(4, 8, low=-127), .01, 0), const(f(4))], [out()], O('FullyConnectedOptions', asymmetricQuantizeInputs=True),
     label='hybrid asymmetric', version=9, tolerance=1e-4)
case('CONV_2D', [feed(f(2, 5, 5, 3)), const(i8(4, 3, 3, 3, low=-127), .01, 0), const(f(4))], [out()], conv_options(), label='hybrid', version=2, tolerance=1e-4)
case('CONV_2D', [feed(f(2, 5, 5, 3)), const(i8(4, 3, 3, 3, low=-127), scales(4), 0), const(f(4))], [out()], conv_options(), label='hybrid channels', version=5,
     tolerance=1e-4)
case('DEPTHWISE_CONV_2D', [feed(f(2, 5, 5, 3)), const(i8(1, 3, 3, 3, low=-127), scales(3), 0, 3), const(f(3))], [out()],
     O('DepthwiseConv2DOptions', padding=SAME, strideW=1, strideH=1, depthMultiplier=1, dilationWFactor=1, dilationHFactor=1), label='hybrid', version=6, tolerance=1e-4)

case('TRANSPOSE_CONV', [const(i32([1, 6, 6, 2])), const(i8(2, 3, 3, 3, low=-127), scales(2), 0), feed(f(1, 3, 3, 3)), const(f(2))], [out()],
     O('TransposeConvOptions', padding=SAME, strideW=2, strideH=2), label='hybrid', version=3)

# ---- recurrent ----

case('RNN', [feed(f(2, 3)), const(f(4, 3)), const(f(4, 4)), const(f(4)), var([2, 4])], [out()], O('RNNOptions', fusedActivationFunction=TANH), times=2)
case('UNIDIRECTIONAL_SEQUENCE_RNN', [feed(f(2, 5, 3)), const(f(4, 3)), const(f(4, 4)), const(f(4)), var([2, 4])], [out()],
     O('SequenceRNNOptions', timeMajor=False, fusedActivationFunction=TANH), times=2)
case('BIDIRECTIONAL_SEQUENCE_RNN', [feed(f(2, 5, 3)), const(f(4, 3)), const(f(4, 4)), const(f(4)), var([2, 4]), const(f(2, 3)), const(f(2, 2)), const(f(2)),
                                    var([2, 2]), None, None, None], [out(), out()],
     O('BidirectionalSequenceRNNOptions', timeMajor=False, fusedActivationFunction=TANH, mergeOutputs=False))
case('SVDF', [feed(f(2, 3)), const(f(8, 3)), const(f(8, 5)), const(f(4)), var([2, 40])], [out()], O('SVDFOptions', rank=2, fusedActivationFunction=RELU), times=3)


def lstm(cifg=False, peephole=False, projection=False, norm=False, n=4, m=3):
    size = 2 if projection else n
    gates = [None if cifg and k == 0 else const(f(n, m)) for k in range(4)]
    gates += [None if cifg and k == 0 else const(f(n, size)) for k in range(4)]
    gates += [(None if cifg and k == 0 else const(f(n))) if peephole else None for k in range(3)]
    gates += [None if cifg and k == 0 else const(f(n)) for k in range(4)]
    gates += [const(f(2, n)), const(f(2))] if projection else [None, None]
    gates += [var([2, size]), var([2, n])]
    return gates + ([None if cifg and k == 0 else const(f(n, low=.5)) for k in range(4)] if norm else [None] * 4)


for label, kind in (('', {}), ('cifg', dict(cifg=True)), ('peephole', dict(peephole=True)), ('projection', dict(projection=True)),
                    ('norm', dict(norm=True)), ('all', dict(cifg=True, peephole=True, projection=True))):
    case('UNIDIRECTIONAL_SEQUENCE_LSTM', [feed(f(2, 5, 3))] + lstm(**kind), [out()], O(
        'UnidirectionalSequenceLSTMOptions', fusedActivationFunction=TANH, cellClip=10., projClip=0., timeMajor=False), label=label, times=2, version=2 if not kind.get('norm') else 3)
case('LSTM', [feed(f(2, 3))] + lstm(), [out()], O('LSTMOptions', fusedActivationFunction=TANH, cellClip=0., projClip=0.), times=2)
case('LSTM', [feed(f(1, 3)), feed(f(1, 4)), const(f(16, 7)), const(f(16)), feed(f(1, 4))], [out(), out(), out(), out()],
     O('LSTMOptions', fusedActivationFunction=TANH, kernelType=1), label='basic', version=2)
case('UNIDIRECTIONAL_SEQUENCE_LSTM', [feed(f(2, 5, 3))] + [const(i8(4, 3, low=-127), .01, 0) for _ in range(4)] + [
    const(i8(4, 4, low=-127), .01, 0) for _ in range(4)] + [None] * 3 + [const(f(4)) for _ in range(4)] + [None, None, var([2, 4]), var([2, 4])] + [None] * 4, [out()],
     O('UnidirectionalSequenceLSTMOptions', fusedActivationFunction=TANH, cellClip=10., projClip=0., timeMajor=False), label='hybrid', version=3, tolerance=2e-4)


def direction(n=4, m=3):
    return [const(f(n, m)) for _ in range(4)] + [const(f(n, n)) for _ in range(4)] + [None] * 3 + [const(f(n)) for _ in range(4)] + [None, None]


for merge in (False, True):
    case('BIDIRECTIONAL_SEQUENCE_LSTM', [feed(f(5, 2, 3) if merge else f(2, 5, 3))] + direction() + direction() + [var([2, 4]) for _ in range(4)] + [None] * 9,
         [out()] if merge else [out(), out()], O('BidirectionalSequenceLSTMOptions', fusedActivationFunction=TANH, cellClip=0., projClip=0., mergeOutputs=merge,
                                                timeMajor=merge), label='merged' if merge else '', version=3)

# ---- StableHLO ----

case('STABLEHLO_PAD', [feed(f(2, 3)), const(np.float32(9))], [out()], O('StablehloPadOptions', edgePaddingLow=np.array([1, -1], np.int64), edgePaddingHigh=np.array([0, 2], np.int64),
                                                                       interiorPadding=np.array([1, 0], np.int64)))
case('STABLEHLO_GATHER', [feed(f(3, 4, 2)), feed(np.array([[0, 1], [1, 0], [2, 2]], np.int64))], [out(shape=[3, 2, 2])], O(
    'StablehloGatherOptions', offsetDims=np.array([1, 2], np.int64), collapsedSliceDims=np.array([0], np.int64), startIndexMap=np.array([0, 1], np.int64), indexVectorDim=1,
    sliceSizes=np.array([1, 2, 2], np.int64), indicesAreSorted=False))
for op, kind in (('ADD', None), ('MULTIPLY', None), ('MAXIMUM', None), ('MINIMUM', None)):
    case('STABLEHLO_' + op, [feed(f(2, 3)), feed(f(2, 3))], [out()])

# ---- operators that TensorFlow Lite has no kernels for; the values are those of numpy ----


def wanted(name, ins, dtype, values, opts=None, label=''):
    values = values if isinstance(values, list) else [values]
    values = [np.asarray(v) for v in values]
    case(name, ins, [out(dtype if isinstance(dtype, str) else v.dtype.name, shape=v.shape) for v in values], opts, label=label)
    CASES[-1]['expected'] = [v.astype(dtype) if isinstance(dtype, str) else v for v in values]


x, y = f(2, 3, low=.2), f(2, 3, low=.2)
for op, g in (('LOGISTIC', lambda v: 1 / (1 + np.exp(-v))), ('ABS', np.abs), ('COSINE', np.cos), ('EXPONENTIAL', np.exp), ('FLOOR', np.floor), ('LOG', np.log),
              ('NEGATE', np.negative), ('RSQRT', lambda v: 1 / np.sqrt(v)), ('TANH', np.tanh), ('CBRT', np.cbrt)):
    v = -x if op in ('ABS', 'CBRT') else x
    wanted('STABLEHLO_' + op, [feed(v)], 'float32', g(v))
for op, g in (('DIVIDE', np.divide), ('SUBTRACT', np.subtract), ('POWER', np.power), ('REMAINDER', np.fmod)):
    wanted('STABLEHLO_' + op, [feed(x), feed(y)], 'float32', g(x, y))
a, b = i32([5, -9, 12]), i32([3, 1, 2])
for op, g in (('AND', np.bitwise_and), ('OR', np.bitwise_or), ('SHIFT_LEFT', np.left_shift)):
    wanted('STABLEHLO_' + op, [feed(a), feed(b)], 'int32', g(a, b))
wanted('STABLEHLO_RESHAPE', [feed(x)], 'float32', x.reshape(3, 2))
wanted('STABLEHLO_CLAMP', [const(np.float32(.5)), feed(x), const(np.float32(1))], 'float32', np.clip(x, .5, 1))
wanted('STABLEHLO_CONCATENATE', [feed(x), feed(y)], 'float32', np.concatenate([x, y], 1), O('StablehloConcatenateOptions', dimension=1))
wanted('STABLEHLO_BROADCAST_IN_DIM', [feed(x)], 'float32', np.broadcast_to(x.reshape(2, 1, 3), (2, 4, 3)),
       O('StablehloBroadcastInDimOptions', broadcastDimensions=np.array([0, 2])))
wanted('STABLEHLO_SLICE', [feed(x)], 'float32', x[0:2, 0:3:2], O('StablehloSliceOptions', startIndices=np.array([0, 0]), limitIndices=np.array([2, 3]), strides=np.array([1, 2])))
wanted('STABLEHLO_SELECT', [feed(x > y), feed(x), feed(y)], 'float32', np.where(x > y, x, y))
wanted('STABLEHLO_COMPARE', [feed(x), feed(y)], 'bool', x > y, O('StablehloCompareOptions', comparisonDirection=schema.StablehloComparisonDirection.STABLEHLO_COMPARISON_DIRECTION_GT))
wanted('STABLEHLO_COMPARE', [feed(a), feed(b)], 'bool', a <= b, O('StablehloCompareOptions', comparisonDirection=schema.StablehloComparisonDirection.STABLEHLO_COMPARISON_DIRECTION_LE), label='le')
wanted('STABLEHLO_CONVERT', [feed(x * 9)], 'int32', (x * 9).astype(np.int32))
wanted('STABLEHLO_DYNAMIC_SLICE', [feed(x), feed(i32(1)), feed(i32(2))], 'float32', x[1:2, 1:3], O('StablehloDynamicSliceOptions', sliceSizes=np.array([1, 2])), label='clamped')
z = x.copy()
z[1:2, 1:3] = y[:1, :2]
wanted('STABLEHLO_DYNAMIC_UPDATE_SLICE', [feed(x), feed(y[:1, :2]), feed(i32(1)), feed(i32(2))], 'float32', z)
wanted('STABLEHLO_IOTA', [], 'int32', np.broadcast_to(np.arange(3).reshape(1, 3), (2, 3)), O('StablehloIotaOptions', iotaDimension=1))
wanted('STABLEHLO_TRANSPOSE', [feed(x)], 'float32', x.T, O('StablehloTransposeOptions', permutation=np.array([1, 0])))
u, v = f(2, 3, 4), f(2, 5, 4)
wanted('STABLEHLO_DOT_GENERAL', [feed(u), feed(v)], 'float32', np.einsum('bij,bkj->bik', u, v), O(
    'StablehloDotGeneralOptions', lhsBatchingDimensions=np.array([0]), rhsBatchingDimensions=np.array([0]), lhsContractingDimensions=np.array([2]),
    rhsContractingDimensions=np.array([2])))
u, v = f(1, 2, 4, 4), f(3, 2, 2, 2)  # the channels are second
w = np.array([[[[np.sum(u[0, :, i:i + 2, j:j + 2] * v[o]) for j in range(0, 3, 2)] for i in range(3)] for o in range(3)]])
wanted('STABLEHLO_CONVOLUTION', [feed(u), feed(v)], 'float32', w, O(
    'StablehloConvolutionOptions', windowStrides=np.array([1, 2]), padding=np.array([0, 0, 0, 0]), lhsDilation=np.array([1, 1]), rhsDilation=np.array([1, 1]),
    inputBatchDimension=0, inputFeatureDimension=1, inputSpatialDimensions=np.array([2, 3]), kernelInputFeatureDimension=1, kernelOutputFeatureDimension=0,
    kernelSpatialDimensions=np.array([2, 3]), outputBatchDimension=0, outputFeatureDimension=1, outputSpatialDimensions=np.array([2, 3]), featureGroupCount=1,
    batchGroupCount=1))

# ---- tables of 8-bit functions, hashes and texts ----

every = np.arange(-128, 128).astype(np.int8).reshape(4, 64)
for op, scale, zero in (('LOGISTIC', 1 / 256, -128), ('TANH', 1 / 128, 0), ('HARD_SWISH', .045, -110), ('EXP', .03, -128), ('ELU', .05, -100)):
    for s, z in ((.047, 3), (.0113, -60)):
        case(op, [feed(every, s, z)], [o8(scale, zero)], label='int8 at %g' % s, version=2, reference=op != 'ELU')
case('HARD_SWISH', [feed((every.astype(np.int32) + 128).astype(np.uint8), .031, 110)], [out('uint8', .02, 12)], label='uint8')
for weights, label in (([], ''), ([feed(f(5))], 'weights')):
    for kind in (1, 2):
        case('LSH_PROJECTION', [const(f(3, 4)), feed(i32(R.integers(0, 99, (5, 2))))] + weights, [out('int32')], O('LSHProjectionOptions', type=kind),
             label=' '.join(['dense'] * (kind == 2) + [label] * bool(label)), reference=False)
for size, most, shorter in ((2, 0, False), (3, 2, False), (3, 1, True)):
    case('SKIP_GRAM', [feed(np.array([b'The quick brown fox jumps']))], [out('str')],
         O('SkipGramOptions', ngramSize=size, maxSkipSize=most, includeAllNgrams=shorter), label='%d %d %d' % (size, most, shorter), reference=False)

# ---- custom operators of MediaPipe, for which TensorFlow Lite has no kernel ----


def mediapipe(name, ins, values, options, version=2):
    wanted('CUSTOM', ins, None, values)
    CASES[-1].update(custom=name, version=version, custom_options=options if isinstance(options, bytes) else flexbuffers.Dumps(options))


def bilinear(image, matrix, height, width):
    made = np.zeros((1, height, width, image.shape[3]), np.float32)
    for r in range(height):
        for q in range(width):
            x, y = (matrix @ [q + .5, r + .5, 0, 1])[:2] - .5
            if 0 <= x <= image.shape[2] - 1 and 0 <= y <= image.shape[1] - 1:
                i, j = int(y), int(x)
                below, right = min(i + 1, image.shape[1] - 1), min(j + 1, image.shape[2] - 1)
                top = image[0, i, j] * (j + 1 - x) + image[0, i, right] * (x - j)
                made[0, r, q] = top * (i + 1 - y) + (image[0, below, j] * (j + 1 - x) + image[0, below, right] * (x - j)) * (y - i)
    return made


def crop_matrix(points, left, right, inside, target, height, width, scale_x, scale_y):
    turn = target - np.arctan2(points[right, 1] - points[left, 1], points[right, 0] - points[left, 0])
    spin = lambda a: np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    turned = np.array([spin(turn) @ points[i, :2] for i in inside])
    low, high = turned.min(0), turned.max(0)
    made = np.eye(4)
    made[:2, :2] = spin(-turn) @ np.diag((high - low) * [scale_x / width, scale_y / height])
    made[:2, 3] = spin(-turn) @ ((low + high) / 2) - made[:2, :2] @ [width / 2, height / 2]
    return made[None].astype(np.float32)


points, turned = f(1, 7, 3, low=0, high=20), np.array([[[.8, -.3, 0, 2], [.4, .9, 0, -1], [0, 0, 1, 0], [0, 0, 0, 1]]], np.float32)
mediapipe('Landmarks2TransformMatrix', [feed(points)], crop_matrix(points[0], 1, 4, [0, 2, 3, 5, 6], .3, 6, 9, 1.5, 1.25), dict(
    left_rotation_idx=1, right_rotation_idx=4, subset_idxs=[0, 2, 3, 5, 6], target_rotation_radians=.3, output_height=6, output_width=9, scale_x=1.5,
    scale_y=1.25))
for n in (2, 3):
    moved = np.array([[(turned[0] @ [p[0], p[1], 0, 1])[:2].tolist() + p[2:].tolist() for p in points[0, :, :n]]], np.float32)
    mediapipe('TransformLandmarks', [feed(points[:, :, :n]), feed(turned)], moved, {})
image = f(1, 5, 6, 3)
mediapipe('TransformTensorBilinear', [feed(image), feed(turned)], bilinear(image, turned[0], 4, 7), dict(output_height=4, output_width=7))
image = f(1, 4, 6, 2)
pool = np.array([1, 2, 2, 2, 2, 0], np.int32).tobytes()
cells = image.reshape(1, 2, 2, 3, 2, 2).transpose(0, 1, 3, 2, 4, 5).reshape(1, 2, 3, 4, 2)
mediapipe('MaxPoolingWithArgmax2D', [feed(image)], [cells.max(3), cells.argmax(3).astype(np.float32) + np.float32(.1)], pool, 1)
spread = np.where(np.arange(4)[:, None] == cells.argmax(3)[:, :, :, None], cells.max(3)[:, :, :, None], 0)
mediapipe('MaxUnpooling2D', [feed(cells.max(3)), feed(cells.argmax(3).astype(np.float32) + np.float32(.1))],
          spread.reshape(1, 2, 3, 2, 2, 2).transpose(0, 1, 3, 2, 4, 5).reshape(1, 4, 6, 2).astype(np.float32), pool, 1)

# ---- whole vectors of channels, and what remains ----

for channels, stride, padding in ((70, 1, SAME), (33, 2, VALID), (16, 2, SAME)):
    w = scales(channels)
    opts = O('DepthwiseConv2DOptions', padding=padding, strideW=stride, strideH=stride, depthMultiplier=1, dilationWFactor=1, dilationHFactor=1)
    case('DEPTHWISE_CONV_2D', [q8(1, 7, 6, channels), const(i8(1, 3, 3, channels, low=-127), w, 0, 3), const(i32(R.integers(-900, 900, channels)), .05 * w, 0)],
         [o8(.01, -4)], opts, label='int8 of %d' % channels, version=3)
    case('DEPTHWISE_CONV_2D', [feed(u8(1, 7, 6, channels), .05, 120), const(u8(1, 3, 3, channels), .004, 110), const(i32(R.integers(-900, 900, channels)), .0002, 0)],
         [out('uint8', .02, 131)], opts, label='uint8 of %d' % channels)
w = scales(37)
case('CONV_2D', [q8(1, 5, 6, 18), const(i8(37, 3, 3, 18, low=-127), w, 0), const(i32(R.integers(-900, 900, 37)), .05 * w, 0)], [o8(.05, -4)], conv_options(),
     label='int8 of 37', version=3)
for n, scale in (('int8', .05), ('int16', .0005)):
    q = q8 if n == 'int8' else q16
    case('MUL', [q(2, 9, 20), q(2, 9, 20)], [out(n, scale * 2, 5 if n == 'int8' else 0)], O('MulOptions'), label=n + ' of 20', version=4 if n == 'int16' else 2)

# ---- factors for which rounding twice gives other integers than rounding once ----

small = [feed(i8(24, 4), .0517231, 3), const(i8(30, 4, low=-3, high=4), .0041837, 0), const(i32(R.integers(-300, 300, 30)), .0002164, 0)]
case('FULLY_CONNECTED', small, [o8(.0013171, -4)], O('FullyConnectedOptions'), label='rounds once', version=4)
w = scales(30, .004)
case('FULLY_CONNECTED', [small[0], const(small[1].value, w, 0), const(small[2].value, .0517231 * w, 0)], [o8(.0021317, -4)], O('FullyConnectedOptions'),
     label='channels round once', version=4)
case('FULLY_CONNECTED', [feed(u8(24, 4), .0517231, 120), const((small[1].value.astype(int) + 128).astype(np.uint8), .0041837, 128), small[2]], [out('uint8', .0013171, 128)],
     O('FullyConnectedOptions'), label='uint8 rounds once', version=1)
case('SUM', [feed(i8(24, 20, 7), .0517231, 3), const(i32([1]))], [o8(.3317, -4)], O('ReducerOptions', keepDims=True), label='rounds once', version=2, reference=False)
case('CONV_2D', [feed(i8(1, 24, 20, 4), .0517231, 3), const(i8(7, 1, 1, 4, low=-3, high=4), .0041837, 0), const(i32(R.integers(-300, 300, 7)), .0002164, 0)],
     [o8(.0013171, -4)], conv_options(), label='rounds twice', version=3)
for corners, half in ((False, False), (True, False), (False, True)):
    for kind in ('int8', 'int16'):
        opts = O('ResizeBilinearOptions', alignCorners=corners, halfPixelCenters=half)
        case('RESIZE_BILINEAR', [(q8 if kind == 'int8' else q16)(2, 5, 6, 2), const(i32([12, 17]))], [out(kind, *((.05, 3) if kind == 'int8' else (.0005, 0)))], opts,
             label='%s %d%d' % (kind, corners, half), version=3)
