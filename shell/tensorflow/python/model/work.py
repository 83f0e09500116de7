"""The work and the memory of one run of a signature, as far as the shapes of its tensors tell."""
import _graphs

MOST_NODES = 20000  # of a model whose functions are copied for the estimate
_OPEN = ('While', 'StatelessWhile', 'If', 'StatelessIf', 'Case', 'Enter', 'Switch')  # may run any number of nodes
_PRODUCTS = ('MatMul', 'BatchMatMul', 'BatchMatMulV2', 'BatchMatMulV3', 'Conv2D', 'Conv3D', 'DepthwiseConv2dNative', 'Einsum')


def _size(dims):
    n = 1
    for d in dims:
        n *= 1 if d is None else d
    return n


def _flops(op):
    """Returns the multiplications and additions of a product, or None if its shapes do not tell."""
    out, a, b = op.outputs[0].shape, op.inputs[0].shape, op.inputs[-1].shape
    if out.dims is None or a.dims is None or b.dims is None or op.type == 'Einsum':
        return None
    size, a, b = _size(out.as_list()), a.as_list(), b.as_list()
    if op.type == 'MatMul':
        inner = a[0 if op.get_attr('transpose_a') else 1] or b[1 if op.get_attr('transpose_b') else 0]
    elif op.type.startswith('Batch'):
        inner = a[-2 if op.get_attr('adj_x') else -1] or b[-1 if op.get_attr('adj_y') else -2]
    elif op.type == 'DepthwiseConv2dNative':
        inner = _size(b[:2])
    else:
        inner = _size(b[:-1])
    return 2 * size * (inner or 1)


def _needed(outputs):
    """Returns the operations that the outputs depend on."""
    seen, todo = {}, [t.op for t in outputs]
    while todo:
        op = todo.pop()
        if op.name not in seen:
            seen[op.name] = op
            todo += [i.op for i in op.inputs] + list(op.control_inputs)
    return list(seen.values())


def _of(ops):
    flops = size = 0
    whole = True
    for op in ops:
        if op.type in _PRODUCTS:
            n = _flops(op)
            whole, flops = whole and n is not None, flops + (n or 0)
        whole = whole and op.type not in _OPEN
        if op.type in ('Const', 'VarHandleOp', 'VariableV2', 'Placeholder', 'Identity', 'ReadVariableOp'):
            continue
        for t in op.outputs:
            if t.shape.dims is not None and t.dtype.size > 0:
                size += _size(t.shape.as_list()) * t.dtype.size
    return {'flops': flops, 'bytes': size, 'whole': whole}


def of_signature(signature):
    """Returns the same of a signature whose nodes are in the graph of the session, or None if they are too many."""
    graph = signature._model._session.graph
    if _graphs.size(graph) > MOST_NODES:
        return None
    return _of(_needed([signature._model._tensor(i.name) for i in signature.outputs.values()]))


def estimate(message, signatures, nodes):
    """Returns {signature: {'flops', 'bytes', 'whole'}} for a batch of 1. `signatures` has the names of the outputs."""
    found = {}
    if nodes > MOST_NODES:
        return found
    with tf.Graph()._hide().as_default() as graph:
        tf.train.import_meta_graph(message, clear_devices=True, _keep_unknown=True)
        for name, outputs in signatures.items():
            tensors = [graph.as_graph_element(o if ':' in o else o + ':0') for o in outputs]
            ops = _needed(tensors)
            for i, called in enumerate(set(t.op.name for t in tensors if t.op.type.endswith('PartitionedCall'))):
                before = len(graph.get_operations())
                _graphs.inline(graph.get_operation_by_name(called), 'inside_%d_%d' % (len(found), i))
                ops += graph.get_operations()[before:]
            found[name] = _of(ops)
    return found
