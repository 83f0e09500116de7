"""Cells, verbs, models and magics of the installed package."""
import ast
import glob
import importlib
import inspect
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import tensh


def test_cells_keep_their_state_and_show_themselves():
    tensh.shell('reset')  # the graph may have nodes of other tests, which the next cell shows
    assert str(tensh.shell('q = 20\nq + 1')) == '21'
    tensh.shell("x = tf.placeholder(tf.float32, [2], name='x')\ny = x * 2.")
    plan = tensh.explain('y feed x=[1, 2]')
    assert 'Placeholder' in repr(plan) and '<iframe' in plan._repr_html_()
    assert tensh.shell('graph --svg')._repr_svg_().startswith('<svg')
    assert 'fed' in repr(tensh.why('x'))
    table = tensh.sql('SELECT op FROM nodes')
    assert 'Mul' in repr(table) and '<table' in table._repr_html_()


def test_a_failed_cell():
    with pytest.raises(tensh.errors.ShellError) as caught:
        tensh.shell('print("before")\n[][1]')
    assert caught.value.name == 'IndexError' and '[][1]' in str(caught.value) and 'before' in str(caught.value.output)
    with pytest.raises(tensh.errors.ShellError):
        tensh.shell('def f(): return f()\nf()')
    assert repr(tensh.shell('2')) == '2'


def test_cells_of_several_threads():
    outputs = {}

    def work(n):
        outputs[n] = str(tensh.shell('%d * 2' % n))
    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outputs == {n: str(2 * n) for n in range(8)}


def test_a_model_has_its_signatures_as_functions(tmp_path):
    tensh.shell("""
reset
x = tf.placeholder(tf.float32, [None, 2], name='x')
w = tf.Variable([[1.], [2.]])
y = tf.matmul(x, w)
with tf.Session() as s:
  s.run(tf.global_variables_initializer())
  tf.saved_model.simple_save(s, %r, {'x': x}, {'y': y})
""" % str(tmp_path / 'a model'))
    model = tensh.open(tmp_path / 'a model')
    assert 'serving_default' in dir(model) and 'serving_default' in repr(model)
    got = model.serving_default(x=np.array([[1, 1], [2, 0]], 'f'))
    assert got['y'].tolist() == [[3], [2]]
    assert model.serving_default(x=[[1., 1.]])['y'].tolist() == [[3]]
    with pytest.raises(AttributeError, match='serving_default'):
        model.nothing
    with pytest.raises(tensh.errors.ShellError):
        model.serving_default(z=1.)
    with pytest.raises(tensh.errors.ShellError):
        tensh.open(tmp_path / 'nothing')


def test_the_program_is_installed():
    program = os.path.join(os.path.dirname(sys.executable), 'tensh')
    done = subprocess.run([program, '-c', 'eval tf.constant([1., 2.]) * 3'], stdout=subprocess.PIPE, timeout=60)
    assert done.returncode == 0 and done.stdout == b'[3. 6.]\n'
    done = subprocess.run([sys.executable, '-m', 'tensh', '-c', '1/0'], stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 1 and b'ZeroDivisionError' in done.stderr


def test_stubs_have_names_that_exist():
    folder = os.path.dirname(tensh.__file__)
    found = 0
    for path in glob.glob(os.path.join(folder, '**', '*.pyi'), recursive=True):
        with open(path, encoding='utf-8') as file:
            tree = ast.parse(file.read())
        module = os.path.relpath(path, os.path.dirname(folder))[:-4].replace(os.sep, '.')
        module = importlib.import_module(module[:-9] if module.endswith('.__init__') else module)
        names = [node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name[0] != '_']
        for name in names if '.compat' not in module.__name__ and 'tensorflow' not in module.__name__ else names[::10]:
            assert hasattr(module, name), (path, name)
            found += 1
    assert found > 60
    assert str(inspect.signature(tensh.Session.run)) == '(self, /, fetches, feed_dict=None)'
