"""Graphs, tensors and operations."""
from . import _tensh

_NO_VALUE = 2**32 - 1


class Tensor(_tensh.Output):
    """An output of a node: a value that a step computes. It supports the operators of Python's numbers."""

    __slots__ = ()
    __array_ufunc__ = None  # numpy leaves `array + tensor` to the tensor

    @property
    def op(self):
        """The operation that computes the tensor."""
        return Operation(self.graph, self.node, _NO_VALUE)

    @property
    def name(self):
        """The name, such as 'mul:0'."""
        return '%s:%d' % (self.graph._node(self.node)[0], self.index)

    @property
    def dtype(self):
        """The name of the element type, such as 'float32'."""
        return self.graph._dtype(self.node, self.index)

    @property
    def shape(self):
        """The inferred shape as a tuple, with None for unknown extents; None if the rank is unknown."""
        return self.graph._shape(self.node, self.index)

    def __repr__(self):
        return '<tensh.Tensor %r shape=%s dtype=%s>' % (self.name, self.shape, self.dtype)

    def __bool__(self):
        raise TypeError('a tensh.Tensor has no value outside of a step; run it with Session.run')

    def __iter__(self):
        raise TypeError('a tensh.Tensor cannot be iterated; run it with Session.run')

    def _binary(self, op, other, swapped=False):
        other = self.graph._as_tensor(other, self.dtype)
        return self.graph.op(op, [other, self] if swapped else [self, other])

    def __add__(self, other):
        return self._binary('Add', other)

    def __radd__(self, other):
        return self._binary('Add', other, True)

    def __sub__(self, other):
        return self._binary('Sub', other)

    def __rsub__(self, other):
        return self._binary('Sub', other, True)

    def __mul__(self, other):
        return self._binary('Mul', other)

    def __rmul__(self, other):
        return self._binary('Mul', other, True)

    def __truediv__(self, other):
        return self._binary('RealDiv', other)

    def __rtruediv__(self, other):
        return self._binary('RealDiv', other, True)

    def __floordiv__(self, other):
        return self._binary('FloorDiv', other)

    def __mod__(self, other):
        return self._binary('FloorMod', other)

    def __pow__(self, other):
        return self._binary('Pow', other)

    def __matmul__(self, other):
        return self._binary('MatMul', other)

    def __neg__(self):
        return self.graph.op('Neg', [self])

    def __lt__(self, other):
        return self._binary('Less', other)

    def __le__(self, other):
        return self._binary('LessEqual', other)

    def __gt__(self, other):
        return self._binary('Greater', other)

    def __ge__(self, other):
        return self._binary('GreaterEqual', other)


class Operation(_tensh.Output):
    """A node of a graph. Fetching it runs it and gives None."""

    __slots__ = ()

    @property
    def name(self):
        """The name of the node."""
        return self.graph._node(self.node)[0]

    @property
    def type(self):
        """The name of the op, such as 'MatMul'."""
        return self.graph._node(self.node)[1]

    @property
    def device(self):
        """The device that was requested, or ''."""
        return self.graph._node(self.node)[2]

    @property
    def outputs(self):
        """The tensors that the node computes."""
        return [Tensor(self.graph, self.node, i) for i in range(self.graph._node(self.node)[3])]

    def __repr__(self):
        return '<tensh.Operation %r type=%s>' % (self.name, self.type)


class Graph(_tensh.Graph):
    """A dataflow graph. Nodes are added and never change."""

    def op(self, op, inputs=(), name=None, attrs=None, device=None, controls=()):
        """Add a node of any op: graph.op('MatMul', [a, b], attrs={'transpose_b': True}).

        Returns its tensor, a list of its tensors if it has several, or an Operation if it has none. A type
        among the attributes is given by its name ('float32'), a shape as a list with None for unknown extents.
        Inputs that are not tensors become constants: Python floats as float32, ints as int32.
        """
        inputs = [self._as_tensor(i, None) for i in inputs]
        return self._result(self._add(op, name, inputs, list(controls), dict(attrs or {}), device))

    def placeholder(self, dtype='float32', shape=None, name=None):
        """Add a tensor that every step must feed."""
        return self.op('Placeholder', name=name, attrs={'dtype': dtype, 'shape': shape})

    def constant(self, value, dtype=None, name=None):
        """Add a constant. Without a dtype, Python floats become float32 and ints int32."""
        import numpy
        array = numpy.asarray(value, dtype)
        if dtype is None and not hasattr(value, 'dtype'):
            array = array.astype({'f': 'float32', 'i': 'int32'}.get(array.dtype.kind, array.dtype), copy=False)
        name_of = {'bool': 'bool', 'object': 'string'}.get(str(array.dtype), str(array.dtype))
        if array.dtype.kind in 'US':
            name_of = 'string'
        return self.op('Const', name=name, attrs={'dtype': name_of, 'value': array})

    def gradients(self, ys, xs):
        """Add the nodes for the gradients of the sum of ys; None for an x without influence."""
        single = isinstance(xs, Tensor)
        found = self._gradients([ys] if isinstance(ys, Tensor) else list(ys), [xs] if single else list(xs))
        found = [at if at is None else Tensor(self, *at) for at in found]
        return found[0] if single else found

    def __getitem__(self, name):
        """Return the tensor 'x:0' or the operation 'x'. Raises KeyError if it does not exist."""
        node, index = self._find(name)
        return (Operation if index == _NO_VALUE else Tensor)(self, node, index)

    def __len__(self):
        """The number of nodes."""
        return self._size()

    @property
    def operations(self):
        """All nodes, in the order of creation."""
        return [Operation(self, i, _NO_VALUE) for i in range(self._size())]

    @classmethod
    def from_graph_def(cls, message, prefix=None):
        """Make a graph of a serialized GraphDef. Ops that tensh does not have are kept, but cannot run."""
        graph = cls()
        graph.import_graph_def(message, prefix)
        return graph

    def import_graph_def(self, message, prefix=None):
        """Add the nodes of a serialized GraphDef, all or none. `prefix` goes before their names."""
        self._import(bytes(message), prefix)

    def to_graph_def(self):
        """Return the graph as a serialized GraphDef."""
        return self._export()

    def to_json(self):
        """Return the graph as a dict; docs/json.md describes it."""
        import json
        return json.loads(self._json())

    def __repr__(self):
        return '<tensh.Graph of %d nodes>' % self._size()

    def _as_tensor(self, value, dtype):
        return value if isinstance(value, _tensh.Output) else self.constant(value, dtype)

    def _result(self, node):
        outputs = [Tensor(self, node, i) for i in range(self._node(node)[3])]
        if not outputs:
            return Operation(self, node, _NO_VALUE)
        return outputs[0] if len(outputs) == 1 else outputs
