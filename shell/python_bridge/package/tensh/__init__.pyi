"""tensh: dataflow graphs of TensorFlow 1.x, built, run and explained in this process."""
from typing import Any
from . import errors as errors
from ._graph import Graph as Graph, Operation as Operation, Tensor as Tensor
from ._session import Explanation as Explanation, Session as Session
from ._shell import Model as Model, Output as Output, open as open, shell as shell, sql as sql, trace as trace, why as why

__version__: str

def explain(what: str) -> Output: ...
def load_ipython_extension(ipython: Any) -> None: ...
