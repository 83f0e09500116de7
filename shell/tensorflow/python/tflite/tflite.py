"""Opens TensorFlow Lite models: `open model.tflite` adds the graphs of the model to the current one."""
import os
from _library.model import sample, shape_text, short, size_text
from _library.onnx_rules import TooLarge
from _library.file_range import Damaged
from _library.tflite_file import Model, Table, attached
from _library.tflite_graph import Translator, operator_name
from _library.tflite_rules import NAMES, RULES, WITHOUT, Refused

_LONGEST = 12  # the number of inputs, outputs and operators that the summary lists
_LABELS = 1 << 20  # bytes of a file of labels
_AXIS_LABELS = 2  # the kind of an attached file that names the elements of an output


def open_model(path, scope='', session=None):
    """Adds the graphs of a file to the default graph, and returns their Translator."""
    if os.path.isdir(path):
        raise IsADirectoryError("[Errno 21] Is a directory: '%s'" % path)
    try:
        model = Model(path)
    except (ValueError, OverflowError, IndexError) as e:
        raise ValueError('%s is not a valid TensorFlow Lite model: %s' % (path, e))
    translator = Translator(model, scope + '/' if scope else '')
    _check_names(translator, path)
    try:
        translator.translate()
    except (ValueError, TooLarge, Refused) as e:
        raise ValueError('%s: %s' % (path, e))
    except tf.errors.AlreadyExistsError as e:
        raise ValueError('%s; reset the session first, or type: open %s as NAME' % (e.message, path))
    if session is not None and translator.initializers:
        session.run(translator.initializers)
    return translator


def _check_names(translator, path):
    graph = tf.get_default_graph()
    main = translator.model.subgraphs[0]
    for i in main.inputs[:20]:
        name = translator.prefix + main.tensors[i].name.split(':')[0]
        try:
            graph.get_operation_by_name(name)
        except (KeyError, ValueError):
            continue
        raise ValueError("'%s' already exists in this graph; reset the session first, or type: open %s as NAME" % (name, path))


def facts_of(translator):
    """What `open --json` says about a model beside its signatures."""
    model = translator.model
    counts = {}
    for graph in model.subgraphs:
        for op in graph.operators:
            name = operator_name(model.codes[op.code])
            counts[name] = counts.get(name, 0) + 1
    return {'producer': model.description, 'version': model.version, 'graphs': len(model.subgraphs),
            'nodes': sum(len(g.operators) for g in model.subgraphs), 'parameters': translator.parameters,
            'parameter_bytes': translator.parameter_bytes,
            'ops': dict(sorted(counts.items(), key=lambda row: (-row[1], row[0]))), 'runtime': _metadata_text(model, 'min_runtime_version'),
            'quantization': {k: v.strip() for k, v in translator.quantization.items() if v},
            'variables': sorted(state.name for state in translator.states.values()), 'missing': sorted(set(message for _, message in translator.refused))}


def _metadata_text(model, name):
    if name not in model.metadata:
        return ''
    try:
        found = model.buffer(model.metadata[name])[:40].decode('latin-1').split('\0')[0]
        return found if found.isprintable() else ''
    except Damaged:
        return ''


def labels_of(model):
    """The names of the classes, from the archive at the end of the file: {signature output number: list}, or {}."""
    try:
        files = attached(model.file)
        names = _label_files(model) or [(0, n) for n in files if 'label' in n and n.endswith('.txt')][:1]
        found = {}
        for number, name in names:
            if name in files:
                lines = files[name]().decode('utf-8', 'replace')[:_LABELS].split('\n')
                found[number] = [''.join(c for c in line.strip() if c.isprintable()) for line in (lines[:-1] if lines[-1] == '' else lines)]
        return found
    except (ValueError, IndexError, OverflowError):
        return {}


def _label_files(model):
    """(number of the output, name of the file) of the files that TFLite Metadata says are labels."""
    if 'TFLITE_METADATA' not in model.metadata:
        return []
    at, size = model.place(model.metadata['TFLITE_METADATA'])
    root = Table(_Part(model.file, at, size), model.file.unsigned(at))
    found = []
    for graph in root.tables(3)[:1]:
        for number, tensor in enumerate(graph.tables(3)):
            found += [(number, f.text(0)) for f in tensor.tables(6) if f.byte(2) == _AXIS_LABELS][:1]
    return found


class _Part(object):
    """A FlatBuffer inside of a file."""

    def __init__(self, file, at, size):
        self.file, self.start, self.size = file, at, size

    def bytes(self, at, n):
        if at < 0 or n < 0 or at + n > self.size:
            raise Damaged('its metadata are damaged')
        return self.file.bytes(self.start + at, n)

    def unsigned(self, at, size=4):
        return int.from_bytes(self.bytes(at, size), 'little')

    def signed(self, at, size=4):
        return int.from_bytes(self.bytes(at, size), 'little', signed=True)

    def count(self):
        self.file.count()


def _more(parts):
    return parts[:_LONGEST] + ['and %d more' % (len(parts) - _LONGEST)] * (len(parts) > _LONGEST)


def _plural(n, word):
    return '%s %s%s' % (format(n, ','), word, '' if n == 1 else 's')


def _tensor_text(key, tensor, translator):
    node = tensor.op.name if tensor.value_index == 0 else tensor.name
    return '%s  %s%s%s%s' % (key, short(tensor.dtype), shape_text(tensor.shape), translator.quantization.get(tensor.op.name, ''),
                             '' if node == translator.prefix + key else '  tensor ' + node)


def describe(translator, model_value, labels):
    """The lines that `open` prints about a model: texts, and pairs of a label and pieces."""
    facts = facts_of(translator)
    first = ['schema %d' % facts['version']] + ([facts['producer']] if facts['producer'] else []) + (
        ['runtime %s or later' % facts['runtime']] if facts['runtime'] else [])
    lines = [' · '.join(first + [_plural(facts['nodes'], 'operator') + (' in %d graphs' % facts['graphs'] if facts['graphs'] > 1 else ''),
                                 _plural(facts['parameters'], 'parameter') + ', ' + size_text(facts['parameter_bytes'])])]
    for name, inputs, outputs in translator.signatures:
        lines.append('signature   ' + name)
        for word, rows in (('in', inputs), ('out', outputs)):
            for k, row in enumerate(_more([_tensor_text(key, v, translator) for key, v in rows.items()])):
                lines.append('  %-10s%s' % (word if k == 0 else '', row))
        if model_value is not None:
            lines.append('  run       eval ' + model_value._signatures[name].sample())
    lines.append(('ops', _more(['%s %d' % row for row in facts['ops'].items()])))
    if translator.states:
        lines.append(('variables', _more(facts['variables'])))
        lines.append(('', ['they keep their values from run to run']))
    for number, names in labels.items():
        lines.append(('labels', ['%d: %s' % (len(names), ', '.join(names[:6]) + (', …' if len(names) > 6 else ''))]))
    if translator.names.changed:
        lines.append(('names', ['%d changed, because TensorFlow allows only letters, digits and _.-/' % translator.names.changed,
                                'for example, %s' % translator.names.example]))
    for what in sorted(set(w for w, _ in translator.refused)):
        messages = [m for w, m in translator.refused if w == what]
        lines.append('missing     %s' % messages[0] + (' And %d more of this operator.' % (len(messages) - 1)
                                                       if len(messages) > 1 else ''))
    return lines


def operators():
    """(the operators with a rule, {operator: reason} of those without); for docs/tflite.md."""
    names = [n for n in NAMES if n not in ('CUSTOM', 'PLACEHOLDER_FOR_GREATER_OP_CODES')]
    have = set(name for name, _ in RULES)
    return [sorted(n for n in names if n in have), {n: WITHOUT[n] for n in sorted(names) if n not in have},
            sorted(name for name, kind in RULES if kind == 'custom')]
