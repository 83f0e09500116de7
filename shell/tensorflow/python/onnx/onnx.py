"""Opens ONNX models: `open model.onnx` adds the graph of the model to the current one."""
import os
import _onnx
from _library.model import scalar_sample, shape_text, short, size_text
from _library.onnx_graph import Translator
from _library.onnx_rules import RULES, TooLarge
from _library.onnx_sequence import Sequence

_LONGEST = 12  # the number of inputs, outputs and operators that the summary lists


def open_model(path, scope='', inputs=None):
    """Adds the graph of an ONNX file to the default graph, and returns its Translator.

    `inputs` are tensors to use instead of placeholders for some of the inputs, by name.
    """
    if os.path.isdir(path):
        raise IsADirectoryError("[Errno 21] Is a directory: '%s'" % path)
    try:
        model = _onnx.read(path)
    except ValueError as e:
        raise ValueError('%s is not a valid ONNX model: %s' % (path, e))
    if model.graph is None or not (model.graph.node or model.graph.output):
        raise ValueError('%s is not an ONNX model: it has no graph' % path)
    prefix = scope + '/' if scope else ''
    _check_names(model, prefix, path)
    translator = Translator(model, os.path.dirname(path) or '.', prefix, inputs or {})
    try:
        translator.translate()
    except (ValueError, TooLarge) as e:
        raise ValueError('%s: %s' % (path, e))
    except tf.errors.AlreadyExistsError as e:
        raise ValueError('%s; reset the session first, or type: open %s as NAME' % (e.message, path))
    return translator


def _check_names(model, prefix, path):
    names = [i.name for i in model.graph.input] + [t.name for t in model.graph.initializer]
    graph = tf.get_default_graph()
    for name in names[:20]:
        try:
            graph.get_operation_by_name(prefix + name)
        except (KeyError, ValueError):
            continue
        raise ValueError("'%s' already exists in this graph; reset the session first, or type: open %s as NAME" % (
            prefix + name, path))


def _type_text(info, value):
    declared = info.type and info.type.tensor_type
    if isinstance(value, Sequence) or declared is None or declared.shape is None:
        text = short(value.dtype) + ('' if value.shape.ndims is None else shape_text(value.shape))
        return 'sequence of ' + text if isinstance(value, Sequence) else text
    return '%s[%s]' % (short(value.dtype), ','.join(str(d.dim_value) if d.dim_value > 0 else d.dim_param if 0 < len(
        d.dim_param) <= 24 else '?' for d in declared.shape.dim))


def _name(value):
    value = value.rows if isinstance(value, Sequence) else value
    return value.name if value.value_index else value.op.name


def _more(parts):
    return parts[:_LONGEST] + ['and %d more' % (len(parts) - _LONGEST)] * (len(parts) > _LONGEST)


def _feed(info, value, sizes):
    """A feed that can be typed. Unknown extents are guesses, the same for the same symbol."""
    least = []
    if isinstance(value, Sequence):
        value, least = value.rows, [None]
    known = value.shape.as_list() if value.shape.ndims is not None else least
    declared = info.type and info.type.tensor_type and info.type.tensor_type.shape
    guess = [1, 1, 64, 64, 64] if len(known) > 2 else [1, 512]  # of images, of signals
    guess = guess if value.dtype.is_floating else [1, 8]
    shape, size = [], 1
    for i, d in enumerate(known):
        symbol = declared.dim[i].dim_param if declared and not least else ''
        d = d or sizes.get(symbol) or guess[min(i, len(guess) - 1)]
        if symbol:
            sizes[symbol] = d
        shape.append(d)
        size *= d
    if size == 1:
        zero = "''" if value.dtype == tf.string else scalar_sample(info.name, value.dtype)
        return '%s=%s' % (_name(value), '[' * len(shape) + zero + ']' * len(shape))
    if value.dtype == tf.string:
        return "%s=np.full(%s, '')" % (_name(value), shape)
    return '%s=np.zeros(%s, np.%s)' % (_name(value), shape, value.dtype.name)


def tensors_of(translator):
    """The inputs and the outputs, as two lists of (name below the scope, tensor)."""
    cut = len(translator.prefix)
    return [[(_name(v)[cut:], v) for _, v in rows if not isinstance(v, Sequence)]
            for rows in (translator.feeds, translator.shown)]


def names_of(translator):
    """{name in the model: name below the scope} of the inputs and outputs whose names were changed."""
    cut = len(translator.prefix)
    return {i.name: _name(v)[cut:] for rows in (translator.feeds, translator.shown) for i, v in rows
            if not isinstance(v, Sequence) and i.name != _name(v)[cut:]}


def facts_of(translator):
    """What `open --json` says about a model beside its inputs and outputs."""
    model = translator.model
    counts = {}
    for node in model.graph.node:
        counts[node.op_type] = counts.get(node.op_type, 0) + 1
    return {'producer': ' '.join(v for v in (model.producer_name, model.producer_version) if v),
            'opsets': {o.domain or 'ai.onnx': o.version for o in model.opset_import},
            'nodes': len(model.graph.node), 'functions': len(model.functions), 'parameters': translator.parameters,
            'parameter_bytes': translator.parameter_bytes,
            'ops': dict(sorted(counts.items(), key=lambda row: (-row[1], row[0]))),
            'missing': sorted(set(message for _, message in translator.refused))}


def describe(translator):
    """The lines that `open` prints about a model."""
    facts = facts_of(translator)
    opsets = ', '.join('%s%d' % ('' if domain == 'ai.onnx' else domain + ' ', version) for domain, version in facts['opsets'].items())
    maker, count, by_count = facts['producer'], facts['nodes'], facts['ops'].items()
    lines = ['ONNX' + (' by ' + maker if maker else '') + (' · opset ' + opsets if opsets else '')]
    lines[0] += ' · %s operator%s · %s parameters, %s' % (
        format(count, ','), '' if count == 1 else 's', format(translator.parameters, ','), size_text(translator.parameter_bytes))
    for word, rows in (('input', translator.feeds), ('output', translator.shown)):
        lines += ['%-6s  %s' % (word, row) if row[:4] != 'and ' else '        ' + row for row in _more([
            '%s  %s%s' % (_name(v), _type_text(i, v), '' if _name(v) == translator.prefix + i.name else
                          '  (%s in the model)' % i.name) for i, v in rows if isinstance(v, (tf.Tensor, Sequence))])]
    lines.append('ops     ' + ' · '.join(_more(['%s %d' % row for row in by_count])))
    if translator.names.changed:
        lines.append('names   %d were changed: characters other than letters, digits and _.-/ are _. For example, %s'
                     % (translator.names.changed, translator.names.example))
    for what in sorted(set(w for w, _ in translator.refused)):
        messages = [m for w, m in translator.refused if w == what]
        lines.append('missing %s' % messages[0] + (' And %d more of this operator.' % (len(messages) - 1)
                                                   if len(messages) > 1 else ''))
    fetches = [_name(v) for _, v in translator.shown if isinstance(v, (tf.Tensor, Sequence))]
    if fetches:
        sizes = {}
        fed = [_feed(*row, sizes) for row in translator.feeds]
        lines.append('try     eval ' + ', '.join(fetches[:4]) + (' feed ' + ', '.join(fed) if fed else ''))
    return '\n'.join(lines)


def operators():
    """(domain, operator, the versions at which a rule begins), sorted; for docs/onnx.md."""
    return [(domain, name, [since for since, _ in rows]) for (domain, name), rows in sorted(RULES.items())]
