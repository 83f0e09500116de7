"""tf.Summary, tf.Event and their parts, and VariableDef: messages whose fields are listed in a table."""
import struct
from google.protobuf.internal.wire_format import field as _field, fields as _fields, varint as _varint
from _library.example import _shown, _Message as _Plain

# The encodings of numbers: the wire type and the struct format.
_FIXED = {'double': (1, '<d'), 'float': (5, '<f')}
_ZEROS = {'double': 0.0, 'float': 0.0, 'int': 0, 'bool': False, 'string': '', 'bytes': b''}


def _converted(kind, value):
    """Converts a value to the form in which a field of this kind stores it."""
    if kind in _FIXED:
        form = _FIXED[kind][1]
        return struct.unpack(form, struct.pack(form, float(value)))[0]
    if kind == 'int':
        return int(value)
    if kind == 'string' and isinstance(value, bytes):
        return value.decode()
    if kind in ('string', 'bytes') and not isinstance(value, (str, bytes)):
        raise TypeError('%r has type %s, but expected one of: bytes, %s' % (
            value, type(value).__name__, 'str' if kind == 'string' else 'bytearray'))
    return value


class _Repeated(list):
    """A repeated field of values or messages."""

    def __init__(self, kind):
        self._kind = kind

    def add(self, **fields):
        """Adds a message with these fields."""
        self.append(self._kind(**fields))
        return self[-1]

    def append(self, value):
        super(_Repeated, self).append(_converted(self._kind, value))

    def extend(self, values):
        for value in values:
            self.append(value)


class _Message(_Plain):
    """The base class of messages. FIELDS: (number, name, kind, repeated). ONEOF: (name, the fields of which one is
    set)."""
    FIELDS, ONEOF = (), ('', ())

    def __init__(self, **given):
        object.__setattr__(self, '_set', {})
        for name, value in given.items():
            kind, repeated = self._kind(name, ValueError, 'Protocol message %s has no "%s" field.')
            if value is None:
                continue
            if repeated:
                getattr(self, name).extend(value)
            else:
                self._put(name, kind, value)

    def _kind(self, name, error=AttributeError, text="'%s' object has no attribute '%s'"):
        for _, known, kind, repeated in self.FIELDS:
            if known == name:
                return kind, repeated
        raise error(text % (type(self).__name__, name))

    def _put(self, name, kind, value):
        self._set.pop(name, None)  # the last one that was set wins in a oneof
        self._set[name] = _converted(kind, value)

    def __getattr__(self, name):
        kind, repeated = self._kind(name)
        if not repeated and kind in _ZEROS:
            return self._set[name] if self._holds(name) else _ZEROS[kind]
        if name not in self._set:
            self._set[name] = _Repeated(kind) if repeated else kind()
        return self._set[name]

    def __setattr__(self, name, value):
        kind, repeated = self._kind(name, text="'%s' object has no attribute '%s'")
        if repeated or kind not in _ZEROS:
            raise AttributeError('Assignment not allowed to %s "%s" in protocol message object.' % (
                'repeated field' if repeated else 'message, map, or repeated field', name))
        self._put(name, kind, value)

    def _is_full(self, name):
        value = self._set.get(name)
        return value is not None and (bool(value._bytes()) if isinstance(value, _Message) else value != [])

    def _holds(self, name):
        if name in self.ONEOF[1]:
            return self.WhichOneof(self.ONEOF[0]) == name
        return self._is_full(name)

    def HasField(self, name):
        kind, repeated = self._kind(name, ValueError, 'Protocol message %s has no field %s.')
        if repeated:
            raise ValueError('Protocol message %s has no singular "%s" field.' % (type(self).__name__, name))
        return self._holds(name)

    def WhichOneof(self, name):
        if name != self.ONEOF[0]:
            raise ValueError('Protocol message has no oneof "%s" field.' % name)
        return next((n for n in reversed(list(self._set)) if n in self.ONEOF[1] and self._is_full(n)), None)

    def ClearField(self, name):
        self._kind(name, ValueError, 'Protocol message %s has no "%s" field.')
        self._set.pop(name, None)

    def Clear(self):
        self._set.clear()

    def _elements(self):
        """Returns (number, name, kind, value) of all fields that are set, in the order of the table."""
        for number, name, kind, repeated in self.FIELDS:
            if self._holds(name):
                for value in self._set[name] if repeated else [self._set[name]]:
                    if repeated or name in self.ONEOF[1] or kind not in _ZEROS or value != _ZEROS[kind]:
                        yield number, name, kind, value

    def _bytes(self):
        out, packed = [], {}
        for number, _, kind, value in self._elements():
            if kind not in _FIXED:
                out.append(_field(number, value if kind in _ZEROS else value._bytes()))
                continue
            wire, form = _FIXED[kind]
            if any(f[0] == number and f[3] for f in self.FIELDS):
                if number not in packed:
                    packed[number] = len(out)
                    out.append([number])
                out[packed[number]].append(struct.pack(form, value))
            else:
                out.append(_varint(number << 3 | wire) + struct.pack(form, value))
        return b''.join([_field(o[0], b''.join(o[1:])) if isinstance(o, list) else o for o in out])

    def _read(self, data):
        known = {f[0]: f for f in self.FIELDS}
        for number, value in _fields(data):
            if number not in known:
                continue
            _, name, kind, repeated = known[number]
            if kind in _FIXED:
                form = _FIXED[kind][1]
                values = [v for v, in struct.iter_unpack(form, value)]
            elif kind == 'int':
                values = [value - (1 << 64) if value >> 63 else value]
            elif kind == 'bool':
                values = [bool(value)]
            else:
                values = [value.decode() if kind == 'string' else value if kind == 'bytes' else kind.FromString(value)]
            if repeated:
                getattr(self, name).extend(values)
            elif kind in _ZEROS:
                self._put(name, kind, values[-1])
            else:
                self._set[name] = values[-1]

    def _lines(self):
        out = []
        for _, name, kind, value in self._elements():
            if kind not in _ZEROS:
                out += [name + ' {'] + ['  ' + line for line in value._lines()] + ['}']
            elif kind in _FIXED:
                whole = value == value and abs(value) < 1e15 and value == int(value)
                shown = '%d' % value if whole else str(np.float32(value)) if kind == 'float' else repr(value)
                out.append('%s: %s' % (name, shown))
            else:
                out.append('%s: %s' % (name, str(value).lower() if kind in ('int', 'bool') else _shown(
                    value.encode() if kind == 'string' else value)))
        return out


class HistogramProto(_Message):
    """The distribution of values: bucket[i] counts the values below bucket_limit[i]."""
    FIELDS = ((1, 'min', 'double', False), (2, 'max', 'double', False), (3, 'num', 'double', False),
              (4, 'sum', 'double', False), (5, 'sum_squares', 'double', False),
              (6, 'bucket_limit', 'double', True), (7, 'bucket', 'double', True))


class _Image(_Message):
    FIELDS = ((1, 'height', 'int', False), (2, 'width', 'int', False), (3, 'colorspace', 'int', False),
              (4, 'encoded_image_string', 'bytes', False))


class _Audio(_Message):
    FIELDS = ((1, 'sample_rate', 'float', False), (2, 'num_channels', 'int', False),
              (3, 'length_frames', 'int', False), (4, 'encoded_audio_string', 'bytes', False),
              (5, 'content_type', 'string', False))


class _PluginData(_Message):
    FIELDS = ((1, 'plugin_name', 'string', False), (2, 'content', 'bytes', False))


class SummaryMetadata(_Message):
    """The TensorBoard plug-in that shows a value, and the value's name in it."""
    FIELDS = ((1, 'plugin_data', _PluginData, False), (2, 'display_name', 'string', False),
              (3, 'summary_description', 'string', False))
    PluginData = _PluginData


class _Value(_Message):
    FIELDS = ((7, 'node_name', 'string', False), (1, 'tag', 'string', False), (2, 'simple_value', 'float', False),
              (4, 'image', _Image, False), (5, 'histo', HistogramProto, False), (6, 'audio', _Audio, False),
              (9, 'metadata', SummaryMetadata, False))
    ONEOF = ('value', ('simple_value', 'image', 'histo', 'audio'))


class Summary(_Message):
    """Values to be shown, each with a tag."""
    FIELDS = ((1, 'value', _Value, True),)
    Value, Image, Audio = _Value, _Image, _Audio


class SessionLog(_Message):
    """An event in the life of a session."""
    STATUS_UNSPECIFIED, START, STOP, CHECKPOINT = 0, 1, 2, 3
    FIELDS = ((1, 'status', 'int', False), (2, 'checkpoint_path', 'string', False), (3, 'msg', 'string', False))


class TaggedRunMetadata(_Message):
    """The measurements of a traced step, with a name."""
    FIELDS = ((1, 'tag', 'string', False), (2, 'run_metadata', 'bytes', False))


class Event(_Message):
    """One record of an event file."""
    FIELDS = ((1, 'wall_time', 'double', False), (2, 'step', 'int', False), (3, 'file_version', 'string', False),
              (4, 'graph_def', 'bytes', False), (5, 'summary', Summary, False), (7, 'session_log', SessionLog, False),
              (8, 'tagged_run_metadata', TaggedRunMetadata, False), (9, 'meta_graph_def', 'bytes', False))
    ONEOF = ('what', ('file_version', 'graph_def', 'summary', 'session_log', 'tagged_run_metadata', 'meta_graph_def'))


class VariableDef(_Message):
    """The names of a variable's nodes."""
    FIELDS = ((1, 'variable_name', 'string', False), (6, 'initial_value_name', 'string', False),
              (2, 'initializer_name', 'string', False), (3, 'snapshot_name', 'string', False),
              (5, 'is_resource', 'bool', False), (7, 'trainable', 'bool', False))


for _kind, _name in ((_Image, 'Image'), (_Audio, 'Audio'), (_Value, 'Value'), (_PluginData, 'PluginData')):
    _kind.__name__ = _name


def summary_iterator(path):
    """Iterates over the events of an event file."""
    for record in tf.python_io.tf_record_iterator(path):
        yield Event.FromString(record)
