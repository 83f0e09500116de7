"""pylab: the names of matplotlib.pyplot, and the common ones of numpy."""
from matplotlib.pyplot import *  # noqa: F401,F403
from numpy import *  # noqa: F401,F403
from numpy.random import normal, permutation, rand, randint, randn, shuffle, uniform  # noqa: F401
