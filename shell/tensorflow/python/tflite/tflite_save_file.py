"""Writes the FlatBuffer of a TensorFlow Lite model.

A FlatBuffer refers forward: a table is followed by the tables, lists and texts that it contains. The elements of constants
are the end of the file, so that they are not copied.
"""
import struct
import numpy as np
from _library.onnx_save import Body
from _library.tflite_rules import NAMES

LARGEST = (1 << 31) - (1 << 20)  # bytes of a file: references have 31 bits
TYPES = {'float32': 0, 'float16': 1, 'int32': 2, 'uint8': 3, 'int64': 4, 'bool': 6, 'int16': 7, 'complex64': 8, 'int8': 9,
         'float64': 10, 'uint64': 12, 'uint32': 15, 'uint16': 16, 'bfloat16': 18}
# The operators that need another version than 1.
_VERSIONS = {'BROADCAST_TO': 2}
# For each operator with options: the number of the kind of its options, and their fields: b a byte, i an integer, f a real
# number, v a list of integers.
OPTIONS = {}
for _line in '''
CONV_2D 1 padding:b stride_w:i stride_h:i fused:b dilation_w:i dilation_h:i
DEPTHWISE_CONV_2D 2 padding:b stride_w:i stride_h:i multiplier:i fused:b dilation_w:i dilation_h:i
AVERAGE_POOL_2D 5 padding:b stride_w:i stride_h:i width:i height:i fused:b
MAX_POOL_2D 5 padding:b stride_w:i stride_h:i width:i height:i fused:b
FULLY_CONNECTED 8 fused:b weights_format:b keep_num_dims:b
SOFTMAX 9 beta:f
CONCATENATION 10 axis:i fused:b
ADD 11 fused:b
LOCAL_RESPONSE_NORMALIZATION 13 radius:i bias:f alpha:f beta:f
RESIZE_BILINEAR 15 width:i height:i corners:b half:b
RESHAPE 17 shape:v
SPACE_TO_DEPTH 19 block:i
MUL 21 fused:b
GATHER 23 axis:i batch_dims:i
MEAN 27 keep:b
SUM 27 keep:b
REDUCE_MAX 27 keep:b
REDUCE_MIN 27 keep:b
REDUCE_PROD 27 keep:b
REDUCE_ANY 27 keep:b
REDUCE_ALL 27 keep:b
SUB 28 fused:b
DIV 29 fused:b
SQUEEZE 30 dims:v
STRIDED_SLICE 32 begin:i end:i ellipsis:i new:i shrink:i
SPLIT 35 number:i
CAST 37 from:b to:b
ARG_MAX 40 type:b
TRANSPOSE_CONV 49 padding:b stride_w:i stride_h:i fused:b
SHAPE 55 type:b
ARG_MIN 57 type:b
FAKE_QUANT 58 min:f max:f bits:i narrow:b
PACK 59 number:i axis:i
ONE_HOT 61 axis:i
UNPACK 64 number:i axis:i
RESIZE_NEAREST_NEIGHBOR 74 corners:b half:b
LEAKY_RELU 75 alpha:f
MIRROR_PAD 77 mode:b
SPLIT_V 79 number:i
UNIQUE 80 type:b
REVERSE_SEQUENCE 87 seq:i batch:i
IF 92 then:i else:i
WHILE 93 cond:i body:i
DEPTH_TO_SPACE 94 block:i
BATCH_MATMUL 101 adj_x:b adj_y:b
CUMSUM 102 exclusive:b reverse:b
CONV_3D 106 padding:b stride_d:i stride_w:i stride_h:i fused:b dilation_d:i dilation_w:i dilation_h:i
CONV_3D_TRANSPOSE 106 padding:b stride_d:i stride_w:i stride_h:i fused:b dilation_d:i dilation_w:i dilation_h:i
GELU 116 approximate:b'''.split('\n')[1:]:
    _words = _line.split()
    OPTIONS[_words[0]] = (int(_words[1]), [w.split(':') for w in _words[2:]])


class Elements(object):
    """The elements of a constant."""

    def __init__(self, array):
        self.array = array


class FlatBuffer(object):
    """The bytes of a file. A table is a dict {number of the field: (format, value)}. The format is that of struct, or 'o' for
    a table, a list of tables, a text, an array of numbers, or Elements."""

    def __init__(self, root, identifier):
        self.data, self.vtables, self.elements = bytearray(4) + bytearray(identifier), {}, []
        self._object(0, root)

    def pieces(self):
        """The bytes of the file, as a list."""
        size, tail = len(self.data), []
        for at, array in self.elements:
            gap = -(size + 4) % 16
            self.data[at:at + 4] = struct.pack('<I', size + gap - at)
            tail += [b'\0' * gap + struct.pack('<I', array.nbytes), array.tobytes()]
            size += gap + 4 + array.nbytes
        return [bytes(self.data)] + tail

    def _align(self, size, before=0):
        self.data += bytearray(-(len(self.data) + before) % size)

    def _object(self, at, value):
        """Writes an object, to which the reference at position `at` refers."""
        if isinstance(value, Elements):
            self.elements.append((at, value.array))
            return
        if isinstance(value, dict):
            start = self._table(value)
        elif isinstance(value, str):
            text = value.encode('utf-8')
            self._align(4)
            start = len(self.data)
            self.data += struct.pack('<I', len(text)) + text + b'\0'
        elif isinstance(value, np.ndarray):
            self._align(max(4, value.dtype.itemsize), 4)
            start = len(self.data)
            self.data += struct.pack('<I', value.size) + value.tobytes()
        else:
            self._align(4)
            start = len(self.data)
            self.data += struct.pack('<I', len(value)) + bytearray(4 * len(value))
            for i, item in enumerate(value):
                self._object(start + 4 + 4 * i, item)
        self.data[at:at + 4] = struct.pack('<I', start - at)

    def _table(self, fields):
        """Writes a table and what it contains. Tables with the same fields share their vtable."""
        numbers = sorted(fields, key=lambda k: (fields[k][0] in 'bB', k))  # those of four bytes come first
        offsets, at = {}, 4
        for k in numbers:
            offsets[k] = at
            at += 1 if fields[k][0] in 'bB' else 4
        count = max(numbers) + 1 if numbers else 0
        vtable = struct.pack('<HH', 4 + 2 * count, at) + b''.join(struct.pack('<H', offsets.get(k, 0)) for k in range(count))
        if vtable not in self.vtables:
            self._align(2)
            self.vtables[vtable] = len(self.data)
            self.data += vtable
        self._align(4)
        start = len(self.data)
        self.data += struct.pack('<i', start - self.vtables[vtable])
        for k in numbers:
            kind, value = fields[k]
            self.data += b'\0\0\0\0' if kind == 'o' else struct.pack('<' + kind, value)
        for k in numbers:
            if fields[k][0] == 'o':
                self._object(start + offsets[k], fields[k][1])
        return start


class _Graphs(object):
    """The parts of a file that its graphs share. Equal constants of several signatures are one."""

    def __init__(self):
        self.writer, self.graphs, self.codes, self.buffers, self.places, self.size = None, [], [], [{}], {}, 0

    def add(self, body, name):
        """Adds a graph and those that its operators call. Returns its number, and the numbers of its tensors by name."""
        number = len(self.graphs)
        self.graphs.append(None)
        names = list(body.inputs)
        for _, inputs, outputs, _ in body.nodes:
            names += inputs + outputs
        numbers, tensors = {'': -1}, []
        for key in names + body.outputs:
            if key not in numbers:
                numbers[key] = len(tensors)
                tensors.append(self._tensor(key))
        operators = [self._operator(node, numbers) for node in body.nodes]
        self.graphs[number] = {0: ('o', tensors), 1: ('o', _int32(numbers[k] for k in body.inputs)),
                               2: ('o', _int32(numbers[k] for k in body.outputs)), 3: ('o', operators), 4: ('o', name)}
        return number, numbers

    def _tensor(self, key):
        kind, value = self.writer.type_of(key), self.writer.initializers.get(key)
        dims = list(value.shape) if value is not None else self.writer.dims_of(key)
        made = {1: ('b', TYPES[kind.name]), 3: ('o', key)}
        if dims is not None:
            made[0], made[8] = ('o', _int32(1 if d is None else d for d in dims)), ('b', 1)
            if None in dims:
                made[7] = ('o', _int32(-1 if d is None else d for d in dims))
        if value is not None and value.size:
            made[2] = ('I', self._buffer(np.ascontiguousarray(value)))
        return made

    def _buffer(self, value):
        data = value.tobytes()
        same = self.places.setdefault((hash(data), len(data)), [])
        for number in same:
            if self.buffers[number][0][1].array.tobytes() == data:
                return number
        same.append(len(self.buffers))
        self.buffers.append({0: ('o', Elements(value))})
        self.size += len(data)
        return same[-1]

    def _operator(self, node, numbers):
        op, inputs, outputs, given = node
        code = (NAMES.index(op), _VERSIONS.get(op, 1))
        if code not in self.codes:
            self.codes.append(code)
        made = {0: ('I', self.codes.index(code)), 1: ('o', _int32(numbers[k] for k in inputs)),
                2: ('o', _int32(numbers[k] for k in outputs))}
        if op in OPTIONS:
            number, rows = OPTIONS[op]
            fields = {}
            for k, (key, kind) in enumerate(rows):
                value = given.get(key)
                if isinstance(value, Body):
                    value = self.add(value, key)[0]
                if value is not None:
                    fields[k] = ('o', _int32(value)) if kind == 'v' else (kind, int(value) if kind != 'f' else float(value))
            made[3], made[4] = ('B', number), ('o', fields)
        return made


def _int32(values):
    return np.array(list(values), np.int32)


def model_pieces(signatures):
    """The bytes of a model. A signature is its name, its Writer, and its inputs and outputs as lists of (name in the signature,
    name of the tensor). The Python of TensorFlow Lite runs the first graph if no signature is named."""
    made, rows = _Graphs(), []
    for name, made.writer, inputs, outputs in sorted(signatures, key=lambda s: s[0] != 'serving_default'):
        graph, numbers = made.add(made.writer.root, 'main' if not rows else name)
        maps = [[{0: ('o', key), 1: ('I', numbers[tensor])} for key, tensor in ends] for ends in (inputs, outputs)]
        rows.append({0: ('o', maps[0]), 1: ('o', maps[1]), 2: ('o', name), 4: ('I', graph)})
    model = {0: ('I', 3), 2: ('o', made.graphs), 3: ('o', 'tensh'), 4: ('o', made.buffers),
             1: ('o', [{0: ('b', min(number, 127)), 2: ('i', version), 3: ('i', number)} for number, version in made.codes]),
             7: ('o', rows)}
    if made.size > LARGEST:
        raise ValueError('a file of TensorFlow Lite has at most 2 GB, and the constants of this graph have %.1f GB' % (
            made.size / 1e9))
    return FlatBuffer(model, b'TFL3').pieces()
