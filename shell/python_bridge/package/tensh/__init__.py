"""tensh: dataflow graphs of TensorFlow 1.x, built, run and explained in this process.

    import tensh
    graph = tensh.Graph()
    x = graph.placeholder('float32', [None], name='x')
    with tensh.Session(graph) as sess:
        sess.run(x * 2 + 1, {x: [1, 2, 3]})

    model = tensh.open('saved_model')           # any format that `tensh open` reads
    model.serving_default(x=[[1, 2]])
    tensh.shell('explain mul feed x=[1, 2]')    # cells and verbs of the shell; the result shows itself

In a notebook, `%load_ext tensh` adds the magics %tensh and %%tensh.
"""
from . import _tensh, errors
from ._graph import Graph, Operation, Tensor
from ._session import Explanation, Session
from ._shell import Model, Output, open, shell, sql, trace, why

__version__ = _tensh.version()
__all__ = ['Explanation', 'Graph', 'Model', 'Operation', 'Output', 'Session', 'Tensor', 'errors', 'explain', 'open',
           'shell', 'sql', 'trace', 'why']


def explain(what):
    """Show how a run would be pruned, placed and executed.

    `what` is the text of the verb: tensh.explain('y feed x=[1, 2]'). For a graph of Python, use
    Session.explain.
    """
    return shell('explain ' + what)


def load_ipython_extension(ipython):
    """Add the magics %tensh and %%tensh. Called by %load_ext tensh."""
    from ._magic import load
    load(ipython)
