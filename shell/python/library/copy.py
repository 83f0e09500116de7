"""copy: shallow and deep copies of values."""


class Error(Exception):
    pass


def copy(x):
    if hasattr(x, '__copy__'):
        return x.__copy__()
    if isinstance(x, (list, dict, set)):
        return x.copy()
    if not hasattr(x, '__dict__') or isinstance(x, type) or callable(x):
        return x
    made = object.__new__(type(x))
    for name, value in x.__dict__.items():
        setattr(made, name, value)
    return made


def deepcopy(x, memo=None):
    memo = {} if memo is None else memo
    if id(x) in memo:
        return memo[id(x)]
    if hasattr(x, '__deepcopy__'):
        return x.__deepcopy__(memo)
    if isinstance(x, list):
        made = memo[id(x)] = []
        for v in x:
            made.append(deepcopy(v, memo))
        return made
    if isinstance(x, dict):
        made = memo[id(x)] = type(x)()
        for k, v in x.items():
            made[deepcopy(k, memo)] = deepcopy(v, memo)
        return made
    if isinstance(x, tuple):
        parts = [deepcopy(v, memo) for v in x]
        return type(x)(*parts) if hasattr(x, '_fields') else tuple(parts)
    if isinstance(x, set):
        return {deepcopy(v, memo) for v in x}
    if hasattr(x, 'copy') and hasattr(x, 'dtype'):
        return x.copy()
    if not hasattr(x, '__dict__') or isinstance(x, type) or (callable(x) and hasattr(x, '__name__')):
        return x
    made = memo[id(x)] = object.__new__(type(x))
    for name, value in list(x.__dict__.items()):
        setattr(made, name, deepcopy(value, memo))
    return made
