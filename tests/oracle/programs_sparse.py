"""Programs with sparse tensors that are stored by handle or in variants (see program.py)."""
import numpy as np

from cases import B, D, F, I, L, S, ints
from cases_crosses import cube, long, sparse_of
from cases_sparse import none, rows, sp, sp2
from program import Program

MADE = (sp, sp2, none, cube)


def maps(m):
    for d in (F, D, I, L, B, S, 'half', 'complex64', 'uint8'):
        for shared in ('', 'map'):
            p = Program()
            attrs = {'shared_name': shared} if shared else {}
            one = p.add('AddSparseToTensorsMap', *random_sparse(m, d, (4,)), **attrs)
            taken = p.add('TakeManySparseFromTensorsMap', ints(0, dtype=L), dtype=d, shared_name=shared or one)
            p.run(one)
            p.run(taken)
            p.run(one)
            p.run(taken)  # it was removed
            many = p.add('AddManySparseToTensorsMap', *random_sparse(m, d, (3, 4)), **attrs)
            p.run(many)
            p.run(many)
            p.do('TakeManySparseFromTensorsMap', ints(3, 1, dtype=L), dtype=d, shared_name=shared or many)
            p.do('TakeManySparseFromTensorsMap', ints(2, dtype=L), dtype=d, shared_name=shared or many)
            yield p
    for made in MADE:
        p = Program()
        many = p.do('AddManySparseToTensorsMap', *made(m, F), shared_name='m')
        p.do('TakeManySparseFromTensorsMap', many, dtype=F, shared_name='m')
        yield p
    bad = ([rows([1, 9]), m(F, (1,)), long(3, 4)], [rows([9, 1]), m(F, (1,)), long(3, 4)], [rows([0, 1], [0, 0]), m(F, (2,)), long(3, 4)],
           [rows([0, 0]), m(F, (1,)), long(3, -4)], [rows([0, 0]), m(F, (2,)), long(3, 4)], [rows([0, 0]), m(F, (1,)), long(3, 4, 5)],
           [rows([1], rank=1), m(F, (1,)), long(3)], [long(0, 1), m(F, (2,)), long(3, 4)])
    for parts in bad:
        for op in ('AddSparseToTensorsMap', 'AddManySparseToTensorsMap'):
            p = Program()
            p.do(op, *parts, shared_name='m')
            p.do('TakeManySparseFromTensorsMap', ints(0, dtype=L), dtype=F, shared_name='m')
            yield p
    p = Program()
    p.do('AddSparseToTensorsMap', *sp(m, F), shared_name='m')
    p.do('AddSparseToTensorsMap', *cube(m, F), shared_name='m')
    p.do('AddSparseToTensorsMap', *sp(m, I), shared_name='m')
    for handles, dtype in ((long(0, 1), F), (long(2), F), (np.zeros(0, np.int64), F), (long(-1), F), (long(9), F), (rows([0, 1]), F)):
        p.do('TakeManySparseFromTensorsMap', handles, dtype=dtype, shared_name='m')
    yield p


def random_sparse(m, d, dims):
    parts = sparse_of(m, F, 5, dims)
    return [parts[0], (m(F, (len(parts[0]),)) + (1j if d == 'complex64' else 0)).astype(
        {'half': np.float16, 'complex64': np.complex64, 'uint8': np.uint8}[d]) if d in ('half', 'complex64', 'uint8') else m(d, (len(parts[0]),)), parts[2]]


def variants(m):
    for d in (F, D, I, L, B, S):
        for made in MADE:
            p = Program()
            v = p.add('SerializeSparse', *made(m, d), out_type='variant')
            p.do('DeserializeSparse', v, dtype=d)
            p.do('DeserializeSparse', v, dtype=F)
            many = p.add('SerializeManySparse', *made(m, d), out_type='variant')
            p.do('DeserializeSparse', many, dtype=d)
            yield p
    p = Program()
    p.do('DeserializeSparse', p.add('TensorListReserve', np.array([], np.int32), np.array(3, np.int32), element_dtype=F, shape_type=I), dtype=F,
         Tserialized='variant')
    yield p


def ragged_splits(m, levels, dtype):
    """Row splits of each level, and the number of rows of the values."""
    rows, all_levels = m.r.randint(0, 4), []
    for _ in range(levels):
        lengths = m.r.randint(0, 3, rows)
        all_levels.append(np.concatenate([[0], np.cumsum(lengths)]).astype({I: np.int32, L: np.int64}[dtype]))
        rows = int(lengths.sum())
    return all_levels, rows


def ragged_variants(m):
    for _ in range(40):
        d, t, levels = (F, D, I, L, B, S)[m.r.randint(6)], (I, L)[m.r.randint(2)], m.r.randint(1, 4)
        splits, rows = ragged_splits(m, levels, t)
        values = m(d, (rows,) + tuple(m.r.randint(1, 3, m.r.randint(0, 2))))
        p = Program()
        types = {'Tvalues': d, 'Tsplits': t}
        whole = p.add('RaggedTensorToVariant', splits, values, batched_input=False)
        p.do('RaggedTensorFromVariant', whole, input_ragged_rank=levels, output_ragged_rank=levels, **types)
        parts = p.add('RaggedTensorToVariant', splits, values, batched_input=True)
        p.do('RaggedTensorFromVariant', parts, input_ragged_rank=levels - 1, output_ragged_rank=levels, **types)
        p.do('RaggedTensorFromVariant', parts, input_ragged_rank=-1, output_ragged_rank=levels, **types)
        p.do('RaggedTensorFromVariant', parts, input_ragged_rank=levels, output_ragged_rank=levels + 1, **types)
        if d in (F, D, I, L):
            p.do('RaggedTensorToVariantGradient', parts, splits[0], np.array(values.shape, np.int32), Tvalues=d)
            p.do('RaggedTensorToVariantGradient', whole, splits[0], np.array(values.shape, np.int32), Tvalues=d)
        yield p
    p = Program()
    one = p.add('RaggedTensorToVariant', [], m(F, (2, 3)), batched_input=False)
    p.do('RaggedTensorFromVariant', one, input_ragged_rank=0, output_ragged_rank=0, Tvalues=F)
    p.do('RaggedTensorFromVariant', one, input_ragged_rank=0, output_ragged_rank=0, Tvalues=I)
    two = p.add('Pack', [one, p.add('RaggedTensorToVariant', [], m(F, (1, 3)), batched_input=False)])
    p.do('RaggedTensorFromVariant', two, input_ragged_rank=0, output_ragged_rank=1, Tvalues=F)
    yield p
    p = Program()
    two = p.add('Pack', [p.add('RaggedTensorToVariant', [], m(F, shape), batched_input=False) for shape in ((2, 3), (2,))])
    p.do('RaggedTensorFromVariant', two, input_ragged_rank=0, output_ragged_rank=1, Tvalues=F)
    yield p


SPARSE_PROGRAMS = {op: maps for op in ('AddSparseToTensorsMap', 'AddManySparseToTensorsMap', 'TakeManySparseFromTensorsMap')}
SPARSE_PROGRAMS.update({op: variants for op in ('SerializeSparse', 'SerializeManySparse', 'DeserializeSparse')})
SPARSE_PROGRAMS.update({op: ragged_variants for op in ('RaggedTensorToVariant', 'RaggedTensorFromVariant', 'RaggedTensorToVariantGradient')})
