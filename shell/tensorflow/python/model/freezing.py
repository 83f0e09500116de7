"""Graphs with constants instead of variables: `save m.pb frozen`, and the copies that `verify` runs elsewhere.

A handle of a variable becomes its value, a read of it an Identity. Functions that a loop or a conditional calls with handles are
copied with arguments of other types.
"""
import _graphs
import _library
from _library.graph_util import _Node, _attr, _constant, _graph_def, _parts
from google.protobuf.internal.wire_format import field as _field, fields as _fields

VARIABLES = ('VarHandleOp', 'VariableV2', 'Variable')
# The ops that call functions: the names of the attributes with the types of their arguments and with the functions.
_CALLS = {'While': ('T', 'cond', 'body'), 'StatelessWhile': ('T', 'cond', 'body'), 'If': ('Tin', 'then_branch', 'else_branch'),
          'StatelessIf': ('Tin', 'then_branch', 'else_branch'), 'Case': ('Tin', 'branches'), 'StatelessCase': ('Tin', 'branches'),
          'PartitionedCall': ('Tin', 'f'), 'StatefulPartitionedCall': ('Tin', 'f')}
_PASSED = ('Identity', 'Enter', 'Switch', 'Merge', 'Exit', 'NextIteration')


class Written(object):
    """The graph that outputs depend on, with functions written out. `calls` are the results of those that already are."""

    def __init__(self, request, outputs, calls=None):
        self.session, self.graph, self.calls = request.session, request.graph, {} if calls is None else calls
        self.outputs = [self.resolved(t) for t in outputs]

    def resolved(self, t):
        """The tensor itself, or the result of the written-out function that computes it."""
        while t.op.type.endswith('PartitionedCall'):
            if t.op.name not in self.calls:
                self.calls[t.op.name] = _graphs.inline(t.op, 'frozen' + ('_%d' % len(self.calls) if self.calls else ''))
            t = self.calls[t.op.name][t.value_index]
        return t


class Frozen(Written):
    """The same with variables as constants."""

    def __init__(self, request, outputs, calls=None):
        super(Frozen, self).__init__(request, outputs, calls)
        self.renamed = {}
        ops = self._needed()
        handles = [op for op in ops if op.type in VARIABLES]
        values = self.session.run([tf.raw_ops.ReadVariableOp(resource=op.outputs[0], dtype=op.get_attr('dtype'))
                                   if op.type == 'VarHandleOp' else op.outputs[0] for op in handles]) if handles else []
        self.values = dict(zip([op.name for op in handles], values))
        # The types of the values by the names of the tensors of handles.
        self.held = {op.name + ':0': tf.as_dtype(op.get_attr('dtype')).as_datatype_enum for op in handles if op.type == 'VarHandleOp'}
        kept = set(op.name for op in ops)
        nodes, rest = _parts(self.graph.as_graph_def())
        self.functions = _Functions(rest)
        nodes = [n for n in nodes if n.name in kept]
        self._spread(nodes)
        self.nodes = [made for n in nodes for made in self._made(n)]
        self.rest = self.functions.message()

    def _needed(self):
        seen, stack = {}, [t.op for t in self.outputs]
        while stack:
            op = stack.pop()
            if op.name in seen:
                continue
            seen[op.name] = op
            self.renamed[op.name] = [self.resolved(i).name for i in op.inputs]
            stack += [self.resolved(i).op for i in op.inputs] + [c for c in op.control_inputs if not c.type.endswith('Call')]
            if any(i.dtype == tf.resource for i in op.inputs) and op.type not in _CALLS and op.type not in _PASSED + (
                    'ReadVariableOp', 'ResourceGather') and not op.type.startswith('TensorArray'):
                raise _not_constant(op.name, op.type)
        return list(seen.values())

    def _spread(self, nodes):
        """Finds the tensors that pass handles on. In loops, they may come before the handles."""
        grew = True
        while grew:
            before = len(self.held)
            for n in nodes:
                for i, name in enumerate(self.renamed[n.name]):
                    if name in self.held and n.op in _PASSED:
                        for k in range(2 if n.op == 'Switch' else 1):
                            self.held['%s:%d' % (n.name, k)] = self.held[name]
                    elif name in self.held and n.op.endswith('While'):
                        self.held['%s:%d' % (n.name, i)] = self.held[name]
            grew = len(self.held) > before

    def _made(self, node):
        """The nodes that take the place of a node, as bytes."""
        if node.name in self.values:
            return [_constant(node.name, self.values[node.name])]
        inputs = self.renamed[node.name]
        rest = [i for i in node.inputs if i.startswith('^') and i[1:] in self.renamed]
        kinds = [self.held.get(i) for i in inputs]
        return _frozen_node(self.functions, node, [i[:-2] if i.endswith(':0') else i for i in inputs], kinds, rest)

    def graph_def(self, names):
        """The GraphDef. Outputs whose name changed get an Identity with the wanted name."""
        nodes = list(self.nodes)
        taken = set(_Node(n).name for n in nodes)
        made = []
        for name, t in zip(names, self.outputs):
            if name != t.op.name and name not in taken:
                source = t.name[:-2] if t.name.endswith(':0') else t.name
                nodes.append(_field(1, name) + _field(2, 'Identity') + _field(3, source) + _attr(
                    'T', _field(6, t.dtype.base_dtype.as_datatype_enum)))
                made.append(name + ':0')
            else:
                made.append(t.name)
        return _graph_def(nodes, self.rest), made


def _not_constant(name, op):
    return NotImplementedError('%s (%s) uses a variable in a way that a constant does not allow. Type: save FOLDER/, which keeps the '
                               'variables' % (name, op))


def _frozen_node(functions, node, inputs, kinds, controls):
    """The bytes of a node without handles. `kinds` are the types of the values of inputs that were handles, or None."""
    op, attrs, more = node.op, list(node.attrs), []
    known = [k for k in kinds if k]
    if op == 'ReadVariableOp' or op in _PASSED and known:
        op = 'Identity' if op == 'ReadVariableOp' else op
        kind = known[0] if known else _type_of(attrs, 'dtype')
        attrs = [a for a in attrs if _key(a) not in ('T', 'dtype')] + [_entry('T', _field(6, kind))]
        if op == 'Identity':
            attrs = attrs[-1:]
    elif op == 'ResourceGather' and known:
        more = [_constant(node.name + '/axis', 0)]
        inputs = inputs + [node.name + '/axis' + functions.suffix]
        batch = [_entry('batch_dims', _field(3, v)) for a in attrs if _key(a) == 'batch_dims' for v in [dict(_fields(_value(a))).get(3, 0)]]
        op, attrs = 'GatherV2', batch + [_entry('Tparams', _field(6, known[0])), _entry('Taxis', _field(6, 3)),
                                         _entry('Tindices', _field(6, _type_of(attrs, 'Tindices')))]
    elif op in _CALLS and known:
        attrs = [_called(functions, op, a, kinds) for a in attrs if _key(a) != '_output_shapes']
    elif known:
        raise _not_constant(node.name, op)
    out = _field(1, node.name) + _field(2, op) + b''.join(_field(3, i) for i in inputs + controls)
    return more + [out + (_field(4, node.device) if node.device else b'') + b''.join(_field(5, a) for a in attrs)]


def _called(functions, op, attr, kinds):
    """An attribute of a call whose arguments have other types: the list of types, or a function."""
    key, value = _key(attr), _value(attr)
    if key == _CALLS[op][0]:
        types = _types(value)
        return _entry(key, _field(1, _field(6, b''.join(bytes([k or t]) for t, k in zip(types, kinds)))))
    if key not in _CALLS[op]:
        return attr
    if op.endswith(('If', 'Case')):
        kinds = kinds[1:]

    def copied(func):
        name = dict(_fields(func))[1].decode()
        return b''.join(_field(n, functions.copy(name, kinds) if n == 1 else v) for n, v in _fields(func))
    if key == 'branches':
        return _entry(key, b''.join(_field(1, b''.join(_field(n, copied(v) if n == 9 else v) for n, v in _fields(part))) if number == 1
                                    else _field(number, part) for number, part in _fields(value)))
    return _entry(key, b''.join(_field(n, copied(v) if n == 10 else v) for n, v in _fields(value)))


def _types(value):
    """The numbers of an attribute that is a list of types."""
    found = []
    for number, part in _fields(value):
        for n, v in _fields(part) if number == 1 else []:
            found += [v] if n == 6 and isinstance(v, int) else list(v) if n == 6 else []
    return found


def _key(attr):
    return dict(_fields(attr)).get(1, b'').decode()


def _value(attr):
    return dict(_fields(attr)).get(2, b'')


def _type_of(attrs, name):
    return [dict(_fields(_value(a))).get(6, 0) for a in attrs if _key(a) == name][0]


def _entry(name, value):
    return _field(1, name) + _field(2, value)


class _Functions(object):
    """The functions of a graph, and copies of them whose arguments have other types."""
    suffix = ''

    def __init__(self, rest):
        self.others, self.library, self.made = [], {}, {}
        for number, value in _fields(rest):
            if number != 2:
                self.others.append(_field(number, value))
                continue
            for n, part in _fields(value):
                if n == 1:
                    self.library[self._name(part)] = part
                else:
                    self.others.append(_field(2, _field(n, part)))

    def _name(self, function):
        return dict(_fields(dict(_fields(function))[1]))[1].decode()

    def message(self):
        """The functions and the other fields of the graph, as bytes."""
        return b''.join(self.others) + _field(2, b''.join(_field(1, f) for f in self.library.values()))

    def copy(self, name, kinds):
        """The name of a copy of a function. `kinds` are the types of the values of arguments that are handles, or None."""
        if not any(kinds):
            return name
        key = (name, tuple(kinds))
        if key not in self.made:
            self.made[key] = '%s_frozen_%d' % (name, len(self.made))
            self.library[self.made[key]] = _Copy(self, self.library[name], self.made[key], kinds).message
        return self.made[key]


class _Copy(object):
    """A function whose arguments have other types. In a function, a value has the name NODE:OUTPUT:NUMBER."""
    suffix = ':output:0'

    def __init__(self, functions, message, name, kinds):
        self.copy, self.held, self.results = functions.copy, {}, {}
        parts = [(n, v) for n, v in _fields(message)]
        signature = dict(parts)[1]
        args = [v for n, v in _fields(signature) if n == 2]
        for arg, kind in zip(args, kinds):
            if kind:
                self.held[dict(_fields(arg))[1].decode()] = kind
        nodes = [_Node(v) for n, v in parts if n == 3]
        self._spread(nodes)
        # A read is called value, and an Identity output.
        self.renamed = {n.name + ':value:0': n.name + ':output:0' for n in nodes if n.op == 'ReadVariableOp'}
        returned = [dict(_fields(v)) for n, v in parts if n == 4]
        self.results = {r[1].decode(): r[2].decode() for r in returned}
        out = _field(1, self._signature(signature, name, kinds))
        for n in nodes:
            inputs = [i for i in n.inputs if not i.startswith('^')]
            found = [self.held.get(i) for i in inputs]
            for made in _frozen_node(self, n, [self.renamed.get(i, i) for i in inputs], found, [i for i in n.inputs if i.startswith('^')]):
                out += _field(3, made)
        for number, value in parts:
            if number == 4:
                key, source = dict(_fields(value))[1].decode(), dict(_fields(value))[2].decode()
                out += _field(4, _field(1, key) + _field(2, self.renamed.get(source, source)))
            elif number == 6:
                out += _field(6, value)  # control results
        self.message = out

    def _spread(self, nodes):
        grew = True
        while grew:
            before = len(self.held)
            for n in nodes:
                for i, name in enumerate(n.inputs):
                    if name in self.held and n.op == 'Identity':
                        self.held[n.name + ':output:0'] = self.held[name]
                    elif name in self.held and n.op.endswith('While'):
                        self.held['%s:output:%d' % (n.name, i)] = self.held[name]
            grew = len(self.held) > before

    def _signature(self, signature, name, kinds):
        """The signature with another name and the types of the values."""
        out, i = b'', 0
        for number, value in _fields(signature):
            if number == 1:
                value = name
            elif number == 2:
                value = _retyped(value, kinds[i] if i < len(kinds) else None)
                i += 1
            elif number == 3:
                value = _retyped(value, self.held.get(self.results.get(dict(_fields(value))[1].decode())))
            out += _field(number, value)
        return out


def _retyped(arg, kind):
    return arg if not kind else b''.join(_field(n, kind if n == 3 else v) for n, v in _fields(arg))
