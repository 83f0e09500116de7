"""The function that tf.Session makes of CallableOptions. It takes the values of the feeds in order."""

_KINDS = {'float32': 'float', 'float64': 'double', 'complex64': 'complex64', 'object': 'string'}


def _kind(dtype):
    name = dtype.name if hasattr(dtype, 'name') else str(dtype)
    return 'string' if name.startswith('str') or name.startswith('bytes') else _KINDS.get(name, name)


class CallableOptions(object):
    """The feeds, fetches and targets of Session._make_callable_from_options."""

    def __init__(self, feed=None, fetch=None, target=None, run_options=None):
        self.feed = list(feed or [])
        self.fetch = list(fetch or [])
        self.target = list(target or [])
        self.run_options = run_options

    def __repr__(self):
        lines = ['feed: "%s"\n' % name for name in self.feed]
        lines += ['fetch: "%s"\n' % name for name in self.fetch]
        return ''.join(lines + ['target: "%s"\n' % name for name in self.target])


class _Callable(object):
    def __init__(self, session, options):
        graph = session.graph

        def tensor(name):
            try:
                return graph.as_graph_element(name if ':' in name else name + ':0', True, False)
            except (KeyError, ValueError, TypeError):
                raise tf.errors.InvalidArgumentError(
                    None, None, 'Tensor %s, specified in either feed_devices or fetch_devices was not found '
                    'in the Graph' % name)

        def operation(name):
            try:
                return graph.get_operation_by_name(name)
            except (KeyError, ValueError):
                raise tf.errors.NotFoundError(
                    None, None, 'PruneForTargets: Some target nodes not found: %s' % name)

        if not options.fetch and not options.target:
            raise tf.errors.InvalidArgumentError(
                None, None, 'Must specify at least one target to fetch or execute.')
        self._session = session
        self._feeds = [tensor(name) for name in options.feed]
        self._fetches = [tensor(name) for name in options.fetch]
        self._targets = [operation(name) for name in options.target]
        self._options = options.run_options

    def __call__(self, *args, **kwargs):
        if len(args) != len(self._feeds):
            raise tf.errors.InvalidArgumentError(
                None, None, 'Expected %d feed tensors, but got %d' % (len(self._feeds), len(args)))
        feeds = {}
        for tensor, value in zip(self._feeds, args):
            given, wanted = _kind(np.asarray(value).dtype), _kind(tensor.dtype.base_dtype)
            wanted = 'float' if wanted == 'float32' else 'double' if wanted == 'float64' else wanted
            if given != wanted:
                raise tf.errors.InvalidArgumentError(
                    None, None, 'Type mismatch: actual %s vs. expect %s' % (given, wanted))
            feeds[tensor] = value
        results = self._session.run(self._fetches + self._targets, feeds, options=self._options,
                                    run_metadata=kwargs.get('run_metadata', None))
        return results[:len(self._fetches)]


def _make_callable_from_options(session, options):
    return _Callable(session, options)
