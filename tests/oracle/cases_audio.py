"""Oracle cases for audio, sums of exponentials, and products of possibly sparse matrices (see cases.py)."""
import struct

import numpy as np

from cases import D, F
from tensor_text import DTYPES


def one_of(m, *values):
    return values[m.r.randint(len(values))]


def text(data):
    return np.array(data, object)


def wav(m, channels=1, samples=4, rate=8000, bits=16, size=16, kind=1, each=None, second=None, chunks=(), end=b''):
    each = channels * 2 if each is None else each
    data = m.r.randint(0, 256, 2 * channels * samples).astype(np.uint8).tobytes()
    head = b'WAVEfmt ' + struct.pack('<IHHIIHH', size, kind, channels, rate, each * rate if second is None else second, each, bits)
    body = head + b'\0' * (size - 16) + b''.join(n + struct.pack('<I', len(v)) + v for n, v in chunks)
    body += b'data' + struct.pack('<I', len(data)) + data + end
    return b'RIFF' + struct.pack('<I', len(body)) + body


def decode(m):
    for _ in range(24):
        channels, samples = int(m.r.randint(1, 4)), int(m.r.randint(0, 7))
        made = wav(m, channels, samples, int(m.r.randint(1, 50000)), size=one_of(m, 16, 18), chunks=one_of(m, (), ((b'LIST', b'abcd'),)))
        yield [text(made)], {'desired_channels': one_of(m, -1, 1, 2, 5), 'desired_samples': one_of(m, -1, 0, 3, 9)}
    for bad in (b'', b'RIFF', wav(m)[:30], wav(m)[:-1], wav(m, bits=8), wav(m, kind=3), wav(m, size=20), wav(m, channels=0, each=0),
                wav(m, each=3), wav(m, second=7), wav(m, end=b'data\x00\x00\x00\x00'), wav(m).replace(b'data', b'dato'),
                wav(m).replace(b'RIFF', b'RIFX'), wav(m).replace(b'WAVE', b'WAVF'), wav(m, end=b'xy'), wav(m, end=b'LIST\xff\xff\xff\xff')):
        yield [text(bad)], {}
    yield [np.array([wav(m)], object)], {}
    for wanted in ({'desired_channels': -2}, {'desired_samples': -3}, {'desired_channels': 0}):
        yield [text(wav(m))], wanted


def encode(m):
    for _ in range(26):
        shape = (int(m.r.randint(1, 7)), int(m.r.randint(1, 4)))
        yield [m(F, shape, -1.2, 1.2), np.array(m.r.randint(1, 50000), np.int32)], {}
    yield [np.array([[np.inf], [-np.inf], [1], [-1], [.5 / 32768], [1.5 / 32768], [-.5 / 32768]], np.float32), np.array(8000, np.int32)], {}
    for shape, rate in (((0, 1), 8000), ((3, 0), 8000), ((3,), 8000), ((3, 1, 1), 8000), ((3, 1), 0), ((3, 1), -1), ((1, 70000), 1)):
        yield [np.zeros(shape, np.float32), np.array(rate, np.int32)], {}
    yield [np.zeros((3, 1), np.float32), np.array([8000], np.int32)], {}


def spectrogram(m):
    for _ in range(30):
        shape = (int(m.r.randint(0, 40)), int(m.r.randint(1, 3)))
        yield [m(F, shape, -1, 1)], {'window_size': int(m.r.randint(2, 17)), 'stride': int(m.r.randint(1, 9)), 'magnitude_squared': bool(m.r.randint(2))}
    for window, stride in ((1, 1), (4, 0), (-3, 1), (4, -1), (0, 1)):
        yield [m(F, (8, 1))], {'window_size': window, 'stride': stride}
    yield [m(F, (8,))], {'window_size': 4, 'stride': 1}


def mfcc(m):
    for _ in range(30):
        shape = (int(m.r.randint(0, 3)), int(m.r.randint(0, 4)), int(m.r.randint(2, 140)))
        bands = int(m.r.randint(1, 30))
        low = float(m.r.randint(0, 500))
        yield [m(F, shape, 0, 9), np.array(one_of(m, 8000, 16000, 44100), np.int32)], {
            'upper_frequency_limit': low + float(m.r.randint(1, 5000)), 'lower_frequency_limit': low, 'filterbank_channel_count': bands,
            'dct_coefficient_count': int(m.r.randint(1, bands + 1))}
    yield [np.zeros((1, 2, 65), np.float32), np.array(16000, np.int32)], {}
    for bad in ({'upper_frequency_limit': 10.}, {'lower_frequency_limit': -1.}, {'filterbank_channel_count': 0}, {'dct_coefficient_count': 0},
                {'dct_coefficient_count': 50}):
        yield [m(F, (1, 2, 65), 0, 9), np.array(16000, np.int32)], bad
    yield [m(F, (1, 2, 1), 0, 9), np.array(16000, np.int32)], {}
    yield [m(F, (1, 2, 65), 0, 9), np.array(0, np.int32)], {}
    yield [m(F, (2, 65), 0, 9), np.array(16000, np.int32)], {}


def logsumexp(m):
    for dtype in (F, D):
        for shape, axis in (((3,), 0), ((7,), -1), ((2, 3), 0), ((2, 3), 1), ((2, 3, 7), 1), ((0,), 0), ((2, 0), 0), ((33,), 0)):
            for exclusive in (False, True):
                yield [m(dtype, shape, -30, 30), np.array(axis, one_of(m, np.int32, np.int64))], {'exclusive': exclusive, 'reverse': bool(m.r.randint(2))}
        inf, nan = np.inf, np.nan
        for special in ([-inf, -inf, 0, -inf], [1, inf, 2, inf], [inf, -inf, 1, 2], [0, nan, 1, inf], [1e30, -1e30, 1e30, 0]):
            yield [np.array(special, DTYPES[dtype]), np.array(0, np.int32)], {}
        yield [m(dtype, (2, 3)), np.array(2, np.int32)], {}
        yield [m(dtype, (2, 3)), np.array([0], np.int32)], {}
        yield [m(dtype, ()), np.array(0, np.int32)], {}


def product(m):
    def matrix(dtype, shape):
        return np.where(m.r.rand(*shape) < .5, m(F, shape), 0).astype(DTYPES[dtype])
    for _ in range(34):
        n, k, p = (int(v) for v in m.r.randint(0, 9, 3))
        ta, tb = bool(m.r.randint(2)), bool(m.r.randint(2))
        yield [matrix(one_of(m, F, 'bfloat16'), (k, n) if ta else (n, k)), matrix(one_of(m, F, 'bfloat16'), (p, k) if tb else (k, p))], {
            'transpose_a': ta, 'transpose_b': tb, 'a_is_sparse': bool(m.r.randint(2)), 'b_is_sparse': bool(m.r.randint(2))}
    yield [matrix(F, (2, 3)), matrix(F, (2, 3))], {}
    yield [matrix(F, (3,)), matrix(F, (3, 1))], {}


AUDIO = {'DecodeWav': decode, 'EncodeWav': encode, 'AudioSpectrogram': spectrogram, 'Mfcc': mfcc, 'CumulativeLogsumexp': logsumexp,
         'SparseMatMul': product}
