"""Custom getters of variable scopes."""
import functools


def joined(custom, outer):
    """Calls `custom` with a getter that calls the custom getter of the outer scope."""
    def getter(true_getter, *args, **kwargs):
        return custom(functools.partial(outer, true_getter), *args, **kwargs)
    return getter
