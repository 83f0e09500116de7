# Arrays where numpy wants a number or a list of numbers: shapes, axes, cuts, edges and places.
import numpy as np


def show(make):
    try:
        value = make()
        print(value.tolist() if isinstance(value, np.ndarray) else value)
    except Exception as e:
        print(type(e).__name__, e)


a = np.arange(6)
two, one, three = np.array([2, 3]), np.array([3]), np.array(3)

# A 0-d array is a number, one with an axis is a list of numbers.
for sizes in (two, one, three, np.int64(3)):
    show(lambda: np.zeros(sizes).shape)
    show(lambda: np.ones(sizes, int).sum())
    show(lambda: np.full(sizes, 7).shape)
    show(lambda: np.random.normal(size=sizes).shape)
    show(lambda: np.random.randint(0, 5, size=sizes).shape)
    show(lambda: np.tile(a, sizes).shape)
    show(lambda: np.array_split(a, sizes)[-1])
show(lambda: np.resize(a, two))
show(lambda: a.reshape(two))
show(lambda: a.reshape(np.array([2]), 3).shape)
show(lambda: np.reshape(a, np.array([3, -1])).shape)
show(lambda: np.transpose(np.zeros((1, 2, 3)), np.array([2, 0, 1])).shape)
show(lambda: np.zeros((1, 2, 3)).transpose(np.array([1, 0, 2])).shape)
show(lambda: np.moveaxis(np.zeros((1, 2, 3)), np.array([0, 1]), np.array([1, 2])).shape)
show(lambda: np.broadcast_to(a, np.array([2, 6])).shape)
show(lambda: np.sum(np.eye(2), axis=np.array(0)))
show(lambda: np.tensordot(np.eye(2), np.eye(2), np.array(1)))
show(lambda: np.tensordot(np.eye(2), np.ones((2, 2)), np.array([[0], [1]])))

# Cuts, shifts and places.
show(lambda: [part.tolist() for part in np.split(a, np.array([2, 4]))])
show(lambda: [part.tolist() for part in np.hsplit(a, one)])
show(lambda: np.vsplit(a.reshape(6, 1), two)[1])
show(lambda: np.split(a, three)[2])
show(lambda: np.roll(a, one))
show(lambda: np.roll(a, [1, 1]))
show(lambda: np.roll(np.arange(9).reshape(3, 3), np.array([1, 2]), axis=(0, 1)))
show(lambda: np.roll(np.arange(9).reshape(3, 3), 1, axis=(0, 1)))
show(lambda: np.roll(np.arange(9).reshape(3, 3), (1, 1), axis=0))
show(lambda: np.roll(np.eye(3), (1, 2, 3), axis=(0, 1)))
show(lambda: np.delete(a, two))
show(lambda: np.insert(a, np.array([4, 1]), [9, 8]))
show(lambda: np.insert(a, [2, 2, -1], 7))
show(lambda: np.insert(np.eye(2), [0, 2], [[5.0], [6.0]], axis=0))
show(lambda: np.insert(np.eye(2), [1, 1], np.array([[5.0, 6.0], [7.0, 8.0]]), axis=1))
show(lambda: np.insert(a, [7], 1))
show(lambda: [1, 2, 3, 4][three])
show(lambda: [1, 2, 3, 4][one])

# Histograms: edges keep their type, and weights are added up.
show(lambda: np.histogram(a, bins=np.linspace(-2.0, 8.0, 5)))
show(lambda: np.histogram(a, np.array([1, 3, 4]), density=True))
show(lambda: np.histogram(a, bins=[0, 2, 4])[1].dtype)
show(lambda: np.histogram(a, three))
show(lambda: np.histogram(a, bins=3, weights=np.arange(6.0)))
show(lambda: np.histogram(a.reshape(2, 3), bins=np.array([0, 3, 5]), weights=[[1, 1, 1], [2, 2, 2]], density=True))
show(lambda: np.histogram(a, bins=2, weights=[1, 2]))
show(lambda: np.histogram_bin_edges(a, np.array([2, 4])))
show(lambda: np.histogram2d(a, a, bins=np.array([2, 3])))
