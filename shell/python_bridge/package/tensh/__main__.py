"""The program `tensh`, and `python -m tensh`.

`python -m tensh SCRIPT.py ARGUMENT…` runs a script in this Python, with tensh as its `tensorflow`. Other arguments are
those of the program.
"""
import sys

from . import _tensh


def main():
    """Run the program with the arguments of the command line, and end the process."""
    _tensh.main(sys.argv)


def run_script():
    """Run sys.argv[1] as Python runs a script."""
    import os
    import runpy
    from .compat import install
    install()
    sys.argv = sys.argv[1:]
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    runpy.run_path(sys.argv[0], run_name='__main__')


if __name__ == '__main__':
    if len(sys.argv) > 1 and sys.argv[1].endswith('.py'):
        run_script()
    else:
        main()
