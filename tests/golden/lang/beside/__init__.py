from . import util
from .util import K
