"""`import tensh.compat.v1 as tf`: the API of TensorFlow 1.x, which the shell implements, in this process.

`install()` makes it importable as `tensorflow`, which `python -m tensh SCRIPT.py` does before it runs the script.
"""
import importlib.machinery
import sys

from .. import _tensh

_NAMES = ('tensorflow', 'tf_slim')


class _Finder:
    """Finds tensh.compat.v1 and its parts in the shell, and after install() also `tensorflow`."""

    names = ()

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.split('.')[0] in cls.names or name.startswith(__name__ + '.v1'):
            return importlib.machinery.ModuleSpec(name, _Loader, is_package=True)
        return None


class _Loader:
    @staticmethod
    def create_module(spec):
        name = spec.name.replace(__name__ + '.v1', 'tensorflow')
        if name == 'tensorflow':
            _tensh.import_module('sys')._values.argv = sys.argv  # tf.app.flags reads them
        return _tensh.import_module(name)

    @staticmethod
    def exec_module(module):
        pass


def install():
    """Make `import tensorflow` import tensh.compat.v1 in this process."""
    for name in _NAMES:
        if name in sys.modules and not getattr(sys.modules[name], '_is_tensh', False):
            raise ImportError('%s was imported before tensh.compat.install()' % name)
    _Finder.names = _NAMES


sys.meta_path.insert(0, _Finder)
