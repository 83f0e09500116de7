#!/usr/bin/env python3
"""Opens damaged and malicious files of every format (hostile_seeds.py).

    hostile_test.py --tensh build/tensh [--sanitized] [--seed N] [NAME …]

Each file must open or be refused with an error that a user understands, in bounded memory and time, without a control
character on the terminal. Many files are opened by one process.
"""
import argparse
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import traceback
import zlib

import hostile_seeds as seeds
from models_test import Box, expect, has
from wire import FLOAT, STRING, attr, body, call, f, function, info, kind, meta, node, placeholder, saved_model, shape_of, signature, varint, versions

MEMORY = 2 << 30
# Errors that show a mistake of tensh instead of one of the file.
OURS = ('SystemError', 'RecursionError', 'InternalError', 'UnboundLocalError', 'NameError', 'AttributeError', 'ZeroDivisionError', 'AssertionError')
CONTROL = re.compile('[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]')
OPTIONS = None


def limit():
    # Sanitizers reserve terabytes of addresses.
    if not OPTIONS.sanitized:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def tensh(box, *args, timeout=300, input=''):
    env = dict(os.environ, HOME=box.folder, TENSH_HISTORY='')
    return subprocess.run([box.tensh, *args], cwd=box.folder, input=input, capture_output=True, text=True, errors='backslashreplace',
                          timeout=timeout, env=env, preexec_fn=limit)


def open_all(box, name, files):
    """Opens the files, and asks about each. Expects that the process survives and that its errors are the user's."""
    lines = []
    for i, data in enumerate(files):
        path = os.path.join('%s_%d' % (re.sub(r'\W', '_', name), i), name)
        box.put(path, data)
        target = os.path.dirname(path) if '/' in name else path
        if name.endswith('.index'):
            shutil.copy(os.path.join(box.folder, name[:-6] + '.data-00000-of-00001'), os.path.dirname(os.path.join(box.folder, path)))
        lines.append('with tf.Graph().as_default(), tf.Session().as_default():\n    try:\n        open %r as m\n        about\n        about --json\n'
                     '    except Exception as e:\n        print("\\n" + type(e).__name__ + ": " + ascii(str(e)))' % target)
    box.put('all.tsh', '\n'.join(lines))
    done = tensh(box, 'all.tsh')
    what = (done.stdout + done.stderr)[-1500:]
    expect(done.returncode == 0, '%s: exit code %d\n%s' % (name, done.returncode, what))
    check_text(name, done.stdout)


def check_text(name, text):
    for line in text.split('\n'):
        expect(not line.startswith(tuple(o + ':' for o in OURS)), '%s: not an error for a user: %s' % (name, line[:500]))
    found = CONTROL.search('\n'.join(line for line in text.split('\n') if line[:1] != '{'))  # JSON is for programs
    expect(not found, '%s: a control character: %r' % (name, text[max(0, found.start() - 200):found.end() + 20] if found else ''))


# ---- damaged files ----

def damaged(data, rng):
    """Yields the file, cut at every 64th byte and at its ends, and with changed bits, bytes, and sizes."""
    for at in sorted(set(range(0, len(data), 64)) | {1, 7, 8, 9, len(data) - 9, len(data) - 1}):
        if 0 <= at < len(data):
            yield data[:at]
    for _ in range(40):
        one = bytearray(data)
        for _ in range(rng.choice((1, 1, 2, 4))):
            one[rng.randrange(len(one))] ^= 1 << rng.randrange(8)
        yield bytes(one)
    for _ in range(20):
        one = bytearray(data)
        one[rng.randrange(len(one))] = rng.choice((0, 1, 0x7f, 0x80, 0xff))
        yield bytes(one)
    for _ in range(20):  # a size of 4 or 8 bytes, or one in protocol buffers, is a lie
        at = rng.randrange(len(data))
        lie = rng.choice((struct.pack('<I', 1 << rng.randrange(32)), struct.pack('<q', (1 << rng.randrange(1, 64)) - 1), b'\xff' * 8, bytes(8),
                          varint(rng.getrandbits(rng.choice((8, 32, 63))))))
        yield data[:at] + lie + data[at + len(lie):]
    for _ in range(5):
        a, b = sorted((rng.randrange(len(data)), rng.randrange(len(data))))
        yield data[:b] + data[a:]


def test_damaged(box):
    rng = random.Random(OPTIONS.seed)
    for name, data in seeds.formats(box.folder).items():
        if name.endswith('00001'):
            continue
        open_all(box, name, [data] + list(damaged(data, rng))[::4 if OPTIONS.sanitized else 1])


def test_sound(box):
    """The files that the other tests damage are sound."""
    for name, data in seeds.formats(box.folder).items():
        box.put(name, data)
        done = tensh(box, os.path.dirname(name) or name)
        expect(done.returncode == 0, '%s: %s' % (name, done.stderr))


# ---- sizes that lie ----

def constant(dims, dtype=FLOAT, content=b''):
    return node('c', 'Const', (), kind(dtype, 'dtype'), attr('value', f(8, f(1, dtype) + f(2, shape_of(dims)) + content))) + versions()


def test_lies(box):
    huge = 1 << 62
    shapes = ([1 << 40], [1 << 31, 1 << 31], [huge, huge, huge, huge], [0, huge, huge], [huge, 0], [1 << 64 - 1], [1] * 300, [-1 & 2**64 - 1], [3])
    contents = (b'', f(4, struct.pack('<2f', 1, 2)), f(8, 'text'), f(13, b'x' * 9))
    open_all(box, 'g.pb', [constant(d, t, c) for d in shapes for t in (FLOAT, STRING, 23, 999) for c in contents])
    open_all(box, 'x.pb', [placeholder('x', d) + node('n', 'Neg', ['x'], kind(FLOAT)) + versions() for d in shapes])
    heads = ('{"w":{"dtype":"F32","shape":[%d],"data_offsets":[0,8]}}' % (1 << 40), '{"w":{"dtype":"F32","shape":[0,9223372036854775807],"data_offsets":[0,0]}}',
             '{"w":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}', '{"w":{"dtype":"F32","shape":[-2,-1],"data_offsets":[0,8]}}',
             '{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,1e300]}}', '{"w":{"dtype":"F32","shape":"ab","data_offsets":[0,8]}}', '{"w":[]}', '{"w":3}',
             '[' * 100000, '{"w":' * 50000, '{"a":1,' * 9 + '}' * 9, '{"w":{"dtype":["F32"],"shape":[2],"data_offsets":[0,8]}}', '{}')
    open_all(box, 's.safetensors', [seeds.safetensors(h) for h in heads] + [struct.pack('<Q', n) + b'{}' for n in (0, 3, 1 << 40, (1 << 64) - 1)])
    shapes = ('(1099511627776,)', '(4611686018427387904, 4)', '(0, 9223372036854775807, 9223372036854775807)', '(-1,)', '(' + '1,' * 1000 + ')', '(' * 5000, '((2, 2))', '', '(1e9,)')
    open_all(box, 'a.npy', [seeds.npy(shape=s) for s in shapes] + [seeds.npy(descr=d) for d in ('<U4000000000', '|O', '<f3', '|S0', "('a', 'b')", '>f4', '<M8[ns]', '|V9999')])
    open_all(box, 'p.png', [seeds.png(w, h) for w, h in ((1 << 31, 1), (65535, 65535), (0, 0), (1 << 30, 1 << 30), (20000, 20000))])
    open_all(box, 'p.bmp', [seeds.bmp(w, h) for w, h in ((2147483647, 2), (-2147483648, -2147483648), (65536, 65536), (0, 0), (2, -2))])
    open_all(box, 'p.gif', [seeds.gif(65535, 65535), seeds.gif(0, 0)])
    open_all(box, 's.wav', [seeds.wav(n, r) for n, r in ((0xfffffff0, 8000), (8, 0xffffffff), (0x7fffffff, 0), (7, 1))])
    open_all(box, 'e.out.tfevents.1', [seeds.records(b'') + b'\xff' * 12, struct.pack('<Q', 1 << 62) * 3])
    open_all(box, 'c.csv', [b'a,b\n' + b',' * 100000 + b'\n', b'a,b\n"' + b'x' * 100000, b'a,b\n1\n1,2,3\n,\n', b'"a,b\n1,2', b'a,b\n' + b'9' * 5000 + b',1\n', b',\n,\n'])


# ---- structures that grow ----

def model_of(library, target):
    graph = placeholder('x') + call('call', target, ['x']) + f(2, library) + versions()
    return saved_model(meta(graph, tags=['serve'], signatures=[('serving_default', signature({'x': info('x:0', [])}, {'y': info('call:0', [])}))]))


def bombs():
    """Functions that call themselves, each other, or each other 2^40 times."""
    one = lambda name, target: function(name, [body(call('again', target, ['x']))], 'again:output:0')
    yield 'itself', model_of(one('f', 'f'), 'f')
    yield 'circle', model_of(one('f', 'g') + one('g', 'h') + one('h', 'f'), 'f')
    yield 'chain', model_of(b''.join(one('f%d' % i, 'f%d' % (i + 1)) for i in range(2000)) + function(
        'f2000', [body(node('n', 'Neg', ['x'], kind(FLOAT)))], 'n:y:0'), 'f0')
    tree = function('t0', [body(node('n', 'Neg', ['x'], kind(FLOAT)))], 'n:y:0')
    for i in range(1, 41):
        calls = [body(call('a', 't%d' % (i - 1), ['x'])), body(call('b', 't%d' % (i - 1), ['a:output:0']))]
        tree += function('t%d' % i, calls, 'b:output:0')
    yield 'tree', model_of(tree, 't40')
    yield 'missing', model_of(one('f', 'nothing'), 'f')


def test_bombs(box):
    for name, data in bombs():
        if OPTIONS.sanitized and name == 'chain':
            continue  # minutes
        box.put(name + '/saved_model.pb', data)
        script = 'open %s\nabout\n' % name
        for line in ('eval model.serving_default(x=1.)', "model.serving_default['n']", 'explain model.serving_default', 'view > page.html'):
            script += 'try:\n    %s\nexcept Exception as e:\n    print(type(e).__name__ + ": " + str(e))\n' % line
        box.put('s.tsh', script)
        # A run of 2^40 calls cannot end. It must stop at Ctrl-C or SIGTERM, which `run` of the other tests would wait for.
        if name == 'tree':
            process = subprocess.Popen([box.tensh, 's.tsh'], cwd=box.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=limit)
            try:
                process.communicate(timeout=3)
            except subprocess.TimeoutExpired:
                process.send_signal(2)
                process.communicate(timeout=60)
            expect(process.returncode in (0, 1, 130, -2), 'tree: exit code %d' % process.returncode)
            continue
        done = tensh(box, 's.tsh')
        expect(done.returncode in (0, 1), '%s: exit code %d\n%s' % (name, done.returncode, (done.stdout + done.stderr)[-1500:]))


def test_nested(box):
    """Structures that are nested deeply."""
    text = lambda depth: 'node { name: "c" op: "Const" attr { key: "a" value { ' + 'func { name: "f" attr { key: "b" value { ' * depth + 'i: 1 ' + '} } } ' * depth + '} } }'
    def binary(depth):
        value = f(3, 1)
        for _ in range(depth):
            value = f(10, f(1, 'f') + f(2, f(1, 'b') + f(2, value)))
        return node('c', 'NoOp', (), attr('a', value)) + versions()
    open_all(box, 'g.pbtxt', [text(d).encode() for d in (3, 60, 3000)] + [b'node { ' * 50000, b'node { name: "' + b'x' * 1000000 + b'" }'])
    open_all(box, 'g.pb', [binary(d) for d in (3, 60, 1000)])
    open_all(box, 'g.json', [('{"node": ' + '[' * d + ']' * d + '}').encode() for d in (1, 500, 100000)] + [
        ('{"node": [' + '{"a":' * 5000 + '1' + '}' * 5000 + ']}').encode(), b'{"node": [{"name": 3, "op": [], "attr": []}]}', b'{"node": [null, 1]}'])


# ---- names ----

EVIL = ('\x1b[31m\x1b]0;title\x07', 'a\nb\rc', '\u202egnp.\u2066', '\x00\x01', '\x9b31m', '<script>alert(1)</script>', '"\'`$(id)`', '../../etc/passwd')


def test_names(box):
    """Names with control characters are never written as they are."""
    for i, name in enumerate(EVIL):
        raw = name.encode('utf-8')
        graph = placeholder('x') + node(raw, 'Neg', ['x'], kind(FLOAT)) + versions()
        signed = [(raw, signature({raw: info('x:0', [])}, {raw: info('n:0', [])}, raw))]
        plain = placeholder('x') + node('n', 'Neg', ['x'], kind(FLOAT), device=raw) + versions()
        unknown = placeholder('x') + node('n', raw, ['x'], kind(FLOAT)) + node('m', 'My' + name.strip('\x1b'), ['x']) + versions()
        library = placeholder('x') + call('c', raw, ['x']) + f(2, function(raw, [body(node('n', 'Neg', ['x'], kind(FLOAT)))], 'n:y:0')) + versions()
        open_all(box, 'g.pb', [graph, plain, unknown, library])
        for data in (graph, unknown):  # the errors as the shell prints them
            box.put('evil.pb', data)
            done = tensh(box, 'evil.pb')
            check_text('the report', done.stdout + done.stderr)
        open_all(box, 'm/saved_model.pb', [saved_model(meta(seeds.SMALL, tags=['serve', raw], signatures=signed, version=raw, assets=[f(1, f(1, 'x:0')) + f(2, raw)]))])
        import onnx_file as onnx
        open_all(box, 'm.onnx', [onnx.model(onnx.graph([onnx.node('Neg', [name], [name + 'y'], name=name)], [onnx.value(name, [name])], [onnx.value(name + 'y', [2])], name=name), producer=name),
                                 onnx.model(onnx.graph([onnx.node(name, ['x'], ['y'], domain=name)], [onnx.value('x', [2])], [onnx.value('y', [2])]))])
        head = '{"%s":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"z":{"dtype":"%s","shape":[2],"data_offsets":[0,8]}}'
        quoted = name.encode('unicode_escape').decode().replace('\\x', '\\u00').replace('"', '\\"').replace("\\'", "'")
        open_all(box, 's.safetensors', [seeds.safetensors(head % (quoted, 'F32')), seeds.safetensors(head % (quoted, quoted))])
        open_all(box, 'c.csv', [b'%s,b\n1,2\n' % raw.replace(b'\n', b'').replace(b'\0', b'')])
        done = tensh(box, '-c', "open '%s'" % name.replace('\\', '').replace('\n', '').replace("'", '').replace('\x00', ''))
        check_text('a path', done.stdout + done.stderr)


def test_views(box):
    """Ops, devices and attributes with control characters and markup, in every view of a graph."""
    evil = '<script>alert(1)</script>\x1b[31m\x1b]0;t\x07\u202e&"\'\n%'
    raw = evil.encode('utf-8')
    graph = (placeholder('x', [2]) + node('odd', raw, ['x'], kind(FLOAT), attr('note', f(2, raw))) + node('n', 'Neg', ['x'], kind(FLOAT), attr('_note', f(2, raw))) +
             node('after', 'Neg', ['odd'], kind(FLOAT)) + versions())
    box.put('g.pb', graph)
    verbs = ('about', 'nodes', 'nodes --all', 'edges', 'graph', 'graph after', 'graph --dot', 'graph --svg > g.svg', 'graph --dot > g.dot', 'explain after feed odd:0=[1., 2.]',
             'explain after feed odd:0=[1., 2.] --svg > e.svg', 'explain n feed x=[1., 2.]', 'why odd', 'why not odd', 'eval after feed x=[1., 2.]', 'step n feed x=[1., 2.]',
             'view > v.html', 'ops script', 'place odd on <script>', 'save h.pbtxt', 'dump', 'odd?', 'print(tf.get_default_graph().get_operation_by_name("odd"))')
    script = 'open g.pb\n' + ''.join('try:\n    %s\nexcept Exception as e:\n    print(type(e).__name__)\n' % v for v in verbs)
    box.put('s.tsh', script)
    done = tensh(box, 's.tsh')
    expect(done.returncode == 0, done.stdout + done.stderr)
    check_text('a view', done.stdout + done.stderr)
    for name in ('g.svg', 'g.dot', 'e.svg', 'v.html'):
        path = os.path.join(box.folder, name)
        if os.path.exists(path):
            text = box.get(name).decode('utf-8', 'replace')
            expect(name.endswith('.dot') or '<script>alert' not in text, '%s: markup: %s' % (name, text[max(0, text.find('<script>alert') - 300):][:400]))
            check_text(name, text)
    for verb in ('eval after feed x=[1., 2.]', 'place odd on /gpu:9', 'why nothing', 'open g.pb'):  # the errors as the shell prints them
        check_text(verb, tensh(box, '-c', 'open g.pb\n' + verb).stderr)


# ---- paths ----

def test_external_data(box):
    """Neither an ONNX model nor a SavedModel reads files outside of its folder, also not through links."""
    import onnx_file as onnx
    box.put('secret', struct.pack('<2f', 41., 42.))
    box.put('m/here', struct.pack('<2f', 1., 2.))
    for name, target in (('m/link', '../secret'), ('m/inner', 'here')):
        os.symlink(target, os.path.join(box.folder, name))
    os.symlink('..', os.path.join(box.folder, 'm/up'))
    os.mkfifo(os.path.join(box.folder, 'm/pipe'))
    def model(location, **more):
        return onnx.model(onnx.graph([onnx.node('Neg', ['w'], ['y'])], [], [onnx.value('y', [2])], [onnx.tensor('w', [2], b'', external=dict(more, location=location))]))
    for location in ('../secret', os.path.join(box.folder, 'secret'), 'link', 'up/secret', '/dev/zero', 'a/../../secret', '/proc/self/environ', '', '.', 'pipe', 'x\0y'):
        box.put('m/m.onnx', model(location))
        done = tensh(box, '-c', 'open m/m.onnx\neval y', timeout=60)
        expect(done.returncode == 1 and '42' not in done.stdout, '%s: %s' % (location, done.stdout + done.stderr))
    for more in ({'offset': '-8'}, {'offset': str(1 << 62)}, {'length': str(1 << 62)}, {'offset': '1'}, {'offset': 'x'}, {'length': '4'}):
        box.put('m/m.onnx', model('here', **more))
        expect(tensh(box, '-c', 'open m/m.onnx\neval y').returncode == 1, more)
    box.put('m/m.onnx', model('here'))
    has(tensh(box, '-c', 'open m/m.onnx\neval y').stdout, '[-1. -2.]')
    # An asset.
    box.put('s/assets/words.txt', 'a\n')
    box.put('secret.txt', 'top secret\n')
    os.symlink('../../secret.txt', os.path.join(box.folder, 's/assets/out.txt'))
    os.symlink('../..', os.path.join(box.folder, 's/assets/up'))
    os.symlink('words.txt', os.path.join(box.folder, 's/assets/in.txt'))
    name = node('file', 'Const', (), kind(STRING, 'dtype'), attr('value', f(8, f(1, STRING) + f(2, b'') + f(8, 'nothing'))))
    read = name + node('read', 'ReadFile', ['file']) + versions()
    for path, good in (('words.txt', True), ('in.txt', True), ('out.txt', False), ('up/secret.txt', False), ('../../secret.txt', False), ('/etc/passwd', False)):
        box.put('s/saved_model.pb', saved_model(meta(read, tags=['serve'], assets=[f(1, f(1, 'file:0')) + f(2, path)])))
        done = tensh(box, '-c', 'open s')
        expect((done.returncode == 0) == good, '%s: %s' % (path, done.stdout + done.stderr))
        if not good:
            has(done.stderr, 'outside of its folder')


def test_no_files(box):
    """A folder, a pipe, a device, an unreadable file and one that is far too large are refused at once."""
    os.mkdir(os.path.join(box.folder, 'folder.pb'))
    os.mkfifo(os.path.join(box.folder, 'pipe.onnx'))
    os.symlink('loop', os.path.join(box.folder, 'loop'))
    os.makedirs(os.path.join(box.folder, 'm/saved_model.pb'))
    os.makedirs(os.path.join(box.folder, 'ck.index'))
    os.makedirs(os.path.join(box.folder, 'n'))
    os.mkfifo(os.path.join(box.folder, 'n/saved_model.pb'))
    os.mkfifo(os.path.join(box.folder, 'p.index'))
    os.mkfifo(os.path.join(box.folder, 'q.index'))
    box.put('q.data-00000-of-00001', b'x')
    heads = {'huge.pb': b'\x0a\x10\x0a\x01x\x12\x05Const', 'huge.onnx': b'\x08\x08\x12\x01t\x3a\xff\xff\xff\xff\xff\x01', 'huge.safetensors': struct.pack('<Q', 1 << 39) + b'{"',
             'huge.npy': b'\x93NUMPY\x01\0\x76\0', 'huge.npz': b'PK\x03\x04', 'huge.png': b'\x89PNG\r\n\x1a\n', 'huge.csv': b'a,b\n1,2\n', 'huge.wav': b'RIFF1234WAVEfmt ',
             'huge.tfevents': seeds.events()}
    for name, head in heads.items():
        with open(os.path.join(box.folder, name), 'wb') as out:
            out.write(head)
            out.truncate(1 << 40)
    names = ['folder.pb', 'pipe.onnx', 'loop', 'm', 'ck', 'ck.index', 'n', 'p', 'p.index', 'q', '/dev/zero', '/dev/random', '/proc/self/mem', '/proc/self/environ', '/proc/kmsg',
             '/proc/self', '/sys'] + list(heads)
    for name in names:
        done = tensh(box, '-c', 'open ' + name, timeout=30)
        expect(done.returncode == 1, '%s: exit code %d %s' % (name, done.returncode, done.stderr[-300:]))
        check_text(name, done.stderr.split('\n')[0].split(': ', 1)[-1])
    for code in ("np.load('huge.npy')", "np.load('/dev/zero')", "np.load('huge.npz')", "open('huge.pb', 'rb').read()"):
        expect(tensh(box, '-c', code, timeout=60).returncode == 1, code)
    expect(tensh(box, '/dev/zero', timeout=20).returncode == 3, 'a device as a script')
    if os.getuid() == 0:
        return  # root reads everything
    box.put('closed.pb', b'x')
    os.chmod(os.path.join(box.folder, 'closed.pb'), 0)
    has(tensh(box, '-c', 'open closed.pb').stderr, 'PermissionError')


def test_compressed(box):
    """Compressed arrays may not fill the memory."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    megabyte = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)  # can be repeated
    packed, size = megabyte * 1200, 1200 << 20
    common = struct.pack('<HHHHHIIIHH', 20, 0, 8, 0, 0, 0, len(packed), size, 5, 0)
    directory = b'PK\1\2' + struct.pack('<H', 20) + common + bytes(14) + b'a.npy'
    start = 30 + 5 + len(packed)
    box.put('bomb.npz', b'PK\3\4' + common + b'a.npy' + packed + directory + b'PK\5\6' + struct.pack(
        '<HHHHIIH', 0, 0, 1, 1, len(directory), start, 0))
    for code in ("np.load('bomb.npz')", 'open bomb.npz'):
        done = tensh(box, '-c', code)
        expect(done.returncode == 1, done)
        has(done.stderr, 'larger than 1 GiB', 'np.savez')


def main():
    global OPTIONS
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--sanitized', action='store_true', help='the build has sanitizers, and is slow')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('names', nargs='*')
    OPTIONS = parser.parse_args()
    tests = {n[5:]: t for n, t in globals().items() if n.startswith('test_')}
    failed = 0
    for name in OPTIONS.names or tests:
        folder = tempfile.mkdtemp(prefix='tensh-hostile-')
        try:
            tests[name](Box(os.path.abspath(OPTIONS.tensh), folder, OPTIONS.sanitized))
        except (AssertionError, subprocess.TimeoutExpired) as e:
            failed += 1
            print('%s: %s' % (name, e))
            if not isinstance(e, AssertionError):
                traceback.print_exc()
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    print('hostile files: %d of %d passed' % (len(OPTIONS.names or tests) - failed, len(OPTIONS.names or tests)))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
