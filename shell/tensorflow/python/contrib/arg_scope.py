"""arg_scope of tf.contrib.framework: default arguments of functions for the duration of a block."""
import functools

_scopes = [{}]
_arguments = {}


def current_arg_scope():
    """Returns the current defaults: {function: {argument: value}}."""
    return _scopes[-1]


def arg_scope_func_key(op):
    """Returns the key of the function in a scope."""
    return getattr(op, '_key_op', str(op))


def has_arg_scope(func):
    """Returns true if the function accepts defaults from arg_scope."""
    return arg_scope_func_key(func) in _arguments


def arg_scoped_arguments(func):
    """Returns the names of the function's arguments that have defaults."""
    assert has_arg_scope(func)
    return _arguments[arg_scope_func_key(func)]


class arg_scope(object):
    """Sets these defaults for the functions in a list, or restores all defaults of an earlier scope."""

    def __init__(self, list_ops_or_scope, **kwargs):
        self._what, self._defaults = list_ops_or_scope, kwargs

    def _scope(self):
        if isinstance(self._what, dict):
            if self._defaults:
                raise ValueError('When attempting to re-use a scope by suppling adictionary, kwargs must be empty.')
            return self._what.copy()
        if not isinstance(self._what, (list, tuple)):
            raise TypeError('list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)')
        scope = current_arg_scope().copy()
        for op in self._what:
            if not has_arg_scope(op):
                raise ValueError('%s is not decorated with @add_arg_scope', (op.__module__, op.__name__))
            key = arg_scope_func_key(op)
            scope[key] = dict(scope.get(key, {}), **self._defaults)
        return scope

    def __enter__(self):
        _scopes.append(self._scope())
        return current_arg_scope()

    def __exit__(self, *_):
        _scopes.pop()

    def __call__(self, func):
        @functools.wraps(func)
        def within(*args, **kwargs):
            with self:
                return func(*args, **kwargs)
        return within


def add_arg_scope(func):
    """Lets arg_scope set the function's defaults."""
    key = arg_scope_func_key(func)

    @functools.wraps(func)
    def with_defaults(*args, **kwargs):
        return func(*args, **dict(current_arg_scope().get(key, {}), **kwargs))
    code, defaults = func.__code__, func.__defaults__ or ()
    _arguments[key] = code.co_varnames[code.co_argcount - len(defaults):code.co_argcount]
    with_defaults._key_op = key
    return with_defaults
