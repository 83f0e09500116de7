"""Small valid files of every format that `open` reads. The tests and the fuzz targets damage them."""
import io
import json
import os
import struct
import sys
import zipfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), 'onnx')]
import onnx_file as onnx  # noqa: E402
from wire import (FLOAT, SMALL, attr, body, call, checkpoint, f, floats, function, info, kind, masked, meta, node, placeholder,  # noqa: E402
                  saved_model, signature, varint, versions)


def graph():
    library = f(2, function('inner', [body(node('negated', 'Neg', ['x'], kind(FLOAT)))], 'negated:y:0'))
    return (placeholder('x', [2, 3]) + floats('w', [1., 2., 3.], [3]) + node('sum', 'AddV2', ['x', 'w'], kind(FLOAT)) +
            node('custom', 'MyOp', ['sum'], kind(FLOAT), attr('level', f(3, 7))) + call('c', 'inner', ['sum']) + library + versions())


TEXT = ('node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }\n'
        'node { name: "n" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }\nversions { producer: 24 }\n')
JSON = json.dumps({'node': [
    {'name': 'x', 'op': 'Placeholder', 'attr': {'dtype': {'type': 'DT_FLOAT'}}},
    {'name': 'n', 'op': 'Neg', 'input': ['x'], 'attr': {'T': {'type': 'DT_FLOAT'}}},
    {'name': 'c', 'op': 'Const', 'attr': {'dtype': {'type': 'DT_INT32'}, 'value': {
        'tensor': {'dtype': 'DT_INT32', 'tensorShape': {'dim': [{'size': '2'}]}, 'tensorContent': 'AQAAAAIAAAA='}}}}],
    'versions': {'producer': 134}})
SIGNED = [('serving_default', signature({'x': info('x:0', [2])}, {'y': info('n:0', [2])}))]


def meta_graph():
    return meta(SMALL, [('savers', f(2, f(1, f(1, 'x:0') + f(2, 'n:0') + f(3, 'n')))), ('numbers', f(3, f(1, 7)))], tags=['serve'],
                signatures=SIGNED, assets=[f(1, f(1, 'x:0')) + f(2, 'words.txt')])


def npy(values=(1., 2., 3., 4.), shape='(2, 2)', descr='<f4'):
    head = ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)).ljust(117) + '\n'
    return b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + struct.pack('<%df' % len(values), *values)


def npz():
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w') as z:
        z.writestr(zipfile.ZipInfo('w.npy'), npy(), zipfile.ZIP_DEFLATED)
        z.writestr(zipfile.ZipInfo('b.npy'), npy([1.], '(1,)'), zipfile.ZIP_STORED)
    return out.getvalue()


def safetensors(head='{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}', data=bytes(8)):
    return struct.pack('<Q', len(head)) + head.encode() + data


def records(*messages):
    return b''.join(struct.pack('<QI', len(m), masked(struct.pack('<Q', len(m)))) + m + struct.pack('<I', masked(m)) for m in messages)


def events():
    wall = lambda: varint(1 << 3 | 1) + struct.pack('<d', 1.)
    value = f(1, 'loss') + varint(2 << 3 | 5) + struct.pack('<f', .5)
    return records(wall() + f(3, 'brain.Event:2'), wall() + f(2, 1) + f(5, f(1, value)), wall() + f(2, 2) + f(5, f(1, value)))


def png(width=4, height=4):
    part = lambda name, data: struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
    rows = b''.join(b'\0' + bytes(range(3 * 4)) for _ in range(4))
    return b'\x89PNG\r\n\x1a\n' + part(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0)) + part(
        b'IDAT', zlib.compress(rows)) + part(b'IEND', b'')


def bmp(width=2, height=2):
    return b'BM' + struct.pack('<IHHI', 70, 0, 0, 54) + struct.pack('<IiiHHIIiiII', 40, width, height, 1, 24, 0, 16, 0, 0, 0, 0) + bytes(range(16))


def gif(width=2, height=2):
    return (b'GIF89a' + struct.pack('<HHBBB', width, height, 0x80, 0, 0) + b'\0\0\0\xff\xff\xff' + b'\x2c' +
            struct.pack('<HHHHB', 0, 0, width, height, 0) + b'\x02\x03\x44\x02\x05\0\x3b')


def wav(size=8, rate=8000):
    return b'RIFF' + struct.pack('<I', 36 + size & 0xffffffff) + b'WAVEfmt ' + struct.pack('<IHHIIHH', 16, 1, 1, rate, 2 * rate & 0xffffffff, 2, 16) + b'data' + struct.pack(
        '<I', size) + struct.pack('<4h', 0, 16384, -16384, 32767)


def onnx_model():
    nodes = [onnx.node('MatMul', ['x', 'w'], ['m']), onnx.node('Relu', ['m'], ['y']), onnx.node('Conv', ['image', 'k'], ['c'], pads=[1, 1, 1, 1])]
    return onnx.model(onnx.graph(
        nodes, [onnx.value('x', [1, 2]), onnx.value('image', [1, 1, 3, 3])], [onnx.value('y', [1, 2]), onnx.value('c', [1, 1, 3, 3])],
        [onnx.tensor('w', [2, 2], [1, 2, 3, 4]), onnx.tensor('k', [1, 1, 3, 3], [1.] * 9)]))


def jpeg():
    """A grey picture of 8x8 pixels: the tables of baseline JPEG with one code each."""
    def part(mark, data):
        return bytes([0xff, mark]) + struct.pack('>H', len(data) + 2) + data
    table = lambda cls: bytes([cls]) + bytes([1] + [0] * 15) + b'\0'
    return (b'\xff\xd8' + part(0xdb, b'\0' + bytes([1] * 64)) + part(0xc0, struct.pack('>BHHB', 8, 8, 8, 1) + b'\x01\x11\x00') +
            part(0xc4, table(0)) + part(0xc4, table(0x10)) + part(0xda, b'\x01\x01\x00\x00\x3f\x00') + b'\x3f\xff\xd9')


def formats(folder):
    """Returns {name of a file: its bytes}. A name with a folder is opened as that folder. A format that is added to `open` gets
    one line here. Writes the checkpoints to `folder` first."""
    files = {}
    for name, packed in (('plain', False), ('packed', True)):
        checkpoint(os.path.join(folder, name), {'v': [1., 2.], 'w': [3.]}, packed=packed)
        for part in ('.index', '.data-00000-of-00001'):
            with open(os.path.join(folder, name + part), 'rb') as file:
                files[name + part] = file.read()
    files.update({
        'g.pb': graph(), 'g.pbtxt': TEXT.encode(), 'g.json': JSON.encode(), 'm.meta': meta_graph(),
        'sm/saved_model.pb': saved_model(meta_graph()), 'm.onnx': onnx_model(), 's.safetensors': safetensors(), 'a.npy': npy(), 'a.npz': npz(),
        'events.out.tfevents.1': events(), 'c.csv': b'name,height\nann,1.5\n"b""c",2\n', 'p.png': png(), 'p.jpg': jpeg(), 'p.gif': gif(),
        'p.bmp': bmp(), 's.wav': wav(),
    })
    return files


def write(folder):
    """Writes the files into a folder for each format, as a corpus of the fuzz targets."""
    for name, data in formats(folder).items():
        path = os.path.join(folder, name.replace('/', '_'))
        with open(path, 'wb') as out:
            out.write(data)


if __name__ == '__main__':
    os.makedirs(sys.argv[1], exist_ok=True)
    write(sys.argv[1])
