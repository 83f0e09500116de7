#!/usr/bin/env python3
"""Uses Keras models and HDF5 files with the verbs: what is said about them, names, weights, training, and errors.

    open_test.py --tensh build/tensh [--recorded FOLDER]
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

from recorded import HERE, unpacked


class Box(object):
    """A folder with the recorded files, in which tensh runs programs."""

    def __init__(self, tensh, folder):
        self.tensh, self.folder, self.problems = tensh, folder, []

    def run(self, *args, **options):
        return subprocess.run([self.tensh] + list(args), capture_output=True, text=True, cwd=self.folder, timeout=300, **options)

    def code(self, text, *wanted, fails=False):
        """Runs a program, whose output must have all that is wanted. Returns the output."""
        done = self.run('-c', text)
        out = done.stdout + done.stderr
        if bool(done.returncode) != fails:
            self.problems.append('exit code %d of: %s\n%s' % (done.returncode, text, out))
        for part in wanted:
            if part not in out:
                self.problems.append('%r is not in the output of: %s\n%s' % (part, text, out))
        return out


def test_report(box):
    """The report has the inputs, a line that runs, the layers and what the model was compiled with."""
    out = box.code("open keras-sequential.keras as m\nabout m", 'm: a Keras model keras-sequential.keras', 'Sequential · Keras 3',
                   'f32[?,8,8,1]', 'Conv2D', 'f32[?,6,6,4]', '370', '426, of which 418 can be trained', 'optimizer Adam',
                   'loss sparse_categorical_crossentropy')
    line = re.search(r'run +(eval .*)', out)
    box.code("open keras-sequential.keras as m\n" + line.group(1), "{'dense': array([[") if line else box.problems.append(out)
    box.code('open tf_keras-sequential.h5 as m\nabout m', 'Sequential · Keras 2', 'tensorflow', 'optimizer Adam')
    done = box.run('keras-nested.keras', input='')
    if 'a Keras model' not in done.stdout or done.returncode:
        box.problems.append('tensh FILE: ' + done.stdout + done.stderr)


def test_json(box):
    facts = json.loads(box.code('open keras-nested.keras as m\nabout m --json'))
    layers = {row['name']: row for row in facts['layers']}
    if layers['inner/dense']['class'] != 'Dense' or layers['inner/dense']['parameters'] != 25 or facts['class'] != 'Functional':
        box.problems.append(json.dumps(facts)[:2000])
    if list(facts['signatures']['run']['inputs']) != ['a', 'b']:
        box.problems.append(json.dumps(facts['signatures']))


def test_names(box):
    """Layers and weights are tensors with their names, below the name of the model."""
    box.code("open keras-nested.keras as m\nprint(m['shared'].name, m['shared/kernel'].name, m['inner/dense/bias'].shape, m['shared/call_1'].name)",
             'm/shared:0 m/shared/kernel:0 (5,) m/shared/call_1:0')
    box.code("open keras-nested.keras\neval shared feed a=np.zeros([1, 4])", '[[')
    box.code("open keras-nested.keras as m\nprint(m['shard'])", "did you mean 'shared", fails=True)
    box.code('open keras-nested.keras\nopen keras-nested.keras', 'already exists', 'open keras-nested.keras as NAME', fails=True)
    box.code('open keras-nested.keras as m\nm.run(a=1)', 'm.run needs', 'Type: eval m.run(', fails=True)


def test_weights(box):
    """Weights are variables: they can be trained, saved and loaded, and the initializer restores those of the file."""
    zero = "for v in tf.global_variables(): v.load(np.zeros(v.shape.as_list(), np.float32), m._session)\n"
    total = "print('%.4f' % sum(float(np.sum(v)) for v in m._session.run(tf.global_variables())))\n"
    start = "open keras-sequential.keras as m\n" + total
    whole = box.code(start).strip()
    box.code(start + zero + total + "load keras-sequential.weights.h5\n" + total, whole + '\n0.0000\n' + whole)
    box.code(start + zero + "load keras-sequential.keras\n" + total, whole + '\n' + whole)
    box.code(start + zero + "run tf.global_variables_initializer()\n" + total, whole + '\n' + whole)
    box.code(start + zero + "load tf_keras-nested.h5\n" + total, 'does not have the weight', 'nothing was loaded', fails=True)
    box.code(start + "save kept.ckpt\n" + zero + "load kept.ckpt\n" + total, whole + '\n' + whole)
    box.code("k = tf.Variable(tf.zeros([4, 3]), name='shared/kernel')\nload tf_keras-nested.h5\neval k[0, 0]",
             '0.0507')
    box.code("k = tf.Variable(tf.zeros([36, 10]), name='dense/kernel')\nb = tf.Variable(tf.zeros([10]), name='dense/bias')\n"
             "load keras-sequential.weights.h5\nopen keras-sequential.keras as m\nprint(np.all(m._session.run(k) == m._session.run(m['dense/kernel'])))", 'True')
    with open(os.path.join(box.folder, 'short.keras'), 'wb') as short, open(os.path.join(box.folder, 'keras-sequential.keras'), 'rb') as whole:
        short.write(whole.read(9000))
    box.code('open short.keras', 'a zip archive without its directory', 'downloaded', fails=True)
    box.code("open keras-sequential.keras as m\nx, y = np.ones([4, 8, 8, 1]), [1, 2, 3, 4]\np = m['dense']\n"
             "loss = -tf.reduce_mean(tf.log(tf.reduce_sum(p * tf.one_hot(y, 10), 1)))\n"
             "step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\nbefore = eval loss feed m['input_layer']=x\n"
             "run step feed m['input_layer']=x times 20\nafter = eval loss feed m['input_layer']=x\nprint(after < before)", 'True')


def test_unknown(box):
    """A layer without code stops only what needs it."""
    box.code('open keras-custom.keras as m\nabout m', "layer 'mine' (Doubled): its class is not one of Keras", 'blocked: after')
    box.code("open keras-custom.keras as m\neval m['before'] feed m['x']=np.zeros([1, 4])", '[[')
    box.code("open keras-custom.keras as m\neval m['after'] feed m['x']=np.zeros([1, 4])", 'UnimplementedError', "layer 'mine'",
             'feed m/mine=...', fails=True)
    box.code("open keras-custom.keras as m\neval m['after'] feed m['mine']=np.zeros([1, 3])", '[[')


def test_data(box):
    """A file that is no model opens as its datasets; weights say what to do with them."""
    box.code("open old.h5 as d\nabout d\nprint(d['num/f4'].dtype, len(d), d.attributes()['n'], d.attributes('many')['long'][:2])",
             'd: an HDF5 file old.h5', 'f32[3,4]', 'float32', "3 b'qq'")
    box.code("open old.h5 as d\neval d['compound']", 'compound (a structure) are not supported', fails=True)
    box.code("open old.h5 as d\neval d['num/f5']", "has no array 'num/f5'; did you mean", fails=True)
    box.code("open keras-nested.weights.h5 as w\nabout w", 'weights of a Keras model', 'load keras-nested.weights.h5')
    box.code("v = tf.Variable(1.)\nload old.h5", 'but not one of Keras', fails=True)
    facts = json.loads(box.code('open latest.h5 as d\nabout d --json'))
    if facts['arrays']['ck/all'] != {'dtype': 'int32', 'shape': [200, 7]}:
        box.problems.append(str(facts['arrays']['ck/all']))


def test_sandbox(box):
    done = box.run('--sandbox', '-c', 'open keras-sequential.keras as m\neval m.run(np.zeros([1, 8, 8, 1]))')
    if done.returncode:
        box.problems.append('--sandbox: ' + done.stderr)
    done = box.run('--sandbox', '-c', 'open %s' % os.path.abspath(__file__).replace('open_test.py', 'hdf5.tar.xz'))
    if 'Permission' not in done.stderr:
        box.problems.append('--sandbox reads files elsewhere: ' + done.stdout + done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--recorded', default=HERE)
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for archive in ('recorded.tar.xz', 'hdf5.tar.xz'):
            unpacked(os.path.join(options.recorded, archive), scratch)
        tests = [f for name, f in sorted(globals().items()) if name.startswith('test_')]
        for test in tests:
            box = Box(os.path.abspath(options.tensh), scratch)
            test(box)
            failed += bool(box.problems)
            for problem in box.problems:
                print('%s: %s' % (test.__name__, problem))
    print('open_test: %d of %d passed' % (len(tests) - failed, len(tests)))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
