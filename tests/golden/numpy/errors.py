import numpy as np


def attempt(f):
    try:
        f()
        print('no error')
    except Exception as e:
        print(type(e).__name__ + ': ' + str(e))


a = np.ones((2, 3))
attempt(lambda: a + np.ones(4))
attempt(lambda: np.ones(3)[5])
attempt(lambda: a[0, 0, 0])
attempt(lambda: np.array([1, 2]).reshape(3))
attempt(lambda: np.array([[1, 2], [3]]))
attempt(lambda: np.ones(3) @ np.ones(2))
attempt(lambda: np.concatenate([np.ones((2, 2)), np.ones((2, 3))]))
attempt(lambda: bool(np.ones(2)))
attempt(lambda: np.ones(3)['a'])
attempt(lambda: np.ones(3)[1.5])
attempt(lambda: np.ones(2)[np.ones(3, bool)])
attempt(lambda: np.ones(3).foo)
attempt(lambda: np.ones(2).sum(axis=3))
attempt(lambda: float(np.ones(2)))
attempt(lambda: np.zeros(-1))
attempt(lambda: np.array('abc', dtype=float))
attempt(lambda: hash(np.ones(2)))
attempt(lambda: np.squeeze(a, axis=0))
attempt(lambda: np.float32('x'))
attempt(lambda: len(np.float32(2)))
attempt(lambda: np.float32(2)[0])
attempt(lambda: np.array([]).max())
attempt(lambda: np.argmax([]))
attempt(lambda: np.stack([np.ones(2), np.ones(3)]))
attempt(lambda: np.matmul(a, a))
attempt(lambda: np.dot(a, a))
attempt(lambda: a.transpose(0, 0))
attempt(lambda: np.random.randint(5, 2))
attempt(lambda: np.random.choice(3, 5, replace=False))
attempt(lambda: np.arange())
attempt(lambda: np.linspace(0, 1, -1))
attempt(lambda: np.ones(3) & np.ones(3))
attempt(lambda: -np.array([True]))
attempt(lambda: np.arange(3).__setitem__(0, 'x') if False else np.ones(3).item())
attempt(lambda: np.array([1, 2]) ** -1)
attempt(lambda: np.where([1], [2]))
attempt(lambda: np.load('/nonexistent.npy') if False else np.ones((2, 2)).reshape(-1, -1))
attempt(lambda: np.random.seed(-1))
attempt(lambda: np.dtype('nonsense'))
attempt(lambda: np.array([1, 2]) + 'a')
attempt(lambda: next(iter(np.float32(1))))
attempt(lambda: np.split(np.arange(5), 2))


def assign(index, value):
    b = np.zeros(3)
    b[index] = value


attempt(lambda: assign(0, 'x'))
attempt(lambda: assign(slice(None), [1, 2]))
attempt(lambda: assign(7, 1))
attempt(lambda: assign(0, [1, 2]))
c = np.arange(3)
try:
    c += 1.5
except TypeError as e:
    print(type(e).__name__, e)
try:
    if np.array([1, 2]) == np.array([1, 2]):
        pass
except ValueError as e:
    print(e)
