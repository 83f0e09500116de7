"""tf.linalg: triangular factors, functions of matrices, and tridiagonal matrices."""


def lu(input, output_idx_type='int32', name=None):
    """The triangular factors of matrices, and the permutation of their rows."""
    return tf.raw_ops.Lu(input=input, output_idx_type=tf.as_dtype(output_idx_type), name=name)


def _factors(lower_upper):
    rows = tf.shape(lower_upper)[:-1]
    return tf.linalg.set_diag(tf.linalg.band_part(lower_upper, num_lower=-1, num_upper=0),
                              tf.ones(rows, lower_upper.dtype)), tf.linalg.band_part(lower_upper, num_lower=0, num_upper=-1)


def _in_order(x, order):
    """Permutes the rows of matrices, differently for each batch."""
    if x.shape.ndims == 2 and order.shape.ndims == 1:
        return tf.gather(x, order)
    batch = tf.shape(x)[:-2]
    rows, columns = tf.shape(x)[-2], tf.shape(x)[-1]
    flat, count = tf.reshape(x, [-1, rows, columns]), tf.reduce_prod(batch)
    numbers = tf.tile(tf.range(count)[:, None], [1, rows])
    return tf.reshape(tf.gather_nd(flat, tf.stack([numbers, tf.cast(tf.reshape(order, [-1, rows]), tf.int32)], axis=-1)),
                      tf.shape(x))


def _eye(like):
    return tf.linalg.diag(tf.ones_like(tf.linalg.diag_part(like)))


def _inverted(perm):
    return tf.argsort(perm, axis=-1)


def lu_reconstruct(lower_upper, perm, validate_args=False, name=None):
    """The matrix with this LU decomposition."""
    with tf.name_scope(name or 'lu_reconstruct'):
        lower_upper, perm = tf.convert_to_tensor(lower_upper), tf.convert_to_tensor(perm)
        lower, upper = _factors(lower_upper)
        return _in_order(tf.matmul(lower, upper), _inverted(perm))


def lu_solve(lower_upper, perm, rhs, validate_args=False, name=None):
    """Solves A @ x = rhs for an A with this LU decomposition."""
    with tf.name_scope(name or 'lu_solve'):
        lower_upper, perm, rhs = tf.convert_to_tensor(lower_upper), tf.convert_to_tensor(perm), tf.convert_to_tensor(rhs)
        lower, upper = _factors(lower_upper)
        return tf.linalg.triangular_solve(upper, tf.linalg.triangular_solve(lower, _in_order(rhs, perm)), lower=False)


def lu_matrix_inverse(lower_upper, perm, validate_args=False, name=None):
    """The inverse of the matrix with this LU decomposition."""
    with tf.name_scope(name or 'lu_matrix_inverse'):
        lower_upper = tf.convert_to_tensor(lower_upper)
        return lu_solve(lower_upper, perm, _eye(lower_upper))


def sqrtm(input, name=None):
    """The square roots of matrices."""
    return tf.raw_ops.MatrixSquareRoot(input=input, name=name)


def logm(input, name=None):
    """The logarithms of complex matrices."""
    return tf.raw_ops.MatrixLogarithm(input=input, name=name)


# Coefficients of the rational approximation of degree 13, and the norm up to which it is exact.
_EXP = (64764752532480000., 32382376266240000., 7771770303897600., 1187353796428800., 129060195264000., 10559470521600.,
        670442572800., 33522128640., 1323241920., 40840800., 960960., 16380., 182., 1.)
_EXACT = {'float32': 3.925724783138660, 'float16': 3.925724783138660, 'complex64': 3.925724783138660}


def expm(input, name=None):
    """The exponentials of matrices, by scaling and squaring."""
    with tf.name_scope(name, 'matrix_exponential', [input]):
        x = tf.convert_to_tensor(input, name='input')
        shape = tf.shape(x)
        if 0 in x.shape[-2:].as_list():
            return tf.identity(x)
        x = tf.reshape(x, tf.concat([[-1], shape[-2:]], 0))
        limit = _EXACT.get(x.dtype.base_dtype.name, 5.371920351148152)
        norm = tf.reduce_max(tf.reduce_sum(tf.abs(x), axis=-2), axis=-1)
        halvings = tf.maximum(tf.ceil(tf.log(norm / limit) / tf.log(tf.constant(2., norm.dtype))), 0)
        small = x / tf.cast(tf.pow(tf.constant(2., norm.dtype), halvings), x.dtype)[:, None, None]
        b = [tf.constant(c, x.dtype) for c in _EXP]
        eye = _eye(x)
        x2 = tf.matmul(small, small)
        x4 = tf.matmul(x2, x2)
        x6 = tf.matmul(x4, x2)
        high = tf.matmul(x6, x6 * b[13] + x4 * b[11] + x2 * b[9])
        u = tf.matmul(small, high + x6 * b[7] + x4 * b[5] + x2 * b[3] + eye * b[1])
        v = tf.matmul(x6, x6 * b[12] + x4 * b[10] + x2 * b[8]) + x6 * b[6] + x4 * b[4] + x2 * b[2] + eye * b[0]
        result = tf.linalg.solve(v - u, v + u)
        most = tf.reduce_max(halvings)

        def square(i, r):
            return i + 1, tf.where(tf.less(i, halvings), tf.matmul(r, r), r)
        _, result = tf.while_loop(lambda i, _: tf.less(i, most), square, [tf.zeros([], norm.dtype), result])
        return tf.reshape(result, shape)


def _compact(diagonals, diagonals_format, rhs):
    """The three diagonals as rows of one tensor."""
    if diagonals_format == 'compact':
        return tf.convert_to_tensor(diagonals, name='diagonals')
    if diagonals_format == 'sequence':
        above, main, below = [tf.convert_to_tensor(d) for d in diagonals]
        n = main.shape[-1].value
        pad = lambda d, at: tf.pad(d, [[0, 0]] * (d.shape.ndims - 1) + [at]) if d.shape[-1].value == n - 1 else d
        return tf.stack([pad(above, [0, 1]), main, pad(below, [1, 0])], axis=-2)
    if diagonals_format != 'matrix':
        raise ValueError('Expected diagonals_format to be one of [matrix, sequence, compact], found %s' % (diagonals_format,))
    matrix = tf.convert_to_tensor(diagonals, name='diagonals')
    n = matrix.shape[-1].value
    if n is None:
        raise ValueError('The size of the matrix must be known for diagonals_format="matrix"')
    part = tf.linalg.diag_part
    none = tf.zeros_like(matrix[..., :1, 0])
    above = tf.concat([part(matrix[..., :-1, 1:]), none], -1)
    below = tf.concat([none, part(matrix[..., 1:, :-1])], -1)
    return tf.stack([above, part(matrix), below], axis=-2)


def tridiagonal_solve(diagonals, rhs, diagonals_format='compact', transpose_rhs=False, conjugate_rhs=False, name=None,
                      partial_pivoting=True, perturb_singular=False):
    """Solves A @ x = rhs for a tridiagonal A."""
    with tf.name_scope(name or 'tridiagonal_solve') as name:
        rhs = tf.convert_to_tensor(rhs, name='rhs')
        diagonals = _compact(diagonals, diagonals_format, rhs)
        vector = rhs.shape.ndims == diagonals.shape.ndims - 1
        if vector:
            rhs = tf.expand_dims(tf.conj(rhs) if conjugate_rhs else rhs, -1)
        elif transpose_rhs:
            rhs = tf.linalg.transpose(rhs, conjugate=conjugate_rhs)
        elif conjugate_rhs:
            rhs = tf.conj(rhs)
        x = tf.raw_ops.TridiagonalSolve(diagonals=diagonals, rhs=rhs, partial_pivoting=partial_pivoting,
                                        perturb_singular=perturb_singular)
        return tf.squeeze(x, -1) if vector else x


def tridiagonal_matmul(diagonals, rhs, diagonals_format='compact', name=None):
    """The product A @ rhs for a tridiagonal A."""
    with tf.name_scope(name or 'tridiagonal_matmul') as name:
        rhs = tf.convert_to_tensor(rhs, name='rhs')
        compact = _compact(diagonals, diagonals_format, rhs)
        return tf.raw_ops.TridiagonalMatMul(superdiag=compact[..., 0:1, :], maindiag=compact[..., 1:2, :],
                                            subdiag=compact[..., 2:3, :], rhs=rhs)
