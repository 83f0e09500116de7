"""Custom getters of variable scopes."""
import functools


def joined(custom, outer):
    """custom, given a getter that goes through the outer scope's custom one."""
    def getter(true_getter, *args, **kwargs):
        return custom(functools.partial(outer, true_getter), *args, **kwargs)
    return getter
