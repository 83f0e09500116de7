from ..util import K
from .. import util as u


def name():
    return __name__, __package__, K, u.K
