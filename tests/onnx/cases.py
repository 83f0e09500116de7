"""Runs cases of the ONNX backend tests; `tensh cases.py LIST`, with one folder of a case on each line of LIST.

A folder holds model.onnx, and folders test_data_set_N with input_M.pb and output_M.pb. Prints a line for each case: its
name, `ok` or the reason why it fails, separated by a tab.

A second argument is the mode: `fed` uses the placeholders that open makes, `unknown` a first input of which only the rank is
known, and `constants` makes all inputs constants, which the rules may look at.
"""
import os
import sys
import _onnx
from _library import onnx
from _library.onnx_sequence import Sequence, Optional, empty

RTOL, ATOL = 1e-3, 1e-7  # those of ONNX's own runner


def message(path, kind):
    with open(path, 'rb') as f:
        return _onnx.parse(f.read(), kind)


def read(path, info):
    """The value in a file: an array, a list, or None for an absent optional value."""
    kind = info.type
    if kind.optional_type is not None:
        found = message(path, 'OptionalProto')
        if found.sequence_value is not None:
            return [t.value for t in found.sequence_value.tensor_values]
        return None if found.tensor_value is None else found.tensor_value.value
    if kind.sequence_type is not None:
        return [t.value for t in message(path, 'SequenceProto').tensor_values]
    found = message(path, 'TensorProto')
    if kind.tensor_type.elem_type == 16 and found.data_type == 4:  # ONNX 1.12 wrote the bits of bfloat16 as uint16
        with tf.Graph().as_default(), tf.Session() as session:
            return session.run(tf.bitcast(tf.constant(found.value), tf.bfloat16))
    if found.value is None:
        raise ValueError('its data have the element type %d' % found.data_type)
    return found.value


def numbers(folder, start):
    return len([f for f in os.listdir(folder) if f.startswith(start)])


def given(info, value):
    """A graph's value for an input that cannot be fed, or None for a tensor."""
    if value is None:
        return Optional(None)
    if not isinstance(value, list):
        return None
    kind = info.type.sequence_type or info.type.optional_type.elem_type.sequence_type
    made = empty(tf.as_dtype(value[0].dtype) if value else onnx_dtype(kind.elem_type.tensor_type.elem_type))
    if value:
        rank = len(value[0].shape)
        made = Sequence(made.handle, made.dtype, [None] * rank if all(len(v.shape) == rank for v in value) else None)
    for v in value:
        made = made.with_handle(made.push(tf.constant(v)))
    return made


def onnx_dtype(number):
    from _library.onnx_rules import dtype_of
    return dtype_of(number)


def fetch(session, value, feeds):
    if isinstance(value, Optional):
        return fetch(session, value.value, feeds) if session.run(value.is_present(), feeds) else None
    if isinstance(value, Sequence):
        count = session.run(value.length(), feeds)
        return [session.run(value.at(i), feeds) for i in range(count)]
    return session.run(value, feeds)


def difference(got, want):
    """Returns how a result differs from the expected one, or ''."""
    if want is None or got is None:
        return '' if want is None and got is None else 'got %s, expected %s' % (got, want)
    if isinstance(want, list):
        if not isinstance(got, list) or len(got) != len(want):
            return 'a sequence of another length'
        return next((d for d in [difference(g, w) for g, w in zip(got, want)] if d), '')
    got, want = np.asarray(got), np.asarray(want)
    if got.dtype != want.dtype:
        return 'type %s, expected %s' % (got.dtype, want.dtype)
    if got.shape != want.shape:
        return 'shape %s, expected %s' % (got.shape, want.shape)
    if want.dtype == object or got.dtype.kind not in 'fc':
        if not np.all(np.equal(got, want)):
            return 'got %s, expected %s' % (got.reshape(-1)[:6], want.reshape(-1)[:6])
        return ''
    wide = np.complex128 if got.dtype.kind == 'c' else np.float64
    g, w = got.astype(wide), want.astype(wide)
    if not np.allclose(g, w, RTOL, ATOL, equal_nan=True):
        return 'got %s, expected %s' % (g.reshape(-1)[:6], w.reshape(-1)[:6])
    return ''


def replaced(info, value, first):
    """The graph's value for an input in the modes that do not use the placeholders of the model."""
    if info.type.tensor_type is None:
        return None
    if MODE == 'constants':
        return tf.constant(value)
    if MODE == 'unknown' and first and np.ndim(value):
        return tf.placeholder(tf.as_dtype(np.asarray(value).dtype) if info.type.tensor_type.elem_type != 8 else tf.string,
                              [None] * np.ndim(value))
    return None


def run_set(path, folder):
    model = _onnx.read(path)
    with_value = set(t.name for t in model.graph.initializer)
    infos = [i for i in model.graph.input if i.name not in with_value or numbers(folder, 'input_') == len(model.graph.input)]
    values = {}
    for i, info in enumerate(infos[:numbers(folder, 'input_')]):
        values[info.name] = read(os.path.join(folder, 'input_%d.pb' % i), info)
    with tf.Graph().as_default(), tf.Session() as session:
        inputs, fed = {}, {}
        for info in infos:
            made = given(info, values[info.name]) if info.name in values else None
            if made is None and info.name in values:
                made = replaced(info, values[info.name], info is infos[0])
                if made is not None and MODE == 'unknown':
                    fed[made] = values[info.name]
            if made is not None:
                inputs[info.name] = made
        opened = onnx.open_model(path, inputs=inputs)
        feeds = {value: values[info.name] for info, value in opened.feeds if info.name in values}
        feeds.update(fed)
        outputs = opened.fetches[:numbers(folder, 'output_')]
        tensors = [v for _, v in outputs if isinstance(v, tf.Tensor)]
        fetched = dict(zip([t.name for t in tensors], session.run(tensors, feeds)))
        for i, (info, value) in enumerate(outputs):
            got = fetched[value.name] if isinstance(value, tf.Tensor) else fetch(session, value, feeds)
            wrong = difference(got, read(os.path.join(folder, 'output_%d.pb' % i), info))
            if wrong:
                return "output '%s': %s" % (info.name, wrong)
    return 'ok'


def run_case(folder):
    path = os.path.join(folder, 'model.onnx')
    sets = sorted(f for f in os.listdir(folder) if f.startswith('test_data_set_'))
    for each in sets:
        result = run_set(path, os.path.join(folder, each))
        if result != 'ok':
            return result
    return 'ok'


MODE = sys.argv[2] if len(sys.argv) > 2 else 'fed'
with open(sys.argv[1]) as f:
    folders = f.read().split()
for folder in folders:
    try:
        result = run_case(folder)
    except Exception as e:
        result = '%s: %s' % (type(e).__name__, e)
    print('%s\t%s' % (folder, result.replace('\n', ' ').replace('\t', ' ')[:400]))
