"""Rules of TensorFlow Lite: custom operators, and those of TensorFlow (Flex), whose options are FlexBuffers."""
import struct
import numpy as np
from google.protobuf.internal.wire_format import field as _field, fields as _fields
from _library.tflite_rules import rule, customs, RULES, Refused, dequantized, scalar

# Operators whose options are no FlexBuffer.
_STRUCTURES = ('Convolution2DTransposeBias', 'MaxPoolingWithArgmax2D', 'MaxUnpooling2D')
_LIMIT = 10000  # values in the options of one operator


class _Flex(object):
    """Reads a FlexBuffer: a value whose type is in its last bytes, with offsets that count backwards. As latin-1, texts keep their
    bytes."""

    def __init__(self, data, encoding='utf-8'):
        self.data, self.count, self.encoding = data, 0, encoding

    def root(self):
        if len(self.data) < 3:
            return None
        return self.value(len(self.data) - 2 - self.data[-1], self.data[-1], self.data[-2], 0)

    def raw(self, at, width):
        if at < 0 or width not in (1, 2, 4, 8) or at + width > len(self.data):
            raise Refused('its options are damaged')
        return self.data[at:at + width]

    def unsigned(self, at, width):
        return int.from_bytes(self.raw(at, width), 'little')

    def value(self, at, width, packed, depth):
        self.count += 1
        if self.count > _LIMIT or depth > 16:
            raise Refused('its options have more than %d values' % _LIMIT)
        kind, inner = packed >> 2, 1 << (packed & 3)
        if kind in (0, 1, 2, 3, 26):
            raw = self.raw(at, width)
            if kind == 3:
                return struct.unpack({2: '<e', 4: '<f', 8: '<d'}.get(width, '<f'), raw)[0]
            number = int.from_bytes(raw, 'little', signed=kind == 1)
            return None if kind == 0 else bool(number) if kind == 26 else number
        target = at - self.unsigned(at, width)
        if kind in (6, 7, 8):
            return self.value(target, inner, {6: 1, 7: 2, 8: 3}[kind] << 2, depth + 1)
        if kind == 4:
            end = self.data.find(b'\0', target)
            return self.data[target:end].decode(self.encoding, 'replace') if 0 <= target <= end else ''
        return self.sequence(target, kind, inner, depth)

    def sequence(self, at, kind, width, depth):
        size = self.unsigned(at - width, width)
        if size > len(self.data):
            raise Refused('its options are damaged')
        if kind in (5, 25):
            data = self.data[at:at + size]
            return data.decode(self.encoding, 'replace') if kind == 5 else data
        if kind in (11, 12, 13, 14, 36):
            return [self.value(at + i * width, width, {11: 1, 12: 2, 13: 3, 14: 4, 36: 26}[kind] << 2, depth + 1) for i in range(size)]
        if kind not in (9, 10):
            return None
        values = [self.value(at + i * width, width, self.data[at + size * width + i], depth + 1) for i in range(size)
                  if at + size * width + i < len(self.data)]
        if kind == 10:
            return values
        keys = at - 3 * width - self.unsigned(at - 3 * width, width)
        return dict(zip(self.sequence(keys, 14, self.unsigned(at - 2 * width, width), depth + 1), values))


def options_of(n):
    """The options of a custom operator: a dictionary, a list, or None."""
    return _Flex(n.operator.custom()).root()


def apply(n, inputs):
    if n.op.startswith('Flex'):
        return _tensorflow(n, inputs)
    f = RULES.get((n.op, 'custom'))
    if f is None:
        raise Refused('this operator is not supported')
    return f(n, {} if n.op in _STRUCTURES else options_of(n) or {}, *inputs)


# ---- ops of TensorFlow ----

def _tensorflow(n, inputs):
    """Adds the node that a NodeDef describes. Its inputs are those of the operator."""
    options = _Flex(n.operator.custom(), 'latin-1').root()
    if not isinstance(options, list) or len(options) < 2:
        raise Refused('its options hold no NodeDef')
    node = options[1] if isinstance(options[1], bytes) else options[1].encode('latin-1')
    try:
        kept = b''.join(_field(number, value) for number, value in _fields(node) if number in (2, 5))
    except IndexError:
        raise Refused('its NodeDef is damaged')
    given = list(inputs) + [None] * (len(n.ins) - len(inputs))
    if any(not isinstance(x, tf.Tensor) for x in given):
        raise Refused('an input is missing')
    graph = _field(1, _field(1, b'op') + b''.join(_field(3, b'in%d' % i) for i in range(len(given))) + kept)
    for i, x in enumerate(given):
        kind = _field(5, _field(1, b'dtype') + _field(2, _field(6, x.dtype.as_datatype_enum)))
        graph += _field(1, _field(1, b'in%d' % i) + _field(2, b'Placeholder') + kind)
    graph_def = tf.GraphDef()
    graph_def.ParseFromString(graph)
    outputs = ['op:%d' % i for i in range(len(n.outs))]
    return list(tf.import_graph_def(graph_def, {'in%d:0' % i: x for i, x in enumerate(given)}, outputs, name='flex'))


# ---- custom operators ----

@customs('TFLite_Detection_PostProcess')
def _detections(n, options, boxes, scores, anchors):
    """Boxes relative to their anchors become corners, and the best ones remain."""
    boxes, scores, anchors = [dequantized(x, i) for x, i in zip((boxes, scores, anchors), n.ins)]
    center, size = (anchors[:, :2], anchors[:, 2:4])
    boxes = boxes[0]
    scale = [float(options.get(k, 1.)) for k in ('y_scale', 'x_scale', 'h_scale', 'w_scale')]
    middle = boxes[:, :2] / tf.constant(scale[:2]) * size + center
    half = tf.exp(boxes[:, 2:4] / tf.constant(scale[2:])) * size * .5
    corners = tf.concat([middle - half, middle + half], 1)
    classes, most = int(options.get('num_classes', 1)), int(options.get('max_detections', 1))
    scores = scores[0]
    offset = scores.shape.as_list()[1] - classes  # a class of the background comes first
    scores = scores[:, offset:]
    least, overlap = float(options.get('nms_score_threshold', 0.)), float(options.get('nms_iou_threshold', .5))
    if options.get('use_regular_nms', False):
        rows = _by_class(corners, scores, classes, most, int(options.get('detections_per_class', 100)), least, overlap)
    else:
        rows = _fast(corners, scores, most, max(1, int(options.get('max_classes_per_detection', 1))), least, overlap)
    box, label, score, count = rows
    return [tf.expand_dims(box, 0), tf.expand_dims(label, 0), tf.expand_dims(score, 0), tf.reshape(tf.cast(count, tf.float32), [1])]


def _padded(x, most):
    """x with zeros after it, of `most` rows."""
    pads = [[0, most - tf.shape(x)[0]]] + [[0, 0]] * (x.shape.ndims - 1)
    y = tf.pad(x, pads)
    y.set_shape([most] + x.shape.as_list()[1:])
    return y


def _kept(boxes, scores, most, least, overlap):
    return tf.raw_ops.NonMaxSuppressionV3(boxes=boxes, scores=scores, max_output_size=most, iou_threshold=overlap,
                                          score_threshold=least)


def _fast(boxes, scores, most, per_box, least, overlap):
    """Boxes are chosen by their best class. Each has its best classes."""
    best = tf.reduce_max(scores, 1)
    kept = _kept(boxes, best, most, _just_below(least), overlap)
    values, labels = tf.nn.top_k(tf.gather(scores, kept), per_box)
    count = tf.size(kept) * per_box
    total = most * per_box
    box = tf.reshape(tf.tile(tf.expand_dims(tf.gather(boxes, kept), 1), [1, per_box, 1]), [-1, 4])
    return (_padded(box, total), _padded(tf.cast(tf.reshape(labels, [-1]), tf.float32), total),
            _padded(tf.reshape(values, [-1]), total), count)


def _just_below(v):
    """The threshold itself is enough for TensorFlow Lite, and not for TensorFlow."""
    return float(np.nextafter(np.float32(v), np.float32(-1))) if hasattr(np, 'nextafter') else v - abs(v) * 1e-7


def _by_class(boxes, scores, classes, most, per_class, least, overlap):
    """Boxes are chosen for each class, and the best of all classes remain."""
    found, labels = [], []
    for c in range(classes):
        kept = _kept(boxes, scores[:, c], min(per_class, most), _just_below(least), overlap)
        found.append(kept)
        labels.append(tf.fill(tf.shape(kept), c))
    places, labels = tf.concat(found, 0), tf.concat(labels, 0)
    value = tf.gather_nd(scores, tf.stack([places, labels], 1))
    value, order = tf.nn.top_k(value, tf.minimum(most, tf.size(value)))
    return (_padded(tf.gather(boxes, tf.gather(places, order)), most),
            _padded(tf.cast(tf.gather(labels, order), tf.float32), most), _padded(value, most), tf.size(value))


@customs('AudioSpectrogram')
def _spectrogram(n, options, x):
    return tf.raw_ops.AudioSpectrogram(input=x, window_size=int(options.get('window_size', 0)), stride=int(options.get('stride', 0)),
                                       magnitude_squared=bool(options.get('magnitude_squared', False)))


@customs('Mfcc')
def _mfcc(n, options, x, rate):
    return tf.raw_ops.Mfcc(
        spectrogram=x, sample_rate=scalar(rate), upper_frequency_limit=float(options.get('upper_frequency_limit', 4000)),
        lower_frequency_limit=float(options.get('lower_frequency_limit', 20)), filterbank_channel_count=int(
            options.get('filterbank_channel_count', 40)), dct_coefficient_count=int(options.get('dct_coefficient_count', 13)))


@customs('Convolution2DTransposeBias')
def _transpose_bias(n, options, x, w, bias):
    """MediaPipe's layer; its options are the structure {padding, width of the step, height of the step}."""
    data = n.operator.custom()
    if len(data) < 12:
        raise Refused('its options are damaged')
    padding, width, height = struct.unpack('<iii', data[:12])
    shape, k = x.shape.as_list(), w.shape.as_list()
    same = padding == 1
    size = [shape[0], shape[1] * height if same else (shape[1] - 1) * height + k[1],
            shape[2] * width if same else (shape[2] - 1) * width + k[2], k[0]]
    y = tf.raw_ops.Conv2DBackpropInput(input_sizes=size, filter=tf.transpose(w, [1, 2, 0, 3]), out_backprop=x,
                                       strides=[1, height, width, 1], padding='SAME' if same else 'VALID')
    return y + bias


@customs('Roll')
def _roll(n, options, x, shift, axis):
    return tf.roll(x, shift, axis)


@customs('IRFFT2D')
def _irfft2d(n, options, x, length):
    return tf.raw_ops.IRFFT2D(input=x, fft_length=length)


