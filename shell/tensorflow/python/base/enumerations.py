"""Enumerations that scripts pass, and queries about the mode of TensorFlow."""
import enum
import logging


class AggregationMethod(object):
    """The ways to sum gradients. All are accepted, and all gradients are added at once."""
    ADD_N, DEFAULT = 0, 0
    EXPERIMENTAL_TREE, EXPERIMENTAL_ACCUMULATE_N = 1, 2


class VariableSynchronization(enum.Enum):
    """When copies of a variable are synchronized."""
    AUTO, NONE, ON_WRITE, ON_READ = 0, 1, 2, 3


class VariableAggregation(enum.Enum):
    """The ways to aggregate copies of a variable."""
    NONE, SUM, MEAN, ONLY_FIRST_REPLICA, ONLY_FIRST_TOWER = 0, 1, 2, 3, 3


def get_logger():
    """Returns TensorFlow's logger."""
    return logging.getLogger('tensorflow')


def executing_eagerly_outside_functions():
    """Returns False, because eager execution is not supported."""
    return False
