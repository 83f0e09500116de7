"""Runs one program (program.py) in TensorFlow, and returns the outputs of its steps and the inferred shapes."""
import runner_tf as tfr
from runner_tf import CONFIG, error_name, first_line, tf
from tensor_text import decode, encode, shape_text
from tensorflow.python.framework import op_def_library, op_def_registry

WAIT_MS = 100
NOT_VALUES = (tf.resource, tf.variant)


def type_of(name):
    return tf.as_dtype({'float': 'float32', 'double': 'float64', 'half': 'float16'}.get(name, name))


def shape_of(dims):
    return tf.TensorShape(None if dims == '<unknown>' else [d if d >= 0 else None for d in dims])


def attr_value(kind, value):
    if kind == 'type':
        return type_of(value)
    if kind == 'list(type)':
        return [type_of(v) for v in value]
    if kind == 'shape':
        return shape_of(value)
    if kind == 'list(shape)':
        return [shape_of(v) for v in value]
    if kind == 'tensor':
        return tf.make_tensor_proto(decode(value))
    return value


class Built:
    """Builds the program's graph. If `hide` is set, constants of nodes of the op under test become inputs of unknown
    shape."""

    def __init__(self, op, row, hide):
        self.nodes, self.tested = {}, []
        for name, kind, inputs, attrs, *after in row['nodes']:
            definition = op_def_registry.get(kind)
            args = tfr.default_kwargs(kind)
            for arg, value in zip(definition.input_arg, inputs):
                args[arg.name] = self.input(value, hide and kind == op)
            kinds = {a.name: a.type for a in definition.attr}
            args.update({k: attr_value(kinds[k], v) for k, v in attrs.items()})
            with tf.control_dependencies([self.nodes[n] for n in (after[0] if after else [])]):
                _, _, node, _ = op_def_library._apply_op_helper(kind, name=name, **args)
            self.nodes[name] = node
            if kind == op:
                self.tested.append(node)

    def input(self, value, hide):
        if isinstance(value, list):
            return [self.input(v, hide) for v in value]
        if '[' not in value:
            name, _, index = value.partition(':')
            return self.nodes[name].outputs[int(index or 0)]
        array = decode(value)
        constant = tf.constant(array, tfr.dtype_of(array))
        return tf.raw_ops.PlaceholderWithDefault(input=constant, shape=tf.TensorShape(None)) if hide else constant

    def fetches(self, step):
        out = []
        for name in step.lstrip('!').split():
            node = self.nodes[name]
            values = [o for o in node.outputs if o.dtype.base_dtype not in NOT_VALUES]
            out += values or [node]
        return out


def error_row(error):
    return {'error': error_name(error), 'message': first_line(error)}


ERRORS = (tf.errors.OpError, ValueError, TypeError)


def run(op, row):
    """Returns {'out': [[tensors] or {'error': …}, …]} with one entry per step, or {'error': …} if the construction
    fails."""
    with tf.Graph().as_default(), tf.Session(config=CONFIG) as session:
        try:
            built = Built(op, row, hide=True)
        except ERRORS as e:
            return error_row(e)
        out = []
        for step in row['runs']:
            options = tf.RunOptions(timeout_in_ms=WAIT_MS if step[0] == '!' else 5000)
            try:
                got = session.run(built.fetches(step), options=options)
                out.append([encode(v) for v in got if v is not None])
            except ERRORS as e:
                out.append(error_row(e))
        return {'out': out}


def infer(op, row):
    """Returns the inferred shapes of the nodes of the op under test with known constants, or the class of an error."""
    with tf.Graph().as_default():
        try:
            built = Built(op, row, hide=False)
        except ERRORS as e:
            return error_name(e)
        return [[shape_text(o.shape.as_list() if o.shape.rank is not None else None) for o in node.outputs]
                for node in built.tested]
