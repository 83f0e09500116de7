# The side of PyTorch. HOW is eager, graphs (CUDA graphs, captured by hand) or compile.
import torch

torch.backends.cudnn.allow_tf32 = False
torch.backends.cudnn.benchmark = True


def put(array):
    return torch.from_numpy(np.array(array)).to(DEVICE)


def made(step):
    """Returns the step as HOW runs it; it returns a tensor of the device."""
    if HOW == 'compile':
        return torch.compile(step)
    if HOW != 'graphs':
        return step
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    side.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = step()

    def replay():
        graph.replay()
        return out
    return replay


def timed(name, step, value=None):
    runs = made(step)
    measure(name, lambda: runs().item(), value)


def trained(loss_of, weights):
    def step():
        loss = loss_of()
        gradients = torch.autograd.grad(loss, weights)
        with torch.no_grad():
            for weight, gradient in zip(weights, gradients):
                weight.sub_(gradient, alpha=0.1)
        return loss.detach()
    return step


def after_three(step, loss_of):
    for _ in range(3):
        step()
    return loss_of().detach().cpu().numpy()


def chain(n, elements):
    def workload(name):
        x = put(numbers(1, elements))

        def whole():
            y = x
            for _ in range(n):
                y = y + 0.5
            return y
        timed(name, lambda: whole()[0], whole()[:64].cpu().numpy())
    return workload


def product(dtype, tf32=False):
    def workload(name):
        torch.backends.cuda.matmul.allow_tf32 = tf32
        a, b = put(numbers(1, GEMM, GEMM)).to(dtype), put(numbers(2, GEMM, GEMM)).to(dtype)
        timed(name, lambda: (a @ b)[0, 0].float(), (a @ b)[0, :64].float().cpu().numpy())
        torch.backends.cuda.matmul.allow_tf32 = False
    return workload


def total(name):
    x = put(numbers(1, CHAIN))
    timed(name, lambda: x.sum(), x.sum().cpu().numpy())


def softmax(width):
    def workload(name):
        x = put(numbers(1, ROWS, width))
        timed(name, lambda: torch.softmax(x, 1)[0, 0], torch.softmax(x, 1)[0].cpu().numpy())
    return workload


def mlp(batch, fed=False, dropout=False):
    def workload(name):
        images = numbers(1, batch, 784)
        x, labels = put(images), put(indices(2, batch, 10)).long()
        w1 = put(numbers(3, 784, 128) * np.float32(0.05)).requires_grad_()
        w2 = put(numbers(4, 128, 10) * np.float32(0.05)).requires_grad_()

        def loss_of():
            h = torch.relu(x @ w1)
            if dropout:
                h = torch.nn.functional.dropout(h, 0.5)
            return torch.nn.functional.cross_entropy(h @ w2, labels)
        step = trained(loss_of, [w1, w2])
        value = None if dropout else after_three(step, loss_of)
        if not fed:
            timed(name, step, value)
            return
        runs, source = made(step), torch.from_numpy(np.array(images))

        def with_feed():
            x.copy_(source)
            return runs().item()
        measure(name, with_feed, value)
    return workload


def convolution(name):
    x = put(numbers(1, BATCH, IMAGE, IMAGE, CHANNELS)).permute(0, 3, 1, 2)  # channels last in memory
    f, g = (put((numbers(seed, 3, 3, CHANNELS, CHANNELS) * np.float32(0.05)).transpose(3, 2, 0, 1)).requires_grad_()
            for seed in (2, 3))

    def loss_of():
        h = torch.relu(torch.nn.functional.conv2d(x, f, padding=1))
        return torch.nn.functional.conv2d(h, g, padding=1).square().mean()
    step = trained(loss_of, [f, g])
    timed(name, step, after_three(step, loss_of))


def embedding(name):
    table = put(numbers(1, WORDS, WIDTH)).requires_grad_()
    ids = put(indices(2, NAMED, WORDS)).long()
    sums = torch.full_like(table, 0.1)

    def loss_of():
        return torch.nn.functional.embedding(ids, table).square().mean()

    def step():
        loss = loss_of()
        gradient, = torch.autograd.grad(loss, [table])
        with torch.no_grad():
            sums.add_(gradient * gradient)
            table.sub_(0.1 * gradient / sums.sqrt())
        return loss.detach()
    timed(name, step, None)  # rows that are named twice are updated once, unlike those of TensorFlow 1


def to_device(name):
    source, x = torch.from_numpy(np.array(numbers(1, COPY))), put(numbers(1, COPY))

    def step():
        x.copy_(source)
        return (x[0] + 1).item()
    measure(name, step)


def to_host(name):
    x = put(numbers(1, COPY))
    measure(name, lambda: (x + 1).cpu())


run({
    'product 4096, float32': product(torch.float32),
    'product 4096, float32 as TF32': product(torch.float32, tf32=True),
    'product 4096, bfloat16': product(torch.bfloat16),
})
