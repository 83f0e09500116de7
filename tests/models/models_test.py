#!/usr/bin/env python3
"""Opens models and data of many formats in tensh, and checks what it says and computes.

    models_test.py --tensh build/tensh [NAME …]

The files are written by hand (wire.py), so that no TensorFlow is needed. Each function test_NAME is a test; it gets a
Box, a new folder in which tensh runs.
"""
import argparse
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import traceback
import zipfile

from wire import (FLOAT, RESOURCE, SMALL, STRING, attr, body, call, checkpoint, f, fields, function, info, kind, meta, node, placeholder,
                  saved_model, shape_of, signature, varint, versions)


class Box:
    """A folder, and runs of tensh in it."""

    def __init__(self, tensh, folder, sanitized):
        self.tensh, self.folder, self.sanitized = tensh, folder, sanitized

    def put(self, name, data):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as out:
            out.write(data.encode() if isinstance(data, str) else data)

    def get(self, name):
        with open(os.path.join(self.folder, name), 'rb') as file:
            return file.read()

    def run(self, *args, input='', timeout=300):
        env = dict(os.environ, HOME=self.folder, TENSH_HISTORY='')
        return subprocess.run([self.tensh, *args], cwd=self.folder, input=input, capture_output=True, text=True, timeout=timeout, env=env)

    def code(self, text, rc=0):
        """Runs a script, and returns what it prints."""
        done = self.run('-c', text)
        if done.returncode != rc:
            raise AssertionError('exit code %d, want %d, of: %s\n%s%s' % (done.returncode, rc, text, done.stdout, done.stderr))
        return done.stdout + done.stderr


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def has(text, *parts):
    for part in parts:
        expect(part in text, 'expected %r in:\n%s' % (part, text))


# ---- graphs ----

def test_old_placeholders(box):
    """Before version 24, an empty shape stood for an unknown one."""
    x = placeholder('x', ())
    box.put('old.pb', x + node('n', 'Neg', ['x'], kind(FLOAT)) + versions(21))
    box.put('new.pb', x + node('n', 'Neg', ['x'], kind(FLOAT)) + versions(24))
    has(box.code('open old.pb\neval n:0 feed x=[1., 2.]'), '[-1. -2.]')
    has(box.code('open new.pb\neval n:0 feed x=[1., 2.]', 1), "which has shape '()'")


def collections_of(data):
    entries = [dict(fields(v)) for n, v in fields(data) if n == 4]
    return {e[1].decode(): e[2] for e in entries}


def test_collections(box):
    """Collections are read by their names, and written back as they were."""
    cond = f(2, f(1, f(1, 'cond/cond_text') + f(2, 'x:0') + f(3, 'x:0') + f(4, 1)))
    loop = f(2, f(1, f(1, 'while/while_context') + f(2, 10)))
    runner = f(2, f(1, f(1, 'n') + f(2, 'n') + f(3, 'n') + f(4, 'x')))
    kept = {'cond_context': cond, 'while_context': loop, 'queue_runners': runner, 'texts': f(2, f(1, 'hello') + f(1, b'\xff\0')),
            'numbers': f(3, f(1, 7) + f(1, 9)), 'nodes': f(1, f(1, 'n:0') + f(1, 'n')),
            'halves': f(4, varint(13) + struct.pack('<f', .5))}
    box.put('a.meta', meta(SMALL, kept.items()))
    out = box.code("open a.meta\nprint(tf.get_collection('texts'), tf.get_collection('numbers'), tf.get_collection('halves'))\n"
                   "print(tf.get_collection('queue_runners')[0].close_op.name)\nprint(tf.get_collection('nodes')[1].type)\nsave b.meta")
    has(out, "[b'hello', b'\\xff\\x00'] [7, 9] [0.5]", '\nn\n', 'Neg')
    again = collections_of(box.get('b.meta'))
    for name in kept:
        if name == 'halves':
            continue
        expect(again.get(name) == kept[name], '%s: %r, not %r' % (name, again.get(name), kept[name]))


def test_text_and_json(box):
    text = 'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }\n' \
           'node { name: "n" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }\n'
    box.put('g.pbtxt', '# a comment\n' + text)
    box.put('m.txt', 'meta_info_def { tensorflow_version: "1.13.1" any_info { [type.googleapis.com/x] { } } }\ngraph_def {\n%s}\n' % text)
    box.put('g.json', json.dumps({'node': [
        {'name': 'x', 'op': 'Placeholder', 'attr': {'dtype': {'type': 'DT_FLOAT'}}},
        {'name': 'n', 'op': 'Neg', 'input': ['x'], 'attr': {'T': {'type': 'DT_FLOAT'}}},
        {'name': 'c', 'op': 'Const', 'attr': {'dtype': {'type': 'DT_INT32'}, 'value': {
            'tensor': {'dtype': 'DT_INT32', 'tensorShape': {'dim': [{'size': '2'}]}, 'tensorContent': 'AQAAAAIAAAA='}}}}],
        'versions': {'producer': 134}}))
    for name in ('g.pbtxt', 'm.txt', 'g.json'):
        has(box.code('open %s\neval n:0 feed x=3.' % name), '-3.0')
    has(box.code('open g.json\neval c:0'), '[1 2]')


def unknown_op_graph():
    return (placeholder('x') + node('custom', 'MyOp', ['x'], kind(FLOAT), attr('level', f(3, 7))) +
            node('after', 'Neg', ['custom:1'], kind(FLOAT)) + node('beside', 'Exp', ['x'], kind(FLOAT)) + versions())


def test_unknown_ops(box):
    """A graph with an op that tensh does not have opens, and everything else in it runs."""
    box.put('g.pb', unknown_op_graph())
    out = box.code('open g.pb\neval beside:0 feed x=0.\nabout\nnodes where op == MyOp')
    has(out, '1.0', 'missing', 'MyOp (1 node)', 'custom')
    out = box.code('open g.pb\neval beside:0, after:0 feed x=0.', 1)
    has(out, 'NotFoundError', "'MyOp'", "'custom'", 'after:0', 'eval after:0 feed custom:1=VALUE')
    expect('beside' not in out.split('NotFoundError')[1].split('\n')[0], 'beside does not depend on it: ' + out)
    box.code('open g.pb\nsave h.pb')
    saved = [dict(fields(v)) for n, v in fields(box.get('h.pb')) if n == 1]
    custom = [v for n, v in fields(box.get('h.pb')) if n == 1 and dict(fields(v))[1] == b'custom'][0]
    attrs = sorted(dict(fields(v))[1] for n, v in fields(custom) if n == 5)
    expect(attrs == [b'T', b'level'], 'attributes %s' % attrs)
    expect(len(saved) == 4 and not any(n == 2 for n, _ in fields(box.get('h.pb'))), 'a library was written')
    has(box.code('g = tf.GraphDef()\ng.ParseFromString(open("g.pb", "rb").read())\ntf.import_graph_def(g)', 1), 'Op type not registered')
    # A fed node is not needed.
    has(box.code("open g.pb\neval after:0 feed custom:1=2."), '-2.0')


def test_large_equal_constants(box):
    """A constant of 1 GB whose elements are equal takes little memory until it is used, and is saved as one value."""
    tensor = f(1, FLOAT) + f(2, shape_of([1 << 28])) + varint(5 << 3 | 5) + struct.pack('<f', 2.5)
    c = node('c', 'Const', (), kind(FLOAT, 'dtype'), attr('value', f(8, tensor)))
    box.put('g.pb', c + versions())
    process = subprocess.Popen([box.tensh, '-c', 'open g.pb'], cwd=box.folder)
    _, status, usage = os.wait4(process.pid, 0)
    expect(status == 0, 'status %d' % status)
    expect(usage.ru_maxrss < (400000 if box.sanitized else 200000), 'it took %d kB' % usage.ru_maxrss)
    box.code('open g.pb\nsave h.pb')
    expect(len(box.get('h.pb')) < 1000, 'the saved graph has %d bytes' % len(box.get('h.pb')))
    box.put('i.pb', node('c', 'Const', (), kind(FLOAT, 'dtype'), attr('value', f(8, f(1, FLOAT) + f(2, shape_of([1 << 21])) +
                                                                              varint(5 << 3 | 5) + struct.pack('<f', 2.5)))) + versions())
    has(box.code('open i.pb\neval reduce_sum(tf.get_default_graph().get_tensor_by_name("c:0"))\nsave j.pb\nopen j.pb as again\n'
                 'v = tf.Variable(tf.get_default_graph().get_tensor_by_name("again/c:0"))\nrun v.initializer\nrun v[3:4].assign([0.])\n'
                 'eval v[:5]\neval again/c:0'), '5242880.0', '[2.5 2.5 2.5 0.  2.5]', '[2.5 2.5 2.5 ... 2.5 2.5 2.5]')


def test_unknown_elements(box):
    """A constant whose elements no tensor can hold is an error only where it is needed."""
    float8 = 26
    c = node('big', 'Const', (), kind(FLOAT, 'dtype'), attr('value', f(8, f(1, float8) + f(2, shape_of([1])) + f(4, b'\0'))))
    box.put('g.pb', placeholder('x') + c + node('n', 'Neg', ['x'], kind(FLOAT)) + node('a', 'AddV2', ['x', 'big'], kind(FLOAT)) + versions())
    has(box.code('open g.pb\neval n:0 feed x=1.'), '-1.0')
    has(box.code('open g.pb\neval a:0 feed x=1.', 1), 'UnimplementedError', "'big'", 'data type 26')
    has(box.code('open g.pb\neval a:0 feed x=1., big:0=5.'), '6.0')


def test_many_dimensions(box):
    """A constant may have 254 dimensions. Arrays have at most 32, so a value of more is fetched in another shape."""
    for rank in (9, 32, 33, 254):
        tensor = f(1, FLOAT) + f(2, shape_of([1] * (rank - 1) + [2])) + f(4, struct.pack('<2f', 2., 3.))
        c = node('c', 'Const', (), kind(FLOAT, 'dtype'), attr('value', f(8, tensor)))
        box.put('g.pb', placeholder('x') + c + node('a', 'AddV2', ['x', 'c'], kind(FLOAT)) + versions())
        has(box.code('open g.pb\nt = tf.get_default_graph().get_tensor_by_name("a:0")\neval reshape(t, [-1]) feed x=1.\n'
                     'save h.pb\nopen h.pb as again\neval reshape(tf.get_default_graph().get_tensor_by_name("again/a:0"), [-1]) feed again/x=2.'),
            '[3. 4.]', '[4. 5.]')
        if rank <= 32:
            has(box.code('open g.pb\neval a:0 feed x=1.'), '[' * rank + '3. 4.' + ']' * rank)
        else:
            has(box.code('open g.pb\neval a:0 feed x=1.', 1), 'ValueError', 'maximum supported dimension for an ndarray is 32, found %d' % rank,
                'tf.reshape')
    big = node('big', 'Const', (), kind(FLOAT, 'dtype'), attr('value', f(8, f(1, FLOAT) + f(2, shape_of([1] * 255)) + f(4, struct.pack('<f', 2.)))))
    box.put('g.pb', big + versions())
    has(box.code('open g.pb', 1), "'big'", 'rank 255 is not supported')


def test_gpu_placement(box):
    box.put('g.pb', placeholder('x') + node('n', 'Neg', ['x'], kind(FLOAT), device='/device:GPU:0') + versions())
    if 'GPU' in box.code('devices'):
        return
    has(box.run('g.pb').stdout, '/device:GPU:0', 'not here')
    has(box.code('open g.pb\neval n:0 feed x=1.'), '-1.0')
    # Also in the body of a function.
    inner = function('inner', [body(node('negated', 'Neg', ['x'], kind(FLOAT), device='/device:GPU:3'))], 'negated:y:0')
    box.put('f.pb', placeholder('x') + call('c', 'inner', ['x']) + f(2, inner) + versions())
    has(box.run('f.pb').stdout, '1 node requested /device:GPU:3, which is not here')
    has(box.code('open f.pb\neval c:0 feed x=1.'), '-1.0')


# ---- SavedModels ----

def simple_signature():
    return [('serving_default', signature({'x': info('x:0', [2**64 - 1, 2])}, {'y': info('n:0', [2**64 - 1, 2])}))]


def test_saved_model(box):
    box.put('m/saved_model.pb', saved_model(meta(SMALL, tags=['serve'], signatures=simple_signature())))
    done = box.run('m')
    has(done.stdout, 'a SavedModel', 'tags serve', 'TensorFlow 1.15.0', 'x f32[?,2]', 'eval model.serving_default(x=np.zeros([1, 2]))')
    line = [l for l in done.stdout.splitlines() if 'eval' in l][0].split('run')[1].strip()
    has(box.run('m', input=line).stdout, "{'y': array([[-0., -0.]], dtype=float32)}")
    report = json.loads(box.run('--json', 'm').stdout)
    expect(report['signatures']['serving_default']['inputs']['x']['shape'] == [None, 2], report)
    out = box.code("open m as net\nprint(net.serving_default([[1., 2.]])['y'], net['n'].name)")
    has(out, '[[-1. -2.]] net/n:0')
    has(box.code('open m as net\neval net.serving_defualt(x=1.)', 1), "did you mean 'serving_default'")
    # Verbs that look at steps take a call as the step that it runs.
    has(box.code('open m as net\nexplain net.serving_default(x=[[1., 2.]])'), 'net/n', '④ partitions')
    has(box.code('open m as net\nbench net([[1., 2.]]) times 3\nrun net([[1., 2.]])\nwhy net/n'), '3 steps', '[[-1. -2.]]', 'Neg')
    has(box.code('open m as net\nbench net.serving_default(y=1.)', 1), "no input 'y'", '    bench net.serving_default(y=1.)')
    has(box.code('open m as net\neval net.serving_default(y=1.)', 1), "no input 'y'")
    has(box.code('open m as net\neval net.serving_default()', 1), 'Type: eval net.serving_default(x=np.zeros([1, 2]))')
    has(box.code('x = 3\nn = 4\nopen m as net\neval net/n feed net/x=[[1., 2.]]'), '[[-1. -2.]]')
    has(box.code("open m as net\nnet['nn']", 1), "no tensor 'nn'", 'it has n, x')
    expect(box.code('open m') == '', 'open prints in a script')
    has(box.code('about', 1), 'nothing was opened yet')


def functional_model(depth=0):
    """y = exp(-x) in a function that calls another; with a depth, a tree of 2^depth calls."""
    inner = function('inner', [body(node('negated', 'Neg', ['x'], kind(FLOAT)))], 'negated:y:0')
    outer = function('outer', [body(call('again', 'inner', ['x'])), body(node('grown', 'Exp', ['again:output:0'], kind(FLOAT)))], 'grown:y:0')
    library = inner + outer
    for i in range(depth):
        calls = [body(call('a', 'tree%d' % (i - 1) if i else 'inner', ['x'])), body(call('b', 'tree%d' % (i - 1) if i else 'inner', ['x'])),
                 body(node('sum', 'AddV2', ['a:output:0', 'b:output:0'], kind(FLOAT)))]
        library += function('tree%d' % i, calls, 'sum:z:0')
    graph = placeholder('x') + call('call', 'tree%d' % (depth - 1) if depth else 'outer', ['x']) + f(2, library) + versions()
    sign = [('serving_default', signature({'x': info('x:0', [])}, {'y': info('call:0', [])}))]
    return saved_model(meta(graph, tags=['serve'], signatures=sign))


def test_inside_functions(box):
    """The tensors inside of the functions of a model are found by name."""
    box.put('m/saved_model.pb', functional_model())
    has(box.run('m').stdout, "model.serving_default['NAME']", 'in 2 functions')
    out = box.code("""open m
eval model.serving_default(x=0.)
eval model.serving_default['negated'] feed x=3.
eval model.serving_default['negated'] feed x=4.
print(model.serving_default._ipython_key_completions_())
y = model.serving_default['grown']
explain y feed x=1.
print(y.name)""")
    has(out, "{'y': 1.0}", '-3.0\n-4.0', "['negated', 'grown']", 'serving_default/negated', 'Neg', 'serving_default/grown:0')
    has(box.code("open m\nmodel.serving_default['negate']", 1), "did you mean 'negated'")
    has(box.code('open m\nlist(model)', 1), "model[NAME] takes the name of a tensor or a signature, such as model['layer/add'], not 0")
    has(box.code("open m as a\nopen m as b\neval b.serving_default['negated'] feed b/x=5."), '-5.0')
    box.put('t/saved_model.pb', functional_model(30))
    if not box.sanitized:  # 100,000 nodes take minutes then
        has(box.code("open t\nmodel.serving_default['negated']", 1), 'ResourceExhaustedError', 'more than 100000 nodes')


def test_tags(box):
    train, serve = node('train_only', 'NoOp'), node('serve_only', 'NoOp')
    box.put('m/saved_model.pb', saved_model(meta(train, tags=['train']), meta(serve, tags=['serve'])))
    has(box.code('open m\nnodes'), 'serve_only')
    has(box.code('open m tags train\nnodes'), 'train_only')
    has(box.code('open m tags train as t\nnodes'), 't/train_only')
    has(box.code('open m tags gpu', 1), 'no graph with the tags gpu', 'train | serve', 'open m tags train')
    box.put('n/saved_model.pb', saved_model(meta(train, tags=['a']), meta(serve, tags=['b', 'c'])))
    has(box.code('open n', 1), 'a | b c', 'open n tags a')
    has(box.code('open n tags b, c\nnodes'), 'serve_only')


def test_saved_model_text(box):
    box.put('m/saved_model.pbtxt', 'saved_model_schema_version: 1\nmeta_graphs { meta_info_def { tags: "serve" } graph_def { node { name: "c" '
            'op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT '
            'tensor_shape { } float_val: 2.0 } } } } versions { producer: 1087 } } signature_def { key: "s" value { outputs { key: "c" '
            'value { name: "c:0" dtype: DT_FLOAT } } } } }\n')
    has(box.code('open m\neval model.s()'), "{'c': 2.0}")


def test_lost_parts(box):
    """A model whose files are incomplete says so."""
    box.code("s = tf.Session()\nv = tf.Variable([1., 2.], name='v')\ns.run(v.initializer)\n"
             "tf.saved_model.simple_save(s, 'm', {'x': v}, {'y': v * 2.})")
    has(box.run('m').stdout, 'variables   1 with 2 numbers, 8 B')
    shutil.rmtree(os.path.join(box.folder, 'm', 'variables'))
    has(box.run('m').stdout, 'the variables have no values', 'variables.index does not exist')


def test_assets(box):
    """A model may not name files outside of its folder, and its initializer may not use files of its own choice."""
    def model(name):
        asset = f(1, f(1, 'x:0')) + f(2, name)
        return saved_model(meta(SMALL, tags=['serve'], assets=[asset]))
    for name in ('../../secret', '/etc/hostname', 'a/../../b'):
        box.put('m/saved_model.pb', model(name))
        has(box.code('open m', 1), 'outside of its folder')
    box.put('m/saved_model.pb', model('words.txt'))
    has(box.run('m').stdout, 'missing: m/assets/words.txt')
    text = lambda name, value: node(name, 'Const', (), kind(STRING, 'dtype'), attr('value', f(8, f(1, STRING) + f(2, b'') + f(8, value))))
    writes = text('where', 'stolen.txt') + text('what', 'x') + node('init', 'WriteFile', ['where', 'what']) + versions()
    box.put('w/saved_model.pb', saved_model(meta(writes, [('saved_model_main_op', f(1, f(1, 'init')))], tags=['serve'])))
    has(box.run('w').stdout, 'initializer was not run', 'WriteFile')
    expect(not os.path.exists(os.path.join(box.folder, 'stolen.txt')), 'the initializer wrote a file')


def test_save_assets(box):
    """The files that fill the tables of a model are copied when it is saved again: those of a collection, and those of TF 2, whose
    initializer assigns their path to a variable."""
    box.put('words.txt', 'the\ncat\n')
    box.code('''words = tf.constant('words.txt')
tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, words)
table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(words, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE,
                                  tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER), -1)
x = tf.placeholder(tf.string, [None], name='x')
with tf.Session() as s:
    s.run(tf.tables_initializer())
    tf.saved_model.simple_save(s, 'one', {'x': x}, {'y': table.lookup(x)}, tf.tables_initializer())''')
    handle = node('v', 'VarHandleOp', (), kind(STRING, 'dtype'), attr('shape', f(7, b'')), attr('shared_name', f(2, 'v')))
    types = attr('key_dtype', f(6, STRING)) + attr('value_dtype', f(6, 9))
    graph = placeholder('path', (), STRING) + placeholder('x', [-1], STRING) + handle + node(
        'v/Assign', 'AssignVariableOp', ['v', 'path'], kind(STRING, 'dtype')) + node(
        'read', 'ReadVariableOp', ['v', '^v/Assign'], kind(STRING, 'dtype')) + node('t', 'HashTableV2', (), types) + node(
        'fill', 'InitializeTableFromTextFileV2', ['t', 'read'], attr('key_index', f(3, -2)), attr('value_index', f(3, -1))) + node(
        'init', 'NoOp', ['^fill']) + node('no', 'Const', (), kind(9, 'dtype'), attr('value', f(8, f(1, 9) + f(2, b'') + f(10, -1)))) + node(
        'y', 'LookupTableFindV2', ['t', 'x', 'no'], attr('Tin', f(6, STRING)), attr('Tout', f(6, 9))) + versions()
    sign = [('serving_default', signature({'x': info('x:0', [-1], STRING)}, {'y': info('y:0', [-1], 9)}))]
    box.put('two/saved_model.pb', saved_model(meta(graph, [('saved_model_main_op', f(1, f(1, 'init')))], tags=['serve'], signatures=sign,
                                                   assets=[f(1, f(1, 'path:0')) + f(2, 'words.txt')])))
    box.put('two/assets/words.txt', 'the\ncat\n')
    os.remove(os.path.join(box.folder, 'words.txt'))
    for name in ('one', 'two'):
        box.code('open %s as m\nsave copy/' % name)
        shutil.rmtree(os.path.join(box.folder, name))
        has(box.code("open copy/ as m\nsave copy/\nprint(m(x=['cat', 'dog'])['y'])"), '[ 1 -1]')


def test_variables_without_objects(box):
    """Variables that have neither a Python object nor nodes that read and assign them, as in a model of TF 2, are saved and
    loaded whole."""
    handle = lambda name: node(name, 'VarHandleOp', (), kind(FLOAT, 'dtype'), attr('shape', f(7, shape_of([2]))), attr('shared_name', f(2, name)))
    box.put('g.pb', handle('a') + handle('b') + handle('never') + versions())
    out = box.code('''open g.pb
for name, value in (('a', [1., 2.]), ('b', [3., 4.])):
    run tf.raw_ops.AssignVariableOp(resource=tf.get_default_graph().get_tensor_by_name(name + ':0'), value=value)
nodes = len(tf.get_default_graph().get_operations())
save ck
print(tf.train.list_variables('ck'))
print(len(tf.get_default_graph().get_operations()) - nodes)''')
    has(out, "[('a', [2]), ('b', [2])]", '\n0\n')
    has(box.code('''open g.pb
load ck
eval tf.raw_ops.ReadVariableOp(resource=tf.get_default_graph().get_tensor_by_name('b:0'), dtype=tf.float32)'''), '[3. 4.]')


def test_originals_of_variables(box):
    """A signature uses the variable w. The model's own function restores only the variable copy, whose initial value is w, as in the
    models that Keras 3 saves."""
    handle = lambda name: node(name, 'VarHandleOp', (), kind(FLOAT, 'dtype'), attr('shape', f(7, shape_of([2]))), attr('shared_name', f(2, name)))
    read = lambda name, of: node(name, 'ReadVariableOp', [of], kind(FLOAT, 'dtype'))
    types = lambda *dtypes: f(1, b''.join(f(6, t) for t in dtypes))
    texts = lambda name: body(node(name, 'Const', (), kind(STRING, 'dtype'), attr('value', f(8, f(1, STRING) + f(2, shape_of([1])) + f(8, '' if name == 'part' else 'c')))))
    arg = lambda name, dtype: f(2, f(1, name) + f(3, dtype))
    restoring = f(1, f(1, f(1, 'restoring') + arg('prefix', STRING) + arg('copy', RESOURCE)) + b''.join(f(3, n) for n in (
        texts('key'), texts('part'), body(node('read', 'RestoreV2', ['prefix', 'key:output:0', 'part:output:0'], attr('dtypes', types(FLOAT)))),
        body(node('assign', 'AssignVariableOp', ['copy', 'read:tensors:0'], kind(FLOAT, 'dtype'))))) + f(6, f(1, 'done') + f(2, 'assign')))
    graph = handle('w') + handle('copy') + read('initial', 'w') + node('assign', 'AssignVariableOp', ['copy', 'initial'], kind(FLOAT, 'dtype')) + read(
        'y', 'w') + placeholder('saver_filename', [], STRING) + node('restore', 'StatefulPartitionedCall', ['saver_filename', 'copy'], attr('Tin', types(
            STRING, RESOURCE)), attr('Tout', types()), attr('f', f(10, f(1, 'restoring')))) + f(2, restoring) + versions()
    saver = f(3, f(1, 'saver_filename:0') + f(2, 'saver_filename:0') + f(3, 'restore') + f(7, 2))
    box.put('m/saved_model.pb', saved_model(meta(graph, tags=['serve'], signatures=[('serving_default', signature({}, {'y': info('y:0', [2])}))], saver=saver)))
    os.mkdir(os.path.join(box.folder, 'm/variables'))
    checkpoint(os.path.join(box.folder, 'm/variables/variables'), {'c': [1., 2.]})
    checkpoint(os.path.join(box.folder, 'other'), {'c': [9., 2.]})
    has(box.run('m', '-c', 'eval model.serving_default()').stdout, "'y': array([1., 2.]")
    has(box.run('m', '-c', 'load other', '-c', 'eval y').stdout, '[9. 2.]')
    has(box.code('open m as n\neval n/y'), '[1. 2.]')
    # Two models have variables of their own, also if the names are the same in their files.
    has(box.code('open m as a\nopen m as b\nrun tf.raw_ops.AssignVariableOp(resource=tf.get_default_graph().get_tensor_by_name("a/w:0"), value=[5., 6.])\n'
                 'eval a/y\neval b/y'), '[5. 6.]', '[1. 2.]')
    has(box.run('m', '-c', 'save again/', '-c', 'open again as a', '-c', 'eval a/y').stdout, '[1. 2.]')


def test_freeze_loops(box):
    """A loop of TF 2, whose functions get the handles of variables and gather their rows, is frozen: the copies of the functions get
    the values."""
    def one(name, op, inputs='', **types):
        return 'name: "%s" op: "%s" %s %s' % (name, op, ' '.join('input: "%s"' % i for i in inputs.split()), ' '.join(
            'attr { key: "%s" value { type: DT_%s } }' % row for row in types.items()))

    def const(name, value):
        return one(name, 'Const', dtype='FLOAT') + ' attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: %s } } }' % value

    def made(name, result, nodes, kind, source):
        arg = lambda n, t: '{ name: "%s" type: DT_%s }' % (n, t)
        outs = [(result, kind, source)] + [('w', 'RESOURCE', 'pass:output:0')] * (kind == 'FLOAT')
        return 'function { signature { name: "%s" input_arg %s input_arg %s %s } %s %s }' % (
            name, arg('a', 'FLOAT'), arg('v', 'RESOURCE'), ' '.join('output_arg ' + arg(n, t) for n, t, _ in outs),
            ' '.join('node_def { %s }' % n for n in nodes), ' '.join('ret { key: "%s" value: "%s" }' % (n, s) for n, _, s in outs))
    handle = one('v', 'VarHandleOp', dtype='FLOAT') + ' attr { key: "shape" value { shape { dim { size: 2 } } } }'
    index = one('at', 'Const', dtype='INT32') + ' attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 1 } } }'
    loop = one('loop', 'While', 'x v') + ' attr { key: "T" value { list { type: DT_FLOAT type: DT_RESOURCE } } } attr { key: "cond" ' \
        'value { func { name: "test" } } } attr { key: "body" value { func { name: "step" } } }'
    functions = made('test', 'r', [const('most', 100), one('less', 'Less', 'a most:output:0', T='FLOAT')], 'BOOL', 'less:z:0') + made(
        'step', 'b', [one('read', 'ReadVariableOp', 'pass:output:0', dtype='FLOAT'), one('pass', 'Identity', 'v', T='RESOURCE'), index,
                      one('row', 'ResourceGather', 'v at:output:0', dtype='FLOAT', Tindices='INT32'),
                      one('mul', 'Mul', 'a row:output:0', T='FLOAT'), const('axis', 0).replace('FLOAT', 'INT32').replace('float_val', 'int_val'),
                      one('sum', 'Sum', 'read:value:0 axis:output:0', T='FLOAT', Tidx='INT32'),
                      one('add', 'AddV2', 'mul:z:0 sum:output:0', T='FLOAT')], 'FLOAT', 'add:z:0')
    box.put('g.pbtxt', ' '.join('node { %s }' % n for n in (one('x', 'Placeholder', dtype='FLOAT'), handle, loop, one('y', 'Neg', 'loop', T='FLOAT')))
            + ' library { %s } versions { producer: 1087 }' % functions)
    out = box.code('''open g.pbtxt
run tf.raw_ops.AssignVariableOp(resource=tf.get_default_graph().get_tensor_by_name('v:0'), value=[1., 3.])
eval y:0 feed x=2.
save f.pb y frozen
verify y on /cpu:1 feed x=2.''')
    has(out, '-106.0', 'all agree exactly')
    out = box.code('open f.pb\neval y:0 feed x=2.\nnodes')
    has(out, '-106.0')
    expect('VarHandleOp' not in out, out)


def test_object_arrays(box):
    head = b"{'descr': '|O', 'fortran_order': False, 'shape': (2,), }\n"
    box.put('o.npy', b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head + b'\x80\x04N.')
    has(box.code('open o.npy', 1), 'Object arrays cannot be loaded', 'np.savez')


def test_save_functions(box):
    """A model of TF 2 whose function reads a variable is written as a SavedModel and as ONNX; both compute the same."""
    handle = node('v', 'VarHandleOp', (), kind(FLOAT, 'dtype'), attr('shape', f(7, shape_of([2]))), attr('shared_name', f(2, 'v')))
    inner = function('inner', [body(node('scaled', 'Mul', ['x', 'x'], kind(FLOAT)))], 'scaled:z:0')
    graph = placeholder('x') + handle + node('value', 'ReadVariableOp', ['v'], kind(FLOAT, 'dtype')) + call('call', 'inner', ['x']) + node(
        'y', 'AddV2', ['call', 'value'], kind(FLOAT)) + f(2, inner) + versions()
    sign = [('serving_default', signature({'x': info('x:0', [2])}, {'out': info('y:0', [2])}))]
    box.put('m/saved_model.pb', saved_model(meta(graph, tags=['serve'], signatures=sign)))
    box.code('''open m
run tf.raw_ops.AssignVariableOp(resource=tf.get_default_graph().get_tensor_by_name('v:0'), value=[10., 20.])
save copy/
save frozen/ frozen
save m.onnx
save m.npz''')
    for name in ('copy/', 'frozen/', 'm.onnx'):
        has(box.code('open %s as n\neval n(x=[2., 3.])' % name), "{'out': array([14., 29.], dtype=float32)}")
    has(box.code("print(np.load('m.npz')['v'])"), '[10. 20.]')
    has(box.code('verify copy/ m.onnx'), 'all agree exactly')
    has(box.code('verify "copy/" \'m.onnx\''), 'all agree exactly')
    box.code("""x = tf.placeholder(tf.float32, [2], name='x')
y = tf.nn.relu(x, name='y')
unused = [tf.exp(x, name='unused'), tf.exp(y, name='later')]
save ends.pb
save one/ y""")
    has(box.code('verify one/ ends.pb'), 'all agree exactly')
    train = """open copy/ as n --trainable
train = tf.train.GradientDescentOptimizer(.25).minimize(tf.reduce_sum(tf.square(n['y'])))
run tf.global_variables_initializer()
print([v.name for v in tf.trainable_variables()], n(x=[2., 3.]))
run train feed n/x=[2., 3.]
print(n(x=[2., 3.]))"""
    trained = "['n/v:0'] {'out': array([14., 29.], dtype=float32)}\n{'out': array([ 7. , 14.5], dtype=float32)}"
    has(box.code(train), trained)
    with open(os.path.join(box.folder, 'copy/saved_model.pb'), 'rb') as written:
        whole = dict(fields(written.read()))[2]
    bare = b''.join(f(number, value) for number, value in fields(whole) if number != 4)  # without collections, as TensorFlow 2 writes it
    for trainable in (0, 1):
        box.put('tf2/saved_model.pb', saved_model(bare + f(7, f(1, f(7, f(3, trainable) + f(6, 'v'))))))
        shutil.copytree(os.path.join(box.folder, 'copy/variables'), os.path.join(box.folder, 'tf2/variables'), dirs_exist_ok=True)
        out = box.code(train.replace('copy/', 'tf2/'), 0 if trainable else 1)
        has(out, trained if trainable else 'tf2/ has variables, and none that can be trained')
    has(box.code('open copy/ as m\nnodes'), 'VarHandleOp')


# ---- checkpoints ----

def test_misspelled_format(box):
    has(box.code('x = tf.placeholder(tf.float32, [2], name="x")\ny = tf.negative(x, name="y")\nsave a.tflit y', 1),
        'did you mean .tflite? Type: save a.tflite y')
    for name, meant in (('a.onx', '.onnx'), ('a.pbtxtt', '.pbtxt'), ('a.safetensor', '.safetensors')):
        has(box.code('v = tf.Variable([1.])\nsave ' + name, 1), 'did you mean %s?' % meant)
    box.code('v = tf.Variable([1.])\nrun v.initializer\nsave a.ckpt\nsave a.v2\nsave model.ckpt-1000\nsave a.npz')


def test_several_signatures(box):
    """A model of TensorFlow Lite has all signatures that can be written, and their common constants once."""
    w = node('w', 'Const', (), kind(FLOAT, 'dtype'), attr('value', f(8, f(1, FLOAT) + f(2, shape_of([256])) + f(4, bytes(1020) + struct.pack('<f', 7)))))
    graph = placeholder('x', (2**64 - 1, 256)) + w + node('a', 'AddV2', ['x', 'w'], kind(FLOAT)) + node('b', 'Mul', ['x', 'w'], kind(FLOAT)) + \
        node('c', 'Digamma', ['x'], kind(FLOAT)) + versions()
    ends = lambda name: signature({'x': info('x:0', [2**64 - 1, 256])}, {'y': info(name + ':0', [2**64 - 1, 256])})
    box.put('m/saved_model.pb', saved_model(meta(graph, tags=['serve'], signatures=[
        ('add', ends('b')), ('serving_default', ends('a')), ('train', ends('c'))])))
    has(box.code('open m as m\nsave m.tflite\nopen m.tflite as t\nv = np.ones([1, 256], np.float32)\n'
        'print(dir(t), t.add(v)["y"][0, -2:], t.serving_default(v)["y"][0, -2:])'), "['add', 'serving_default'] [0. 7.] [1. 8.]")
    expect(len(box.get('m.tflite')) < 2000 + 1024, 'the constant is there twice')
    has(box.code('open m as m\nsave m.tflite m.train', 1), 'Digamma')
    box.code('open m as m\nsave m.tflite m.add')
    has(box.code('open m.tflite as t\nprint(dir(t))'), "['add']")


def test_load_says_what_a_file_is(box):
    box.put('m.h5', b'\x89HDF\r\n\x1a\n' + bytes(100))
    has(box.code("v = tf.Variable(1., name='v')\nload m.h5", 1), 'm.h5 is not a valid HDF5 file: ')
    has(box.code("v = tf.Variable(1., name='v')\nload none", 1), 'there is no none.index')


def test_folder_without_list(box):
    """A folder whose list of checkpoints was not copied, and a prefix that ends with the slash of the folder."""
    for folder in ('a', 'b', 'empty'):
        os.mkdir(os.path.join(box.folder, folder))
    checkpoint(os.path.join(box.folder, 'a/model.ckpt-9'), {'v': [7.]})
    checkpoint(os.path.join(box.folder, 'b/'), {'v': [5.]})
    start = "v = tf.Variable([1.], name='v')\n"
    has(box.code(start + 'load a\neval v'), '[7.]')
    has(box.code(start + 'load b/\neval v'), '[5.]')
    has(box.code(start + 'load b\neval v'), '[5.]')
    has(box.code(start + 'load empty', 1), 'no checkpoint in empty')


def test_compressed_index(box):
    checkpoint(os.path.join(box.folder, 'ck'), {'layer/%d/kernel' % i: [i, i + .5] for i in range(40)}, packed=True)
    has(box.code("print(tf.train.load_variable('ck', 'layer/7/kernel'), len(tf.train.list_variables('ck')))"), '[7.  7.5] 40')
    has(box.run('ck.index').stdout, '40 with 80 numbers, 320 B', 'layer/0/kernel  f32[2]', 'load ck')
    data = bytearray(box.get('ck.index'))
    data[10] ^= 0xff
    box.put('bad.index', bytes(data))
    has(box.code("tf.train.list_variables('bad')", 1), 'DataLossError')


def test_slices(box):
    """Partitioned tensors are listed whole, read whole and in parts, and merged."""
    out = box.code('''save = lambda prefix, names, parts, values: tf.raw_ops.SaveV2(prefix=prefix, tensor_names=names, shape_and_slices=parts, tensors=values)
run save('ck', ['p', 'q', 'p'], ['3 4 0,2:-', '', '3 4 2,1:-'], [np.arange(8.).reshape(2, 4), [1.], np.arange(8., 12.).reshape(1, 4)])
print(tf.train.list_variables('ck'))
print(tf.train.load_variable('ck', 'p').tolist())
eval tf.raw_ops.RestoreV2(prefix='ck', tensor_names=['p', 'p'], shape_and_slices=['3 4 2,1:-', '3 4 1,2:1,2'], dtypes=[tf.float64, tf.float64])
run save('part1', ['p'], ['3 4 0,2:-'], [np.zeros([2, 4])])
run save('part2', ['p'], ['3 4 2,1:-'], [np.ones([1, 4])])
run tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=['part1', 'part2'], destination_prefix='merged')
print(tf.train.load_variable('merged', 'p').sum(), tf.train.list_variables('merged'))
words = [['a', 'b'], ['c', 'd']]
run save('s', ['w', 'w'], ['2 2 0,1:-', '2 2 1,1:-'], [words[:1], words[1:]])
print(tf.train.load_variable('s', 'w').tolist())''')
    has(out, "[('p', [3, 4]), ('q', [1])]", '[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0]]',
        '[[ 8.,  9., 10., 11.]]', '[ 9., 10.]', "4.0 [('p', [3, 4])]", "[[b'a', b'b'], [b'c', b'd']]")
    has(box.code("run tf.raw_ops.SaveV2(prefix='x', tensor_names=['p'], shape_and_slices=['3 4 0,1:-'], tensors=[np.zeros([1, 4])])\n"
                 "tf.train.load_variable('x', 'p')", 1), 'DataLossError', '4 elements together')


# ---- other files ----

def test_arrays(box):
    box.code('np.save("a.npy", np.arange(6.).reshape(2, 3))\nnp.savez("b.npz", w=np.ones([2, 2]), b=np.zeros([3]))')
    has(box.run('a.npy').stdout, 'a numpy array', 'f64[2,3]')
    has(box.code("open a.npy as a\nprint(a['array'].sum())"), '15.0')
    has(box.run('b.npz').stdout, 'w  f64[2,2]', 'b  f64[3]')
    head = json.dumps({'w': {'dtype': 'F32', 'shape': [2, 2], 'data_offsets': [0, 16]}, 'h': {'dtype': 'BF16', 'shape': [2], 'data_offsets': [16, 20]},
                       '__metadata__': {'format': 'pt'}}).encode()
    body = struct.pack('<4f', 1, 2, 3, 4) + struct.pack('<2H', 0x3f80, 0xc000)
    box.put('c.safetensors', struct.pack('<Q', len(head)) + head + body)
    has(box.run('c.safetensors').stdout, 'weights in safetensors', 'w  f32[2,2]')
    has(box.code("open c.safetensors as c\nprint(c['w'].tolist(), c['h'].tolist())"), '[[1.0, 2.0], [3.0, 4.0]] [1.0, -2.0]')
    has(box.code("open c.safetensors as c\nc['x']", 1), "no array 'x'")
    box.code('np.save("h.npy", tf.Session().run(tf.constant([1., -2.], tf.bfloat16)))')
    has(box.code("open h.npy as h\nprint(h['array'], h['array'].dtype)"), '[ 1. -2.] bfloat16')
    expect(b"'<V2'" in box.get('h.npy') and box.get('h.npy').endswith(struct.pack('<2H', 0x3f80, 0xc000)), 'bfloat16 is not written as ml_dtypes does')
    lies = head.replace(b'[2, 2]', b'[9, 9]')
    box.put('d.safetensors', struct.pack('<Q', len(lies)) + lies + body)
    has(box.code('open d.safetensors', 1), 'does not fit its shape')
    head = json.dumps({'e': {'dtype': 'F8_E4M3', 'shape': [3], 'data_offsets': [0, 3]}}).encode()
    box.put('f.safetensors', struct.pack('<Q', len(head)) + head + b'\x38\xc0\x7e')
    index = lambda **names: json.dumps({'metadata': {'total_size': 23}, 'weight_map': names})
    box.put('model.safetensors.index.json', index(w='c.safetensors', h='c.safetensors', e='f.safetensors'))
    has(box.run('model.safetensors.index.json').stdout, 'weights in several safetensors files', 'e  f32[3]', 'w  f32[2,2]')
    has(box.run('model.safetensors.index.json', '-c', "print(data['e'].tolist(), data['h'].tolist())").stdout, '[1.0, -2.0, 448.0] [1.0, -2.0]')
    for names, what in (({'w': 'absent.safetensors'}, 'download it into the same folder'), ({'w': '../c.safetensors'}, 'not in the folder'),
                        ({'x': 'c.safetensors'}, 'says that x is in c.safetensors'), ({'w': 'a.npy'}, 'is a numpy array'), ({'w': 3}, 'not a valid')):
        box.put('bad.index.json', index(**names))
        has(box.code('open bad.index.json', 1), what)
    box.put('e.csv', 'name,height\nann,1.5\nbob,2\n')
    has(box.code("open e.csv as e\nprint(e['height'].tolist(), e['name'].tolist())"), "[1.5, 2.0] ['ann', 'bob']")


def peak(box, *codes):
    """Runs code, and returns what it prints and the peak memory of the process in bytes."""
    status = "print('PEAK', open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
    done = box.run(*[arg for code in codes + (status,) for arg in ('-c', code)])
    expect(done.returncode == 0, done.stdout + done.stderr)
    text, size = done.stdout.split('PEAK ')
    return text, int(size) * 1024


def test_large_weights(box):
    """Weights are held once: opening needs less than half of their size beyond them. Arrays are read when they are used."""
    rows = 16000
    line = struct.pack('<1024f', *[i % 7 for i in range(1024)])
    data = line * rows  # 65 MB
    tensor = f(1, FLOAT) + f(2, shape_of([rows, 1024])) + f(4, data)
    const = node('w', 'Const', (), kind(FLOAT, 'dtype'), attr('value', f(8, tensor)))
    graph = const + placeholder('i', []) + node('n', 'Neg', ['w'], kind(FLOAT)) + versions()
    box.put('graph.pb', graph)
    box.put('saved/saved_model.pb', saved_model(meta(graph, tags=['serve'])))
    box.put('graph.meta', meta(graph))
    onnx_tensor = f(1, rows) + f(1, 1024) + f(2, 1) + f(8, 'w') + f(9, data)
    io = f(1, 'y') + f(2, f(1, f(1, 1)))
    onnx = f(1, f(1, 'w') + f(2, 'y') + f(4, 'Identity')) + f(2, 'g') + f(5, onnx_tensor) + f(12, io)
    box.put('model.onnx', f(1, 8) + f(8, f(1, '') + f(2, 13)) + f(7, onnx))
    head = json.dumps({n: {'dtype': 'F32', 'shape': [rows, 1024], 'data_offsets': [0, len(data)]} for n in 'wv'}).encode()
    box.put('a.safetensors', struct.pack('<Q', len(head)) + head + data)
    npy = b"{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 1024), }" % rows
    npy = b'\x93NUMPY\x01\x00' + struct.pack('<H', len(npy) + 1) + npy + b'\n' + data
    with zipfile.ZipFile(os.path.join(box.folder, 'a.npz'), 'w') as archive:
        archive.writestr('w.npy', npy)
    limit = len(data) * (4 if box.sanitized else 1.5) + (600e6 if box.sanitized else 30e6)
    for name, text in (('graph.pb', 'eval w[15999, 8]'), ('saved', 'eval w[15999, 8]'), ('graph.meta', 'eval w[15999, 8]'),
                       ('model.onnx', 'eval w[15999, 8]'), ('a.safetensors as d', "print(d['w'][15999, 8])"),
                       ('a.npz as d', "print(d['w'][15999, 8])")):
        output, memory = peak(box, 'open ' + name, text)
        expect(output.strip().endswith('1.0'), output)
        expect(memory < limit, '%s needs %.0f MB for %.0f MB of weights' % (name, memory / 1e6, len(data) / 1e6))
    for name in ('a.safetensors', 'a.npz'):
        output, memory = peak(box, 'open %s as d' % name)
        expect(memory < (600e6 if box.sanitized else 40e6), '%s is read when it is opened: %.0f MB' % (name, memory / 1e6))
    # What changes after it was opened is not mixed with what was opened.
    has(box.code("open a.safetensors as d\nopen('a.safetensors', 'ab').write(b'x')\nd['w']", 1), 'changed since it was opened')


def test_pictures_and_sound(box):
    box.code("with tf.Session() as s:\n    open('p.png', 'wb').write(s.run(tf.image.encode_png(tf.ones([4, 5, 3], tf.uint8))))")
    box.put('picture-without-ending', box.get('p.png'))
    has(box.run('picture-without-ending').stdout, 'a PNG image', 'image  u8[4,5,3]')
    samples = struct.pack('<4h', 0, 16384, -16384, 32767)
    box.put('s.wav', b'RIFF' + struct.pack('<I', 36 + 8) + b'WAVEfmt ' + struct.pack('<IHHIIHH', 16, 1, 1, 8000, 16000, 2, 16) + b'data' +
            struct.pack('<I', 8) + samples)
    has(box.run('s.wav').stdout, 'WAV', '8000 samples a second', 'audio  f32[4,1]')


def test_pictures_as_inputs(box):
    """The error about an image of another form says how to change it."""
    many = 2**64 - 1
    for name, shape in (('last', [many, many, many, 3]), ('first', [many, 3, many, many]), ('fixed', [many, 4, 4, 3])):
        ends = signature({'x': info('x:0', shape)}, {'y': info('n:0', shape)})
        graph = placeholder('x', shape) + node('n', 'Neg', ['x'], kind(FLOAT)) + versions()
        box.put(name + '/saved_model.pb', saved_model(meta(graph, tags=['serve'], signatures=[('serve', ends)])))
    box.code('with open("i.png", "wb") as f: f.write(tf.Session().run(tf.image.encode_png(tf.zeros([5, 6, 3], tf.uint8))))')
    for name, change in (('last', 'X[None] / 255.'), ('first', 'np.transpose(X, [2, 0, 1])[None] / 255.'),
                         ('fixed', 'tf.Session().run(tf.image.resize(X[None], [4, 4])) / 255.')):
        has(box.code('open %s as m\nopen i.png as i\neval m.serve(i)' % name, 1), 'give it as %s,' % change)
        box.code('open %s as m\nopen i.png as i\nX = i["image"]\neval m.serve(%s)' % (name, change))


def test_events(box):
    box.code("w = tf.summary.FileWriter('logs')\nfor i in range(3):\n    w.add_summary(tf.Summary(value=[tf.Summary.Value(tag='loss', simple_value=i)]), i)\nw.close()")
    name = 'logs/' + os.listdir(os.path.join(box.folder, 'logs'))[0]
    has(box.run(name).stdout, 'an event file of TensorBoard', 'loss  f64[3,2]')
    has(box.code("open '%s' as e\nprint(e['loss'][:, 1].tolist())" % name), '[0.0, 1.0, 2.0]')


def test_foreign_formats(box):
    """A file that cannot be opened is named, with what to do."""
    def archive(*names):
        path = os.path.join(box.folder, 'archive')
        with zipfile.ZipFile(path, 'w') as z:
            for name in names:
                z.writestr(name, b'x')
        return box.get('archive')
    cases = {
        'm.h5': (b'\x89HDF\r\n\x1a\n' + bytes(100), 'm.h5 is not a valid HDF5 file: '),
        'm.gguf': (b'GGUF\3\0\0\0' + bytes(100), 'GGUF'),
        'm.pt': (archive('m/data.pkl', 'm/code/__torch__.py', 'm/constants.pkl'), 'TorchScript', 'torch.onnx.export'),
        'w.pth': (archive('w/data.pkl', 'w/data/0', 'w/version'), 'PyTorch'),
        'm.keras': (archive('metadata.json', 'config.json', 'model.weights.h5'), 'm.keras: its config.json is not JSON'),
        'a.zip': (archive('readme.txt'), 'zip archive', 'unzip'),
        'm.pkl': (b'\x80\x04\x95\x05\0\0\0\0\0\0\0]\x94.', 'pickle', 'run any code'),
        'm.gz': (b'\x1f\x8b\x08\0\0\0\0\0', 'gzip'),
        'model.json': ('{"format": "layers-model", "modelTopology": {}, "weightsManifest": []}', 'TensorFlow.js'),
        'zeros.pb': (bytes(1000), 'zeros'), 'empty.pb': (b'', 'empty file'), 'lfs.pb': ('version https://git-lfs.github.com/spec/v1\n', 'Git LFS'),
        'm.xml': ('<?xml version="1.0"?>\n<net name="m" version="11"/>\n', 'OpenVINO'), 'm.param': ('7767517\n3 3\n', 'ncnn'),
        'm.pdmodel': (b'\x0a\x18\x08\0\x10' + bytes([255] * 9) + b'\1' + bytes(11), 'PaddlePaddle', 'paddle2onnx'),
        'm.txt': ('ir_version: 8\nopset_import { version: 17 }\n', 'ONNX model in text form'),
        'noise.bin': (bytes(random.Random(3).randbytes(300)), 'does not know'),
    }
    for name, (data, *parts) in cases.items():
        box.put(name, data)
        has(box.code('open ' + name, 1), name, *parts)
        done = box.run(name)
        expect(done.returncode == 1, '%s: exit code %d' % (name, done.returncode))
        has(done.stderr, *parts)
    has(box.code('open nothing.pb', 1), 'FileNotFoundError')
    box.put('folder/other.txt', 'x')
    has(box.code('open folder', 1), 'a folder without a model')
    box.put('outer/m/saved_model.pb', saved_model(meta(SMALL)))
    has(box.code('open outer', 1), 'open outer/m')
    box.put('e/saved_model.pb', saved_model())
    has(box.code('open e', 1), 'without a graph') if os.path.getsize(os.path.join(box.folder, 'e/saved_model.pb')) > 2 else None


def test_devices(box):
    """Neither a pipe nor a device is read."""
    os.mkfifo(os.path.join(box.folder, 'pipe'))
    for path in ('pipe', '/dev/zero', '/dev/null'):
        done = box.run('-c', 'open ' + path, timeout=20)
        expect(done.returncode == 1, done)
        has(done.stderr, 'not a file')


# ---- the command line ----

def test_scripts_stay_scripts(box):
    box.put('script', 'print(1 + 1)\n')
    box.put('dict.py', "{'a': 1}\nprint('ran')\n")
    box.put('node.py', 'node = 3\nprint(node)\n')
    box.put('latin.py', '# -*- coding: utf-8 -*-\nprint("é")\n')
    for name, want in (('script', '2\n'), ('dict.py', 'ran\n'), ('node.py', '3\n'), ('latin.py', 'é\n')):
        expect(box.run(name).stdout == want, box.run(name))
    expect(box.run('-i', 'script', input='print(5)').stdout == '2\n5\n', 'with -i')
    expect(box.run('-', input='print(6)').stdout == '6\n', 'from a pipe')
    shell = subprocess.run(['bash', '-c', '"$0" <(echo "print(7)")', box.tensh], capture_output=True, text=True, cwd=box.folder)
    expect(shell.stdout == '7\n', shell)
    expect(box.run('absent.py').returncode == 3, 'a missing script')
    has(box.code('open script', 1), 'read script')


def test_current_folder(box):
    box.put('saved_model.pb', saved_model(meta(SMALL, tags=['serve'])))
    has(box.code('open .\neval n:0 feed x=2.'), '-2.0')
    has(box.code('open . as m\neval m/n:0 feed m/x=2.'), '-2.0')
    has(box.run('.').stdout, 'a SavedModel')
    has(box.run('--sandbox', '.').stdout, 'a SavedModel')


# ---- hostile files ----

def hostile_seeds(box):
    """Returns {name: bytes} of valid files of several formats."""
    checkpoint(os.path.join(box.folder, 'seed'), {'v': [1., 2.], 'w': [3.]}, packed=True)
    box.code('np.savez("seed.npz", w=np.ones([2, 2]))')
    head = b'{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
    return {'g.pb': unknown_op_graph(), 'm.meta': meta(SMALL, [('savers', f(2, f(1, f(1, 'x:0') + f(2, 'n:0') + f(3, 'n'))))]),
            'sm/saved_model.pb': saved_model(meta(SMALL, tags=['serve'], signatures=simple_signature())),
            'seed.index': box.get('seed.index'), 'a.npz': box.get('seed.npz'), 's.safetensors': struct.pack('<Q', len(head)) + head + bytes(8),
            'g.pbtxt': b'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }\nversions { producer: 24 }\n'}


def test_hostile_files(box):
    """Cut and changed files are opened or refused, without a crash, a hang or much memory."""
    rng = random.Random(7)
    for name, data in hostile_seeds(box).items():
        changed = [data[:n] for n in sorted({rng.randrange(len(data)) for _ in range(12)})]
        for _ in range(25):
            one = bytearray(data)
            for _ in range(rng.randrange(1, 4)):
                one[rng.randrange(len(one))] = rng.choice([0, 1, 0x7f, 0x80, 0xff, rng.randrange(256)])
            changed.append(bytes(one))
        lines = ['import os']
        for i, one in enumerate(changed):
            folder = 'h%d' % i
            path = os.path.join(folder, name)
            box.put(path, one)
            target = folder + '/sm' if name.startswith('sm/') else path
            lines.append('try:\n    open %r as m%d\n    about --json\nexcept Exception as e:\n    print(type(e).__name__)' % (target, i))
        # Sanitizers reserve terabytes of addresses.
        limit = [box.tensh] if box.sanitized else ['bash', '-c', 'ulimit -v 4000000; exec "$0" "$@"', box.tensh]
        box.put('all.tsh', '\n'.join(lines))
        done = subprocess.run(limit + ['all.tsh'], cwd=box.folder, capture_output=True, text=True, timeout=600)
        expect(done.returncode == 0, '%s: exit code %d\n%s' % (name, done.returncode, (done.stdout + done.stderr)[-1500:]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--sanitized', action='store_true', help='the build has sanitizers, and is slow')
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    tests = {n[5:]: t for n, t in globals().items() if n.startswith('test_')}
    failed = 0
    for name in options.names or tests:
        folder = tempfile.mkdtemp(prefix='tensh-models-')
        try:
            tests[name](Box(os.path.abspath(options.tensh), folder, options.sanitized))
        except (AssertionError, subprocess.TimeoutExpired) as e:
            failed += 1
            print('%s: %s' % (name, e))
            if not isinstance(e, AssertionError):
                traceback.print_exc()
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    print('models: %d of %d passed' % (len(options.names or tests) - failed, len(options.names or tests)))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
