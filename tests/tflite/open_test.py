#!/usr/bin/env python3
"""The verb `open` on TensorFlow Lite models: its summary, names, signatures, state, labels, and operators that are missing.

    python3 tests/tflite/open_test.py --tensh build/tensh
"""
import base64
import io
import json
import lzma
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile

from hostile_test import flat, graph, ints, model, one, operator, table, tensor, text, u32

TENSH = ''
HERE = os.path.dirname(os.path.abspath(__file__))
with lzma.open(os.path.join(HERE, 'recorded.json.xz'), 'rt') as recorded:
    RECORDED = {c['name']: base64.b64decode(c['model']) for c in json.load(recorded)}
RELU, NEG, EXP, CUSTOM, ADD = 19, 59, 47, 32, 0


def custom(name):
    """x -> NAME -> NEG -> y, and x -> EXP -> z."""
    tensors = [tensor('x', [2]), tensor('f', [2]), tensor('y', [2]), tensor('z', [2])]
    codes = [table({0: bytes([CUSTOM]), 1: text(name), 3: u32(CUSTOM)})] + [table({0: bytes([c]), 3: u32(c)}) for c in (NEG, EXP)]
    return flat(table({0: u32(3), 1: codes, 2: [graph(tensors, [0], [2, 3], [operator(0, [0], [1]), operator(1, [1], [2]), operator(2, [0], [3])])],
                       4: [table({})]}))


class OpenTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, data, name='m.tflite'):
        path = os.path.join(self.folder.name, name)
        with open(path, 'wb') as f:
            f.write(data)
        return path

    def run_lines(self, *lines, code=0):
        """Types the lines, and returns (stdout, stderr)."""
        done = subprocess.run([TENSH, '--keep-going'], input='\n'.join(lines) + '\n', capture_output=True, text=True, timeout=60, cwd=self.folder.name)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def test_values_and_names(self):
        # Names that TensorFlow does not allow, and the names of fused operators, of which the first remains.
        self.write(model([graph([tensor('in:0', [2]), tensor('a/Relu;a/BiasAdd', [2]), tensor('7 b', [2])], [0], [2],
                                [operator(0, [0], [1]), operator(1, [1], [2])])], [RELU, NEG]))
        out, _ = self.run_lines('open m.tflite as m', 'eval m/a/Relu feed m/in=[-1., 2.]', "print(m.run(**{'in': [1., 2.]}))", 'eval m/v7_b feed m/a/Relu=[5., 6.]')
        self.assertEqual(out, "[0. 2.]\n{'v7_b': array([-1., -2.], dtype=float32)}\n[-5. -6.]\n")
        out, err = self.run_lines('open m.tflite', 'open m.tflite', code=1)
        self.assertIn('open m.tflite as NAME', err)

    def test_summary(self):
        self.write(RECORDED['CONV_2D int8'])
        out, _ = self.run_lines('open m.tflite as m', 'about')
        for line in ('m: a TensorFlow Lite model m.tflite', 'schema 3 · test · 1 operator · 112 parameters', 'signature   run', 'x0  i8[1,5,6,3]  scale 0.05 zero 3',
                     'y0  i8[1,5,6,4]  scale 0.02 zero -4', 'ops         CONV_2D 1'):
            self.assertIn(line, out)
        line = out[out.index('run       ') + 10:].split('\n')[0]
        out, _ = self.run_lines('open m.tflite as m', line)
        self.assertIn('int8', out)
        facts = json.loads(self.run_lines('open m.tflite as m', 'about --json')[0])
        self.assertEqual(facts['signatures']['run']['inputs']['x0']['shape'], [1, 5, 6, 3])
        self.assertEqual(facts['quantization']['m/x0'], 'scale 0.05 zero 3')

    def test_signatures(self):
        self.write(RECORDED['ADD signatures'])
        out, _ = self.run_lines('open m.tflite as m', 'eval m.double(x=[1., 2.])', "eval m.square(x=[3., 4.])['y']")
        self.assertEqual(out, "{'y': array([2., 4.], dtype=float32)}\n[ 9. 16.]\n")

    def test_state_lasts(self):
        self.write(RECORDED['VAR_HANDLE'])
        out, _ = self.run_lines('open m.tflite as m', 'm.run(x=[1., 1.])', "print(list(m.run(x=[1., 1.]).values())[0])")
        self.assertEqual(out, '[12. 22.]\n')
        self.assertIn('variables   m/total\n', self.run_lines('open m.tflite as m', 'about')[0])

    def test_missing_operator(self):
        self.write(custom('My\x1b[31mOp'))
        out, err = self.run_lines('open m.tflite as m', 'about', 'eval m/z feed m/x=[0., 0.]', 'eval m/y feed m/f=[1., 2.]', 'eval m/y feed m/x=[1., 2.]', code=1)
        self.assertIn('[1. 1.]\n[-1. -2.]\n', out)
        self.assertIn('this operator is not supported. It blocks: m/y. To go on', out)
        self.assertIn('feed its outputs: feed m/f=...', err)
        self.assertNotIn('\x1b', out + err)

    def test_labels(self):
        file = table({0: text('labels.txt'), 2: bytes([2])})
        metadata = flat(table({3: [table({3: [table({0: text('y'), 6: [file]})]})]}))
        root = table({0: u32(3), 1: [table({0: bytes([RELU]), 3: u32(RELU)})], 2: [graph([tensor('x', [2]), tensor('y', [2])], [0], [1], [operator(0, [0], [1])])],
                      4: [table({}), table({0: ('data', metadata)})], 6: [table({0: text('TFLITE_METADATA'), 1: u32(1)})]})
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            archive = io.BytesIO(flat(root))
            with zipfile.ZipFile(archive, 'a', method) as z:
                z.writestr('labels.txt', 'cat\ndog\n')
            self.write(archive.getvalue())
            out, _ = self.run_lines('open m.tflite as m', 'about', "print(m.labels[np.argmax(m.run(x=[1., 2.])['y'])])")
            self.assertIn('labels      2: cat, dog', out)
            self.assertTrue(out.endswith('dog\n'), out)

    def test_buffers_behind_the_flatbuffer(self):
        tensors = [tensor('x', [2]), tensor('c', [2], 0, 1), tensor('y', [2])]

        def built(at):
            place = {1: at.to_bytes(8, 'little'), 2: (8).to_bytes(8, 'little')}
            return flat(table({0: u32(3), 1: [table({0: bytes([ADD]), 3: u32(ADD)})], 2: [graph(tensors, [0], [2], [operator(0, [0, 1], [2])])],
                               4: [table({}), table(place)]}))
        size = len(built(100))
        self.write(built(size) + b'\0\0\x80\x3f\0\0\0\x40')
        self.assertEqual(self.run_lines('open m.tflite', 'eval y feed x=[10., 20.]')[0], '[11. 22.]\n')
        self.write(built(size + 100) + b'\0\0\x80\x3f\0\0\0\x40')
        self.assertIn('the buffer 1 needs 8 B from byte', self.run_lines('open m.tflite', code=1)[1])

    def test_random(self):
        # RANDOM_UNIFORM, RANDOM_STANDARD_NORMAL.
        for code in (148, 146):
            self.write(model([graph([tensor('n', [1], 2), tensor('y', [1])], [0], [1], [operator(0, [0], [1])])], [code]))
            out, _ = self.run_lines('open m.tflite', 'a = tf.get_default_graph().get_tensor_by_name("y:0")',
                                    'with tf.Session() as s: v = s.run(a, {"n:0": [5000]})', 'print(v.shape, v.std() > .2, len(np.unique(v)) > 4000)')
            self.assertEqual(out, '(5000,) True True\n')

    def test_errors(self):
        for data, words in ((b'\x1c\0\0\0TFL3' + bytes(100), 'is not a valid TensorFlow Lite model: it has no graph'),
                            (RECORDED['WHILE'][:300], 'is not a valid TensorFlow Lite model: '),
                            (model([graph([tensor('x', [2]), tensor('y', [2])], [0], [1], [])], [RELU]), "its output 'y' is not computed by any operator")):
            self.write(data)
            self.assertIn(words, self.run_lines('open m.tflite', code=1)[1])

    def test_link(self):
        os.mkdir(os.path.join(self.folder.name, 'd'))
        self.write(one(ADD, [2], {}, [tensor('c', [2], 0, 1)], [b'\0\0\x80\x3f\0\0\0\x40']), 'd/real.bin')
        os.symlink('d/real.bin', os.path.join(self.folder.name, 'm.tflite'))
        self.assertEqual(self.run_lines('open m.tflite', 'eval y feed x=[10., 20.]')[0], '[11. 22.]\n')


if __name__ == '__main__':
    TENSH = os.path.abspath(sys.argv[sys.argv.index('--tensh') + 1])
    unittest.main(argv=sys.argv[:1])
