"""Sessions, and reports of steps that show themselves."""
from . import _tensh


class Explanation:
    """How a step is pruned, placed and partitioned; after `trace`, also how long each node took."""

    def __init__(self, report, request):
        self._report, self._request = report, request

    @property
    def report(self):
        """The report as a dict; docs/json.md describes it."""
        import json
        return json.loads(self._report)

    def text(self, width=0):
        """Return the text that the verb explain prints."""
        return _tensh.render(self._report, 'text', self._request, width)

    def html(self):
        """Return a page that needs no network."""
        return _tensh.render(self._report, 'html', self._request)

    def svg(self):
        """Return the drawing of the step."""
        return _tensh.render(self._report, 'svg', self._request)

    def __repr__(self):
        return self.text().rstrip('\n')

    def _repr_svg_(self):
        return self.svg()

    def _repr_html_(self):
        from ._shell import frame
        return frame(self.html())


def _named(fetches):
    first = fetches
    while isinstance(first, (list, tuple)) and first:
        first = first[0]
    return getattr(first, 'name', str(first)).split(':')[0]


class Session(_tensh.Session):
    """Devices, and the variables of one graph. It is a context manager that closes itself.

    target: '' for this process, 'grpc://host:port' for a TensorFlow server.
    config: a dict with the fields of TensorFlow's ConfigProto, such as {'device_count': {'CPU': 2}}.
    """

    def __init__(self, graph, target='', config=None):
        if config:
            import json
            config = json.dumps(config)
        super().__init__(graph, target, config or None)

    def explain(self, fetches, feed_dict=None):
        """Return how a step would run, without running it."""
        return Explanation(self._explain(fetches, feed_dict), _named(fetches))

    def trace(self, fetches, feed_dict=None):
        """Run one step. Return its values and how it ran."""
        result, report = self._trace(fetches, feed_dict)
        return result, Explanation(report, _named(fetches))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def __repr__(self):
        return '<tensh.Session, %s>' % ('closed' if self.closed else 'open')
