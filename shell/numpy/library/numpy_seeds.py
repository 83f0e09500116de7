"""numpy.random.SeedSequence: derives the initial words of a bit generator from a seed, as numpy does."""
import random as _random

_MASK = 0xffffffff


def _words(n):
    """Returns the 32-bit words of a number, lowest first, or of each number of a sequence."""
    if isinstance(n, (int, np.integer)):
        n = int(n)
        if n < 0:
            raise ValueError('expected non-negative integer')
        words = [n & _MASK]
        while n > _MASK:
            n >>= 32
            words.append(n & _MASK)
        return words
    if isinstance(n, str):
        return _words(int(n, 16) if n.startswith('0x') else int(n))
    if isinstance(n, (float, np.inexact)):
        raise TypeError('seed must be integer')
    return [word for item in n for word in _words(item)]


class _Hash(object):
    """Mixes words, each with the next constant of a sequence."""

    def __init__(self, first, factor):
        self.constant, self.factor = first, factor

    def __call__(self, value):
        value ^= self.constant
        self.constant = self.constant * self.factor & _MASK
        value = value * self.constant & _MASK
        return value ^ value >> 16


def _mix(x, y):
    result = (0xca01f9dd * x - 0x4973f715 * y) & _MASK
    return result ^ result >> 16


class SeedSequence(object):
    """Spreads entropy of any kind evenly over the requested words. spawn() makes independent sequences."""
    __module__ = 'numpy.random.bit_generator'

    def __init__(self, entropy=None, *, spawn_key=(), pool_size=4, n_children_spawned=0):
        if pool_size < 4:
            raise ValueError('The size of the entropy pool should be at least 4')
        if entropy is None:
            entropy = _random.Random().getrandbits(32 * pool_size)
        elif not isinstance(entropy, (int, np.integer, list, tuple, range, np.ndarray)):
            raise TypeError('SeedSequence expects int or sequence of ints for entropy not {}'.format(entropy))
        self.entropy = entropy
        self.spawn_key = tuple(spawn_key)
        self.pool_size = pool_size
        self.n_children_spawned = n_children_spawned
        self.pool = np.array(self._mixed(), dtype=np.uint32)

    def _mixed(self):
        words, key = _words(self.entropy), _words(self.spawn_key)
        if key and len(words) < self.pool_size:
            words += [0] * (self.pool_size - len(words))
        words += key
        hashed, size = _Hash(0x43b0d7e5, 0x931e8875), self.pool_size
        pool = [hashed(words[k] if k < len(words) else 0) for k in range(size)]
        for source in range(size):
            for to in range(size):
                if source != to:
                    pool[to] = _mix(pool[to], hashed(pool[source]))
        for word in words[size:]:
            for to in range(size):
                pool[to] = _mix(pool[to], hashed(word))
        return pool

    def generate_state(self, n_words, dtype=np.uint32):
        dtype = np.dtype(dtype)
        if dtype != np.uint32 and dtype != np.uint64:
            raise ValueError('only support uint32 or uint64')
        hashed, pool = _Hash(0x8b51f9dd, 0x58f38ded), [int(word) for word in self.pool]
        count = n_words * dtype.itemsize // 4
        words = np.array([hashed(pool[k % len(pool)]) for k in range(count)], dtype=np.uint32)
        return words.view(dtype)

    def spawn(self, n_children):
        first = self.n_children_spawned
        self.n_children_spawned += n_children
        return [SeedSequence(self.entropy, spawn_key=self.spawn_key + (k,), pool_size=self.pool_size)
                for k in range(first, first + n_children)]

    @property
    def state(self):
        return {'entropy': self.entropy, 'spawn_key': self.spawn_key, 'pool_size': self.pool_size,
                'n_children_spawned': self.n_children_spawned}

    def __repr__(self):
        lines = ['SeedSequence(', '    entropy={!r},'.format(self.entropy)]
        if self.spawn_key:
            lines.append('    spawn_key={!r},'.format(self.spawn_key))
        if self.pool_size != 4:
            lines.append('    pool_size={!r},'.format(self.pool_size))
        if self.n_children_spawned != 0:
            lines.append('    n_children_spawned={!r},'.format(self.n_children_spawned))
        return '\n'.join(lines + [')'])

