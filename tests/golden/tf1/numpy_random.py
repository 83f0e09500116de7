# numpy's legacy generator with a seed.
import numpy as np

np.random.seed(0)
print(np.random.rand(3), np.random.rand())
print(np.random.randn(2, 2))
print(np.random.randint(10, size=5), np.random.randint(5, 8), np.random.uniform(-1, 1, 3))
print(np.random.normal(10.0, 2.0, size=3), np.random.choice(5, 3), np.random.choice([10, 20, 30]))
print(np.random.permutation(5))
items = [1, 2, 3, 4, 5]
np.random.shuffle(items)
print(items)
r = np.random.RandomState(42)
print(r.rand(2), r.randn(3), r.randint(0, 100, 4), r.permutation([7, 8, 9]), r.uniform(0, 10))
print(r.normal(size=(2, 2)), r.choice(4, 4, replace=False))
np.random.seed(123)
x = np.random.normal(0.0, 0.55)
print(x, np.random.random(2), np.random.random_sample())
