# The state of a stream, with which scripts shuffle data and labels alike.
import numpy as np

np.random.seed(5)
x, y = np.arange(8), np.arange(8) * 10
state = np.random.get_state()
np.random.shuffle(x)
np.random.set_state(state)
np.random.shuffle(y)
print(x, y)
np.random.randn()
state = np.random.get_state()
print(type(state).__name__, len(state), state[0], state[1].dtype, state[1][:3], state[2:4], round(state[4], 6))
a = np.random.randn(3)
np.random.set_state(state)
print(np.array_equal(a, np.random.randn(3)))
np.random.set_state(state[:3])
print(np.random.randn(2), np.random.get_state()[3])

one, two = np.random.RandomState(1), np.random.RandomState(2)
two.set_state(one.get_state())
print(one.rand(2) == two.rand(2))
words = one.get_state(legacy=False)
print(sorted(words), sorted(words['state']), words['state']['pos'], words['has_gauss'], words['gauss'])
two.set_state(words)
print(one.randint(1000, size=4), two.randint(1000, size=4))
for wrong in (('PCG64', state[1], 0), 7, {}):
    try:
        two.set_state(wrong)
    except (TypeError, ValueError, KeyError) as e:
        print(type(e).__name__)
