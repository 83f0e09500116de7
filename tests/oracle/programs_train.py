"""Programs with the optimizers' ops on both kinds of variables (see program.py). The inputs follow from the
definitions: variables first, scalars by name, the gradient with the shape of the variable, and rows for the sparse
ops."""
import json
import os

import numpy as np

from cases import D, F, FLOATS, I, L, SPECIAL, arr, ints
from program import Program
from tensor_text import DTYPES

HALVES = ('half', 'bfloat16')
SCALARS = {'lr': .1, 'rho': .9, 'epsilon': 1e-3, 'l1': .2, 'l2': .3, 'l2_shrinkage': .1, 'lr_power': -.5, 'beta1': .9,
           'beta2': .999, 'beta1_power': .9, 'beta2_power': .999, 'momentum': .8, 'alpha': .1, 'logbase': 1.,
           'sign_decay': .5, 'beta': .9}
# Slots that may be negative. The square root is taken of the others.
SIGNED = {'m', 'mom', 'mg', 'linear', 'gradient_accumulator'}
SHAPES = [(), (3,), (2, 3), (0,), (7,)]


def variable(p, value, dtype, ref, initialize=True, shape=None):
    """Adds a variable of either kind with this value. Returns the name to pass to ops."""
    shape = list(np.shape(value)) if shape is None else shape
    # Handles without a shared name refer to the same variable.
    named = {} if ref else {'shared_name': 'v%d' % len(p.nodes)}
    v = p.add('VariableV2' if ref else 'VarHandleOp', dtype=dtype, shape=shape, **named)
    if initialize:
        p.run(p.add('Assign' if ref else 'AssignVariableOp', v, value))
    return v


def read(p, v, dtype, ref):
    return p.do('Identity', v) if ref else p.do('ReadVariableOp', v, dtype=dtype)


def is_variable(arg):
    return arg['type'] == 'resource' or arg['type'].startswith('Ref(')


class Apply:
    """One call of an optimizer's op."""

    def __init__(self, op, m):
        self.op, self.m = op, m
        self.args = definition(op)['inputs']
        self.ref = self.args[0]['type'].startswith('Ref')
        self.sparse = any(a['name'] == 'indices' for a in self.args)
        self.steppers = [a['name'] for a in definition(op)['attrs'] if a['type'] == 'bool']

    def program(self, dtype, shape, rows=None, index=I, special=False, skip=(), wrong=None, runs=2, **attrs):
        """wrong: {argument: value} replaces valid arguments. skip: variables that remain uninitialised."""
        p, m, names, inputs = Program(), self.m, [], []
        for a in self.args:
            name = a['name']
            if wrong and name in wrong and not is_variable(a):
                inputs.append(wrong[name])
            elif is_variable(a):
                value = (wrong or {}).get(name)
                if value is None:
                    value = m(dtype, shape, -2, 2)
                    if name not in SIGNED and a is not self.args[0]:
                        value = np.abs(value) + np.asarray(.01, DTYPES[dtype])
                    # ms - mg^2 is a divisor, so it must not consist of rounding errors
                    if name == 'mg':
                        value = value / 4
                names.append(variable(p, value.astype(DTYPES[dtype]), dtype, self.ref, name not in skip))
                inputs.append(names[-1])
            elif name in ('grad', 'delta'):
                inputs.append(self.gradient(dtype, shape, rows, special))
            elif name == 'indices':
                inputs.append(ints(*(rows or []), dtype=index))
            elif name == 'global_step':
                inputs.append(np.array(3, np.int64))
            else:
                inputs.append(np.array(SCALARS[name], DTYPES[dtype]))
        node = p.add(self.op, *inputs, **attrs)
        for _ in range(runs):
            p.run(node)
        for name, a in zip(names, self.args):
            if a['name'] not in skip:
                read(p, name, dtype, self.ref)
        return p

    def gradient(self, dtype, shape, rows, special):
        if rows is not None:
            shape = (len(rows),) + tuple(shape[1:])
        if special:
            return arr(dtype, [np.nan, np.inf, -np.inf, 0., -0., 1e30, -1.][:int(np.prod(shape))]).reshape(shape)
        return self.m(dtype, shape, -3, 3)


def definition(op, cache={}):
    if not cache:
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'opdefs.json')
        cache.update({d['name']: d for d in json.load(open(path))})
    return cache[op]


def dense(op):
    def programs(m):
        a = Apply(op, m)
        for d in FLOATS:
            for shape in SHAPES:
                yield a.program(d, shape)
            yield a.program(d, (7,), special=True, runs=1)
            for attr in a.steppers:
                for value in (False, True):
                    yield a.program(d, (2, 3), **{attr: value})
        for d in HALVES:
            for shape in ((3,), (2, 2)):
                yield a.program(d, shape, runs=1)
        yield from mistakes(a, None)
    return programs


def sparse(op):
    def programs(m):
        a = Apply(op, m)
        for d in FLOATS:
            for shape, rows in (((3,), [0, 2]), ((4, 2), [1, 3, 1]), ((2, 3), []), ((5, 1), [4]), ((2, 2, 2), [1])):
                for index in (I, L):
                    yield a.program(d, shape, rows, index)
            yield a.program(d, (7,), [0, 1, 2, 3, 4, 5, 6], special=True, runs=1)
            for attr in a.steppers:
                for value in (False, True):
                    yield a.program(d, (4, 3), [2, 0], **{attr: value})
            for bad in ([3], [-1], [2**31 - 1]):
                yield a.program(d, (3,), bad, runs=1)
        for d in HALVES:
            yield a.program(d, (3, 2), [2, 0], runs=1)
        yield a.program(F, (), [0], wrong={'grad': m(F, (1,))}, runs=1)
        yield a.program(F, (3, 2), [0], wrong={'indices': np.array(0, np.int32)}, runs=1)
        yield a.program(F, (3, 2), [0, 1], wrong={'grad': m(F, (1, 2))}, runs=1)
        yield a.program(F, (3, 2), [0, 1], wrong={'grad': m(F, (2, 3))}, runs=1)
        yield from mistakes(a, [0])
    return programs


def mistakes(a, rows):
    variables = [i['name'] for i in a.args if is_variable(i)]
    for name in variables:
        yield a.program(F, (3,), rows, skip=(name,), runs=1)
    for name in variables[1:]:
        yield a.program(F, (3,), rows, wrong={name: a.m(F, (2,), 0, 2)}, runs=1)
    if rows is None:
        yield a.program(F, (3,), rows, wrong={a.args[-1]['name'] if a.args[-1]['name'] == 'delta' else 'grad': a.m(F, (4,))}, runs=1)
    for i in a.args:
        if i['name'] in SCALARS:
            yield a.program(F, (3,), rows, wrong={i['name']: arr(F, [.1])}, runs=1)
            yield a.program(F, (3,), rows, wrong={i['name']: np.array(0, np.float32)}, runs=1)


def names(prefixes):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'ops.txt')
    return [op for op in open(path).read().split() if op.startswith(prefixes)]


TRAIN = {op: sparse(op) if 'Sparse' in op else dense(op)
         for op in names(('Apply', 'ResourceApply', 'SparseApply', 'ResourceSparseApply'))}
