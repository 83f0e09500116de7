# The side of JAX. Everything that changes or is read is an argument of the compiled function, because XLA computes with
# constants when it compiles.
import jax
import jax.numpy as jnp


def timed(name, step, *arguments, value=None):
    compiled = jax.jit(step)
    measure(name, lambda: float(compiled(*arguments)), value)


def chain(n, elements):
    def workload(name):
        def whole(x):
            for _ in range(n):
                x = x + 0.5
            return x
        x = jnp.asarray(numbers(1, elements))
        # The whole result is an output, or XLA would compute one element of it.
        both = jax.jit(lambda x: (whole(x), whole(x)[0]))
        measure(name, lambda: float(both(x)[1]), both(x)[0][:64])
    return workload


def product(dtype, precision):
    def workload(name):
        a = jnp.asarray(numbers(1, GEMM, GEMM)).astype(dtype)
        b = jnp.asarray(numbers(2, GEMM, GEMM)).astype(dtype)
        both = jax.jit(lambda a, b: jnp.matmul(a, b, precision=precision))
        measure(name, lambda: float(both(a, b)[0, 0]), both(a, b)[0, :64].astype(jnp.float32))
    return workload


def total(name):
    x = jnp.asarray(numbers(1, CHAIN))
    timed(name, jnp.sum, x, value=jnp.sum(x))


def softmax(width):
    def workload(name):
        x = jnp.asarray(numbers(1, ROWS, width))
        whole = jax.jit(lambda x: jax.nn.softmax(x, axis=1))
        measure(name, lambda: float(whole(x)[0, 0]), whole(x)[0])
    return workload


def train(name, loss_of, weights, *data, feed=None, known=True):
    @jax.jit
    def step(weights, *data):
        loss, gradients = jax.value_and_grad(loss_of)(weights, *data)
        return [w - 0.1 * g for w, g in zip(weights, gradients)], loss
    state = [weights]

    def once():
        arguments = data if feed is None else (jnp.asarray(feed),) + data[1:]
        state[0], loss = step(state[0], *arguments)
        return float(loss)
    for _ in range(3):
        once()
    measure(name, once, jax.jit(loss_of)(state[0], *data) if known else None)


def mlp(batch, fed=False, dropout=False):
    def workload(name):
        images = numbers(1, batch, 784)
        x, labels = jnp.asarray(images), jnp.asarray(indices(2, batch, 10))
        weights = [jnp.asarray(numbers(3, 784, 128) * np.float32(0.05)), jnp.asarray(numbers(4, 128, 10) * np.float32(0.05))]

        def loss_of(weights, x, labels):
            h = jax.nn.relu(x @ weights[0])
            if dropout:
                key = jax.random.key(jnp.sum(weights[1] * 1e6).astype(jnp.int32))  # another one in each step
                h = jnp.where(jax.random.bernoulli(key, 0.5, h.shape), h / 0.5, 0)
            return -jnp.take_along_axis(jax.nn.log_softmax(h @ weights[1]), labels[:, None], 1).mean()
        train(name, loss_of, weights, x, labels, feed=images if fed else None, known=not dropout)
    return workload


def convolution(name):
    x = jnp.asarray(numbers(1, BATCH, IMAGE, IMAGE, CHANNELS))
    filters = [jnp.asarray(numbers(seed, 3, 3, CHANNELS, CHANNELS) * np.float32(0.05)) for seed in (2, 3)]

    def convolve(x, f):
        return jax.lax.conv_general_dilated(x, f, (1, 1), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))

    def loss_of(filters, x):
        return jnp.square(convolve(jax.nn.relu(convolve(x, filters[0])), filters[1])).mean()
    train(name, loss_of, filters, x)


def embedding(name):
    ids = jnp.asarray(indices(2, NAMED, WORDS))

    @jax.jit
    def step(table, sums):
        loss, gradient = jax.value_and_grad(lambda table: jnp.square(table[ids]).mean())(table)
        sums = sums + gradient * gradient
        return table - 0.1 * gradient / jnp.sqrt(sums), sums, loss
    state = [jnp.asarray(numbers(1, WORDS, WIDTH)), jnp.full((WORDS, WIDTH), 0.1)]

    def once():
        state[0], state[1], loss = step(*state)
        return float(loss)
    measure(name, once)  # see torch_side.py


def to_device(name):
    source = numbers(1, COPY)
    first = jax.jit(lambda x: x[0] + 1)
    measure(name, lambda: float(first(jnp.asarray(source))))


def to_host(name):
    x = jnp.asarray(numbers(1, COPY))
    more = jax.jit(lambda x: x + 1)
    measure(name, lambda: np.asarray(more(x)))


run({
    'product 4096, float32': product(jnp.float32, 'highest'),
    'product 4096, float32 as TF32': product(jnp.float32, 'default'),
    'product 4096, bfloat16': product(jnp.bfloat16, 'default'),
})
