"""tf.graph_util: extraction of subgraphs, and conversion of variables to constants, in graph messages."""
from google.protobuf.internal.wire_format import field as _field, fields as _fields


class _Node(object):
    """A NodeDef: its fields and its bytes."""

    def __init__(self, data):
        self.data, self.inputs, self.attrs = data, [], []
        self.name = self.op = self.device = ''
        for number, value in _fields(data):
            if number == 1:
                self.name = value.decode()
            elif number == 2:
                self.op = value.decode()
            elif number == 3:
                self.inputs.append(value.decode())
            elif number == 4:
                self.device = value.decode()
            elif number == 5:
                self.attrs.append(value)

    def sources(self):
        return [i.lstrip('^').split(':')[0] for i in self.inputs]


def _parts(graph_def):
    """Splits a GraphDef into its nodes and the bytes of the other fields."""
    nodes, rest = [], b''
    for number, value in _fields(graph_def.SerializeToString()):
        if number == 1:
            nodes.append(_Node(value))
        else:
            rest += _field(number, value)
    return nodes, rest


def _graph_def(nodes, rest):
    made = tf.GraphDef()
    made.ParseFromString(b''.join(_field(1, data) for data in nodes) + rest)
    return made


def _needed(nodes, dest_nodes):
    """Returns the names of the nodes that dest_nodes depend on."""
    by_name = {node.name: node for node in nodes}
    for name in dest_nodes:
        if name not in by_name:
            raise AssertionError('%s is not in graph' % name)
    found, stack = set(), list(dest_nodes)
    while stack:
        name = stack.pop()
        if name not in found:
            found.add(name)
            stack.extend(by_name[name].sources())
    return found


def extract_sub_graph(graph_def, dest_nodes):
    """Extracts the nodes that dest_nodes depend on."""
    if isinstance(dest_nodes, str):
        raise TypeError("dest_nodes must be an iterable of strings, but got type <class 'str'>.")
    nodes, rest = _parts(graph_def)
    kept = _needed(nodes, dest_nodes)
    return _graph_def([node.data for node in nodes if node.name in kept], rest)


def _constant(name, value):
    with tf.Graph()._hide().as_default() as graph:
        tf.constant(value, name=name)
        return _parts(graph.as_graph_def())[0][0].data


def _attr(name, value):
    return _field(5, _field(1, name) + _field(2, value))


def convert_variables_to_constants(sess, input_graph_def, output_node_names, variable_names_whitelist=None,
                                   variable_names_blacklist=None):
    """Extracts the nodes that the outputs depend on, with variables replaced by their values in the session."""
    nodes, rest = _parts(input_graph_def)
    kept = _needed(nodes, output_node_names)
    nodes = [node for node in nodes if node.name in kept]
    frozen = [node.name for node in nodes if node.op in ('Variable', 'VariableV2', 'VarHandleOp') and
              (variable_names_whitelist is None or node.name in variable_names_whitelist) and
              node.name not in (variable_names_blacklist or [])]
    variables = {v.op.name: v for v in sess.graph.get_collection(tf.GraphKeys.GLOBAL_VARIABLES) +
                 sess.graph.get_collection(tf.GraphKeys.LOCAL_VARIABLES)}
    values = dict(zip(frozen, sess.run([variables[name] for name in frozen])))

    def converted(node):
        if node.name in values:
            return _constant(node.name, values[node.name])
        if node.op == 'ReadVariableOp' and node.sources()[0] in values:
            dtype = [dict(_fields(a))[2] for a in node.attrs if dict(_fields(a))[1] == b'dtype']
            return (_field(1, node.name) + _field(2, 'Identity') + b''.join(_field(3, i) for i in node.inputs) +
                    (_field(4, node.device) if node.device else b'') + _attr('T', dtype[0]))
        return node.data
    tf.logging.info('Froze %d variables.', len(frozen))
    return _graph_def([converted(node) for node in nodes], rest)


def remove_training_nodes(input_graph, protected_nodes=None):
    """Removes checks, and identities between two nodes."""
    nodes, rest = _parts(input_graph)
    protected = protected_nodes or []
    nodes = [n for n in nodes if n.op != 'CheckNumerics' or n.name in protected]
    users = [i[1:] for n in nodes for i in n.inputs if i[0] == '^']
    behind = {n.name: n.inputs[0] for n in nodes if n.op == 'Identity' and n.name not in protected and
              len(n.inputs) == 1 and n.name not in users}

    def source(name):
        while name in behind:
            name = behind[name]
        return name

    def spliced(node):
        out = _field(1, node.name) + _field(2, node.op) + b''.join(_field(3, source(i)) for i in node.inputs)
        return out + (_field(4, node.device) if node.device else b'') + b''.join(_field(5, a) for a in node.attrs)
    return _graph_def([spliced(n) for n in nodes if n.name not in behind], rest)
