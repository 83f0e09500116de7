"""The shell in this process: cells, verbs and models."""
import itertools
import os

from . import _tensh, errors

_numbers = itertools.count(1)


def frame(page):
    """Return a frame for a whole page, so that its styles and scripts stay apart from the notebook's."""
    import html
    return '<iframe style="width:100%%;height:480px;border:0" srcdoc="%s"></iframe>' % html.escape(page, quote=True)


class Output:
    """The output of a cell, which shows itself as text, HTML or SVG."""

    def __init__(self, parts):
        self._parts = parts

    @property
    def text(self):
        """All text, in the order in which it was printed."""
        return ''.join(text if kind in ('stdout', 'stderr') or text.endswith('\n') else text + '\n'
                       for kind, text, mime, data in self._parts if text)

    def _form(self, form):
        return next((data for kind, text, mime, data in reversed(self._parts) if mime == form and data), None)

    @property
    def html(self):
        """The last output that has a form in HTML, or None."""
        return self._form('text/html')

    @property
    def svg(self):
        """The last drawing, or None."""
        return self._form('image/svg+xml')

    def __repr__(self):
        return self.text.rstrip('\n')

    __str__ = __repr__

    def _repr_html_(self):
        page = self.html
        return frame(page) if page and page.startswith('<!doctype') else page

    def _repr_svg_(self):
        return self.svg


def shell(cell):
    """Run a cell of the shell: statements of its Python and verbs. Return its output.

    The shell keeps its variables and its graph between calls. If a statement fails, ShellError has the
    message that the prompt prints; the statements before it keep their effect. Ctrl-C ends the cell.
    """
    parts, error, ended = _tensh.execute(cell)
    if error:
        failed = errors.ShellError(*error)
        failed.output = Output(parts)
        raise failed
    return Output(parts)


def why(what):
    """Say why a node runs or is pruned, as the verb why: tensh.why('mul')."""
    return shell('why ' + what)


def trace(what):
    """Run the verb trace: tensh.trace('on'), tensh.trace('save FILE')."""
    return shell('trace ' + what)


def sql(query):
    """Query nodes, edges, variables and steps: tensh.sql('SELECT op, count(*) FROM nodes GROUP BY op')."""
    return shell('sql ' + query)


class _Signature:
    """A signature of a model. Call it with one value for each input."""

    def __init__(self, model, name):
        self._model, self._name = model, name
        self.__doc__ = self.__name__ = name

    def __call__(self, **inputs):
        names, result = [], '_tensh_result%d' % next(_numbers)
        try:
            for key, value in inputs.items():
                if not key.isidentifier():
                    raise TypeError('%r is not the name of an input' % key)
                names.append((key, '_tensh_input%d' % next(_numbers)))
                _tensh.set_array(names[-1][1], value)
            shell('%s = %s.%s(%s)' % (result, self._model._name, self._name, ', '.join('%s=%s' % pair for pair in names)))
            return _tensh.take_arrays(result)
        finally:
            for _, name in names:
                _tensh.take_arrays(name)

    def __repr__(self):
        return repr(shell('print(repr(%s.%s))' % (self._model._name, self._name)))


class Model:
    """A model that was opened. Its signatures are functions: model.serving_default(x=[[1, 2]])."""

    def __init__(self, path, name):
        self._path, self._name = path, name
        listed = shell('print("\\n".join(dir(%s)))' % name).text
        self._signatures = [line for line in listed.split() if line.isidentifier()]

    def __dir__(self):
        return sorted(set(super().__dir__()) | set(self._signatures))

    def __getattr__(self, name):
        if name.startswith('_') or name not in self._signatures:
            raise AttributeError('the model has no signature %r; it has %s' % (name, ', '.join(self._signatures)))
        return _Signature(self, name)

    def about(self):
        """Return the report of the model: signatures, variables, ops, and what cannot run."""
        return shell('about %s' % self._name)

    def __repr__(self):
        return repr(shell('print(repr(%s))' % self._name))


def open(path):  # noqa: A001: the verb has this name
    """Open a model: SavedModel, frozen graph, checkpoint, ONNX, Keras or TensorFlow Lite."""
    path = os.fspath(path)
    if not path or set(path) & set(' \t\r\n\'"\\>'):
        path = repr(path)
    name = 'model%d' % next(_numbers)
    shell('open %s as %s' % (path, name))
    return Model(path, name)
