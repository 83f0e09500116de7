"""A case with more than one node: a small program of nodes and runs (README.md, programs/).

    p = Program()
    v = p.add('VarHandleOp', dtype='float', shape=[2])
    p.run(p.add('AssignVariableOp', v, array))
    p.run(p.add('ReadVariableOp', v, dtype='float'))

An input is the name of a node ("v", "v:1" for its second output), an array (a constant), or a list of these.
"""
import numpy as np

from tensor_text import encode


class Program:
    def __init__(self):
        self.nodes, self.runs = [], []

    def add(self, op, *inputs, after=(), **attrs):
        """Adds a node and returns its name. `after` contains nodes that must run first."""
        name = '%s%d' % (op[:3].lower(), len(self.nodes))
        row = [name, op, [self.input(i) for i in inputs], attrs]
        self.nodes.append(row + [list(after)] if after else row)
        return name

    def input(self, value):
        if isinstance(value, list):
            return [self.input(v) for v in value]
        return value if isinstance(value, str) else encode(np.asarray(value))

    def run(self, *names):
        """Adds a step that fetches every value that these nodes output, or only runs the nodes. "!name" means that
        the step never ends."""
        self.runs.append(' '.join(names))
        return names[0]

    def do(self, op, *inputs, **attrs):
        return self.run(self.add(op, *inputs, **attrs))

    def row(self):
        return {'nodes': self.nodes, 'runs': self.runs}
