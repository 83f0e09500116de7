"""The magics %tensh and %%tensh of IPython."""
from . import errors
from ._shell import shell


def _run(line, cell=None):
    try:
        output = shell(line if cell is None else cell)
    except errors.ShellError as error:
        _show(error.output)
        raise
    _show(output)


def _show(output):
    from IPython.display import HTML, SVG, display
    for kind, text, mime, data in output._parts:
        if mime == 'image/svg+xml' and data:
            display(SVG(data))
        elif mime == 'text/html' and data:
            display(HTML(_embed(data)))
        elif text:
            print(text, end='' if text.endswith('\n') else '\n')


def _embed(data):
    from ._shell import frame
    return frame(data) if data.startswith('<!doctype') else data


def load(ipython):
    """Register the magics with an IPython shell."""
    ipython.register_magic_function(_run, 'line_cell', 'tensh')
