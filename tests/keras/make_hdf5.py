#!/usr/bin/env python3
"""Writes HDF5 files with h5py, in the forms of several versions of the library, and what h5py reads from them.

    make_hdf5.py FOLDER

Each file has groups, attributes and datasets of many types and layouts. FOLDER/NAME.json has what h5py reads: for each
dataset and attribute its type, extents, sum and a weighted sum, or its texts.
"""
import json
import os
import sys

import h5py
import numpy as np

VERSIONS = {'old': {}, 'latest': {'libver': 'latest'}, 'v108': {'libver': ('v108', 'v108')}, 'block': {'userblock_size': 1024}}


def numbers(f, rng):
    for k in ('i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8', 'f2', 'f4', 'f8'):
        x = rng.randint(0, 100, (3, 4)) if k[0] == 'u' else rng.randn(3, 4) * 50
        f['num/' + k] = x.astype(k)
        f['big/' + k] = x.astype('>' + k)
    f['bool'], f['scalar'], f['empty'] = np.array([True, False, True]), np.float32(3.5), np.zeros((0, 3))
    f['color'] = np.array([2, 0, 1], dtype=h5py.enum_dtype({'RED': 0, 'GREEN': 1, 'BLUE': 2}, 'i2'))
    f['arrays'] = np.zeros(2, dtype=np.dtype(('f4', (3,))))
    f['fixed'] = np.array([b'a', b'bcd'])
    f.create_dataset('texts', data=['one', 'two', 'three', ''], dtype=h5py.string_dtype())
    shared = f['committed'] = np.dtype('f4')
    f.create_dataset('of_committed', data=np.arange(3, dtype='f4'), dtype=f['committed'])
    return shared


def chunked(f):
    x = np.arange(200 * 7).reshape(200, 7).astype('i4')
    f.create_dataset('ck/all', data=x, chunks=(64, 3), compression='gzip', shuffle=True, fletcher32=True)
    f.create_dataset('ck/lzf', data=x, chunks=(64, 3), compression='lzf')
    f.create_dataset('ck/plain', data=x, chunks=(100, 4))
    f.create_dataset('ck/single', data=x, chunks=(200, 7), compression='gzip')
    f.create_dataset('ck/grows', data=x, chunks=(10, 3), maxshape=(None, 7), compression='gzip')
    f.create_dataset('ck/grows1', data=x, chunks=(10, 3), maxshape=(200, None))
    f.create_dataset('ck/both', data=x, chunks=(10, 3), maxshape=(None, None))
    f.create_dataset('ck/bothz', data=x, chunks=(10, 3), maxshape=(None, None), compression='gzip')
    d = f.create_dataset('ck/part', (50, 50), chunks=(10, 10), dtype='f4', fillvalue=7)
    d[12:14, :5] = 1
    d = f.create_dataset('ck/long', (3000,), chunks=(1,), maxshape=(None,), dtype='u1')
    d[:300], d[2990:] = np.arange(300) % 251, 5
    f.create_dataset('ck/pages', data=np.arange(2500, dtype='i2'), chunks=(2,))
    f.create_dataset('never', (3, 2), dtype='f8', fillvalue=2.5)


def fill(f):
    f.attrs['text'], f.attrs['bytes'], f.attrs['list'] = 'hello', np.bytes_(b'fixed'), np.array([b'ab', b'cde'])
    f.attrs['n'], f.attrs['array'], f.attrs['texts'] = 3, np.arange(6.).reshape(2, 3), ['x', 'yy', 'zzz']
    numbers(f, np.random.RandomState(0))
    chunked(f)
    f['compound'] = np.zeros(3, dtype=[('a', 'i4'), ('b', 'f4')])
    f['soft'], f['elsewhere'], f['nowhere'] = h5py.SoftLink('/num/f4'), h5py.ExternalLink('o.h5', '/x'), h5py.SoftLink('/no')
    f['loop/itself'], f['loop/soft'] = f['/'], h5py.SoftLink('/loop/soft')
    many = f.create_group('many')
    for i in range(60):
        many['d%d' % i] = np.int8(i)
    for i in range(30):
        many.attrs['attribute%d' % i] = 'value %d' % i * 3
    many.attrs['long'] = 'q' * 3000
    ordered = f.create_group('ordered', track_order=True)
    for i in range(12):
        ordered['z%d' % (11 - i)] = np.int16(i)


def told(a):
    a = np.asarray(a)
    if a.dtype.kind in 'OSU':
        return [v.decode() if isinstance(v, bytes) else str(v) for v in a.reshape(-1).tolist()]
    flat = a.astype('f8').reshape(-1)
    return [a.dtype.name, list(a.shape), float(flat.sum()), float((flat * np.arange(flat.size)).sum())]


def read(f):
    """Returns {path: told} of all datasets, and of the attributes of two groups."""
    found = {}

    def walk(group, path, above):
        for name in group:
            if isinstance(group.get(name, getlink=True), h5py.ExternalLink):
                continue
            try:
                made = group[name]
            except (KeyError, RuntimeError):
                continue
            inside = path + '/' + name if path else name
            if isinstance(made, h5py.Dataset):
                found[inside] = None if inside.endswith('compound') else told(made[()])
            elif isinstance(made, h5py.Group):
                address = h5py.h5o.get_info(made.id).addr
                if address not in above:
                    walk(made, inside, above | {address})
    walk(f, '', {h5py.h5o.get_info(f['/'].id).addr})
    for group in (f, f['many']):
        found.update({'%s@%s' % (group.name.strip('/'), k): told(v) for k, v in group.attrs.items()})
    return found


def main(folder):
    os.makedirs(folder, exist_ok=True)
    for name, options in VERSIONS.items():
        path = os.path.join(folder, name + '.h5')
        with h5py.File(path, 'w', **options) as f:
            fill(f)
            if name == 'latest':  # larger than an object header may be
                f['many'].attrs['huge'] = np.arange(20000, dtype='i4')
        with h5py.File(path) as f, open(os.path.join(folder, name + '.json'), 'w') as out:
            json.dump(read(f), out)


if __name__ == '__main__':
    main(sys.argv[1])
