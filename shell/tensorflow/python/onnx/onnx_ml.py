"""Rules of ONNX's domain ai.onnx.ml: linear models, trees, and the encoding of features."""
import numpy as np
from _library.onnx_rules import rule, Refused, rank, like

ML = 'ai.onnx.ml'


def _texts(values):
    return [v if isinstance(v, bytes) else v.encode('utf-8') for v in values]


def _labels(n, ints_name, texts_name):
    """The labels of classes, as a constant vector."""
    whole = n.get(ints_name, None)
    return tf.constant(whole, tf.int64) if whole else tf.constant(_texts(n.get(texts_name, None) or []))


def _rows(x):
    """x as [samples, features], in float32."""
    x = tf.cast(x, tf.float32) if x.dtype != tf.float64 else x
    return tf.expand_dims(x, 0) if rank(x) == 1 else x


def _post(n, scores, name='post_transform'):
    how = n.text(name, 'NONE')
    if how == 'SOFTMAX':
        return tf.nn.softmax(scores)
    if how == 'LOGISTIC':
        return tf.sigmoid(scores)
    if how == 'SOFTMAX_ZERO':
        zero = tf.equal(scores, 0)
        e = tf.where(zero, tf.zeros_like(scores), tf.exp(scores - tf.reduce_max(scores, -1, True)))
        return e / tf.reduce_sum(e, -1, True)
    if how == 'PROBIT':
        return like(np.sqrt(2), scores) * tf.erfinv(2 * scores - 1)
    if how != 'NONE':
        raise Refused('unknown post_transform %s' % how)
    return scores


@rule('ArrayFeatureExtractor', 1, ML)
def _extract(n, x, y):
    picked = tf.gather(x, tf.reshape(y, [-1]), axis=rank(x) - 1)
    return tf.expand_dims(picked, 0) if rank(x) == 1 else picked


@rule('Binarizer', 1, ML)
def _binarizer(n, x):
    return tf.cast(x > like(n.get('threshold', 0.), x), x.dtype)


@rule('Scaler', 1, ML)
def _scaler(n, x):
    x = tf.cast(x, tf.float32)
    return (x - tf.constant(n.get('offset', None) or [0.])) * tf.constant(n.get('scale', None) or [1.])


@rule('Normalizer', 1, ML)
def _normalizer(n, x):
    x = _rows(x)
    how = n.text('norm', 'MAX')
    if how == 'L2':
        size = tf.sqrt(tf.reduce_sum(x * x, -1, True))
    else:
        size = tf.reduce_sum(tf.abs(x), -1, True) if how == 'L1' else tf.reduce_max(x, -1, True)
    return tf.cast(tf.where(tf.logical_and(tf.equal(size, 0), tf.ones_like(x, tf.bool)), x, x / size), tf.float32)


@rule('Imputer', 1, ML)
def _imputer(n, x):
    if n.has('imputed_value_int64s'):
        new, old = tf.constant(n.get('imputed_value_int64s', []), tf.int64), n.get('replaced_value_int64', 0)
    else:
        new, old = tf.constant(n.get('imputed_value_floats', []), x.dtype), n.get('replaced_value_float', 0.)
    gone = tf.is_nan(x) if old != old else tf.equal(x, like(old, x))
    return tf.raw_ops.SelectV2(condition=gone, t=new, e=x)


@rule('FeatureVectorizer', 1, ML)
def _vectorizer(n, *xs):
    parts = [tf.cast(tf.reshape(x, tf.stack([tf.shape(x)[0], -1])), tf.float32) for x in xs]
    return tf.concat(parts, 1)


def _looked_up(x, keys, values, other):
    """The value of each key, or `other`."""
    flat = tf.expand_dims(x, -1)
    hit = tf.equal(flat, keys)
    if x.dtype.is_floating:
        hit = tf.logical_or(hit, tf.logical_and(tf.is_nan(flat), tf.is_nan(keys)))
    found = tf.reduce_any(hit, -1)
    value = tf.gather(values, tf.argmax(tf.cast(hit, tf.int32), -1))
    return tf.raw_ops.SelectV2(condition=found, t=value, e=other)


@rule('CategoryMapper', 1, ML)
def _category_mapper(n, x):
    numbers, texts = tf.constant(n.get('cats_int64s', []), tf.int64), tf.constant(_texts(n.get('cats_strings', [])))
    if x.dtype == tf.string:
        return _looked_up(x, texts, numbers, tf.constant(n.get('default_int64', -1), tf.int64))
    return _looked_up(x, numbers, texts, tf.constant(n.get('default_string', b'_Unused')))


@rule('LabelEncoder', 1, ML)
def _label_encoder_classes(n, x):
    classes = n.get('classes_strings', [])
    texts, numbers = tf.constant(_texts(classes)), tf.range(len(classes), dtype=tf.int64)
    if x.dtype == tf.string:
        return _looked_up(x, texts, numbers, tf.constant(n.get('default_int64', -1), tf.int64))
    return _looked_up(x, numbers, texts, tf.constant(n.get('default_string', b'_Unused')))


@rule('LabelEncoder', 2, ML)
def _label_encoder(n, x):
    def side(name):
        for kind, dtype in (('int64s', tf.int64), ('floats', tf.float32)):
            if n.has(name + '_' + kind):
                return tf.constant(n.get(name + '_' + kind, []), dtype)
        if n.has(name + '_tensor'):
            return tf.constant(n.get(name + '_tensor', None))
        return tf.constant(_texts(n.get(name + '_strings', [])))
    keys, values = side('keys'), side('values')
    if n.has('default_tensor'):
        other = tf.reshape(tf.constant(n.get('default_tensor', None)), [])
    elif values.dtype == tf.string:
        other = tf.constant(n.get('default_string', b'_Unused'))
    elif values.dtype.is_floating:
        other = tf.constant(n.get('default_float', 0.), values.dtype)
    else:
        other = tf.constant(n.get('default_int64', -1), values.dtype)
    return _looked_up(x, keys, values, other)


@rule('OneHotEncoder', 1, ML)
def _one_hot_encoder(n, x):
    keys = _labels(n, 'cats_int64s', 'cats_strings')
    return tf.cast(tf.equal(tf.expand_dims(x if x.dtype == keys.dtype else tf.cast(x, keys.dtype), -1), keys), tf.float32)


@rule('ZipMap', 1, ML)
def _zip_map(n, x):
    """A sequence of dicts for ONNX; here, the tensor with a column for each key."""
    return x


# ---- linear models ----

@rule('LinearRegressor', 1, ML)
def _linear_regressor(n, x):
    x, targets = _rows(x), n.get('targets', 1)
    w = np.reshape(np.array(n.get('coefficients', []), np.float32), [targets, -1])
    y = tf.matmul(tf.cast(x, tf.float32), tf.constant(w), transpose_b=True)
    return _post(n, y + tf.constant(n.get('intercepts', None) or [0.] * targets))


def _classified(scores, labels):
    """The label with the largest score."""
    best = tf.argmax(scores, -1)
    return tf.gather(labels, best)


@rule('LinearClassifier', 1, ML)
def _linear_classifier(n, x):
    x, labels = _rows(x), _labels(n, 'classlabels_ints', 'classlabels_strings')
    intercepts = n.get('intercepts', None)
    coefficients = np.array(n.get('coefficients', []), np.float32)
    count = labels.shape.as_list()[0]
    rows = len(intercepts) if intercepts else count
    y = tf.matmul(tf.cast(x, tf.float32), tf.constant(np.reshape(coefficients, [rows, -1])), transpose_b=True)
    y = y + tf.constant(intercepts) if intercepts else y
    if rows == 1 and count == 2:
        logistic = n.text('post_transform', 'NONE') == 'LOGISTIC'
        positive = tf.squeeze(y > 0, [-1])
        y = tf.concat([-y, y] if logistic else [1 - y, y], -1)
        return [tf.gather(labels, tf.cast(positive, tf.int32)), _post(n, y)]
    return [_classified(y, labels), _post(n, y)]


def _kernels(n, x, count):
    """The kernel of each row with each of the support vectors."""
    gamma, offset, degree = (list(n.get('kernel_params', None) or []) + [0., 0., 0.])[:3]
    kind = n.text('kernel_type', 'LINEAR')
    vectors = tf.constant(np.reshape(np.array(n.get('support_vectors', []), np.float32), [count, -1]))
    if kind == 'RBF':
        return tf.exp(-gamma * tf.reduce_sum(tf.squared_difference(tf.expand_dims(x, 1), vectors), -1))
    products = tf.matmul(x, vectors, transpose_b=True)
    if kind == 'POLY':
        return tf.pow(gamma * products + offset, degree)
    return tf.tanh(gamma * products + offset) if kind == 'SIGMOID' else products


def _coupled(p, pairs, count):
    """The probabilities of classes from those of pairs of classes, [rows, pairs]. The method of Wu, Lin and Weng (2004), with the
    limits of libsvm: it improves an estimate until it is good enough."""
    r = [[None] * count for _ in range(count)]
    for k, (i, j) in enumerate(pairs):
        r[i][j], r[j][i] = p[:, k], 1. - p[:, k]
    q = [[tf.add_n([tf.square(r[j][t]) for j in range(count) if j != t]) if t == u else -r[u][t] * r[t][u] for u in range(count)]
         for t in range(count)]

    def improve(step, p, done):
        products = [tf.add_n([q[t][u] * p[:, u] for u in range(count)]) for t in range(count)]
        whole = tf.add_n([p[:, t] * products[t] for t in range(count)])
        done = tf.logical_or(done, tf.reduce_max(tf.abs(tf.stack(products, 1) - tf.expand_dims(whole, 1)), 1) < .005 / count)
        new = tf.unstack(p, count, 1)
        for t in range(count):
            change = (whole - products[t]) / q[t][t]
            new[t] = new[t] + change
            whole = (whole + change * (change * q[t][t] + 2. * products[t])) / tf.square(1. + change)
            products = [(products[u] + change * q[t][u]) / (1. + change) for u in range(count)]
            new = [v / (1. + change) for v in new]
        return step + 1, tf.where(done, p, tf.stack(new, 1)), done

    rows = tf.shape(p)[0]
    return tf.while_loop(lambda step, p, done: tf.logical_and(step < max(100, count), tf.logical_not(tf.reduce_all(done))), improve,
                         [0, tf.fill([rows, count], 1. / count), tf.fill([rows], False)],
                         shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, count]), tf.TensorShape([None])])[1]


@rule('SVMClassifier', 1, ML)
def _svm_classifier(n, x):
    """Each pair of classes has a classifier. The class with most votes wins, also if another one is more probable."""
    x, labels = tf.cast(_rows(x), tf.float32), _labels(n, 'classlabels_ints', 'classlabels_strings')
    sizes, rho = n.get('vectors_per_class', None) or [], n.get('rho', None) or [0.]
    coefficients, count = np.array(n.get('coefficients', []), np.float32), labels.shape.as_list()[0]
    if not sum(sizes):
        y = tf.matmul(x, tf.constant(np.reshape(coefficients, [count, -1])), transpose_b=True) + rho[0]
        return [_classified(y, labels), _post(n, y)]
    total, starts = sum(sizes), np.concatenate([[0], np.cumsum(sizes)])
    coefficients, pairs = np.reshape(coefficients, [-1, total]), [(i, j) for i in range(count) for j in range(i + 1, count)]
    weights, wins = np.zeros([total, len(pairs)], np.float32), np.zeros([2, len(pairs), count], np.float32)
    for k, (i, j) in enumerate(pairs):
        for of, other in ((i, j - 1), (j, i)):
            weights[starts[of]:starts[of + 1], k] = coefficients[other, starts[of]:starts[of + 1]]
        wins[0, k, j], wins[1, k, i] = 1, 1
    scores = tf.matmul(_kernels(n, x, total), tf.constant(weights)) + tf.constant(rho)
    won = tf.cast(scores > 0, tf.float32)
    label = _classified(tf.matmul(won, tf.constant(wins[1])) + tf.matmul(1. - won, tf.constant(wins[0])), labels)
    if not n.get('prob_a', None):
        return [label, _post(n, tf.concat([-scores, scores], 1) if count == 2 else scores)]
    p = tf.sigmoid(-(scores * tf.constant(n.get('prob_a', [])) + tf.constant(n.get('prob_b', []))))
    return [label, _post(n, _coupled(tf.clip_by_value(p, 1e-7, 1. - 1e-7), pairs, count))]


@rule('SVMRegressor', 1, ML)
def _svm_regressor(n, x):
    x = tf.cast(_rows(x), tf.float32)
    coefficients, count = tf.constant(n.get('coefficients', [])), n.get('n_supports', 0)
    y = tf.reduce_sum((_kernels(n, x, count) if count else x) * coefficients, -1, True)
    y = y + (n.get('rho', None) or [0.])[0]
    return tf.where(y > 0, tf.ones_like(y), -tf.ones_like(y)) if n.get('one_class', 0) else _post(n, y)


# ---- trees ----

_MEMBER = 6
_MODES = {'BRANCH_LEQ': 0, 'BRANCH_LT': 1, 'BRANCH_GTE': 2, 'BRANCH_GT': 3, 'BRANCH_EQ': 4, 'BRANCH_NEQ': 5}


class _Places(object):
    """Finds the positions of nodes by the numbers of their trees and their own."""

    def __init__(self, trees, nodes):
        trees, nodes = np.array(trees, np.int64), np.array(nodes, np.int64)
        self.trees, self.first = np.unique(trees), int(nodes.min()) if len(nodes) else 0
        self.span = int(nodes.max()) - self.first + 1 if len(nodes) else 1
        if len(trees) != len(nodes) or self.span * (len(self.trees) + 1) >= 1 << 62:
            raise Refused('its nodes do not form a tree')
        keys = self._keys(trees, nodes)
        self.order = np.argsort(keys, kind='stable')
        self.sorted = keys[self.order]

    def _keys(self, trees, nodes):
        return np.searchsorted(self.trees, trees) * self.span + (nodes - self.first)

    def __call__(self, trees, nodes):
        trees, nodes = np.array(trees, np.int64), np.array(nodes, np.int64)
        keys = self._keys(trees, nodes)
        at = np.minimum(np.searchsorted(self.sorted, keys), len(self.sorted) - 1)
        if len(keys) and not (len(self.sorted) and np.all(self.sorted[at] == keys) and np.all(np.isin(trees, self.trees)) and np.all(
                (nodes >= self.first) & (nodes < self.first + self.span))):
            raise Refused('its nodes do not form a tree')
        return self.order[at]


class _Forest(object):
    """Trees as arrays of nodes. A leaf leads to itself, so all trees are walked by the same number of steps."""

    members = missing = None

    def __init__(self, n):
        self.place = _Places(n.get('nodes_treeids', []), n.get('nodes_nodeids', []))
        self.features = np.array(n.get('nodes_featureids', []), np.int32)
        values = n.get('nodes_values_as_tensor', None) if n.has('nodes_values_as_tensor') else n.get('nodes_values', [])
        self.values = np.array(values, np.float64 if n.has('nodes_values_as_tensor') else np.float32)
        names = [m.decode() for m in n.get('nodes_modes', [])]
        self.modes = np.array([_MODES.get(m, -1) for m in names], np.int32)
        branches, inner = [], np.nonzero(np.array([m != 'LEAF' for m in names]))[0]
        trees = np.array(n.get('nodes_treeids', []), np.int64)[inner]
        for name in ('nodes_truenodeids', 'nodes_falsenodeids'):
            branch = np.arange(len(names)).astype(np.int32)
            branch[inner] = self.place(trees, np.array(n.get(name, []), np.int64)[inner])
            branches.append(branch)
        self.yes, self.no = branches
        tracks = n.get('nodes_missing_value_tracks_true', None)
        self.missing = np.array(tracks) != 0 if tracks and any(tracks) else None
        free = np.full([len(names)], True)
        for branch in branches:
            free[branch[self.modes >= 0]] = False
        self.roots = np.nonzero(free)[0].astype(np.int32)
        self.depth = self._depth()

    def _depth(self):
        level, depth = self.roots, 0
        while True:
            level = level[self.modes[level] >= 0]
            level = np.unique(np.concatenate([self.yes[level], self.no[level]]))
            if not len(level):
                return depth
            depth += 1
            if depth > len(self.modes):
                raise Refused('its nodes do not form a tree')

    def leaves(self, x):
        """The leaf of each sample in each tree, [samples, trees]."""
        x = tf.cast(_rows(x), tf.float64 if self.values.dtype == np.float64 else tf.float32)
        samples = tf.shape(x)[0]
        at = tf.broadcast_to(tf.constant(self.roots), tf.stack([samples, len(self.roots)]))
        features, values = tf.constant(self.features), tf.constant(self.values)
        yes, no, modes = tf.constant(self.yes), tf.constant(self.no), tf.constant(self.modes)
        kinds = sorted(set(self.modes[(self.modes >= 0) & (self.modes != _MEMBER)].tolist()))
        compare = [tf.less_equal, tf.less, tf.greater_equal, tf.greater, tf.equal, tf.not_equal]
        row = tf.expand_dims(tf.range(samples), 1) + tf.zeros_like(at)

        def step(i, at):
            value = tf.gather_nd(x, tf.stack([row, tf.gather(features, at)], -1))
            limit, go = tf.gather(values, at), None
            for kind in kinds:
                hit = compare[kind](value, limit)
                go = hit if go is None else tf.where(tf.equal(tf.gather(modes, at), kind), hit, go)
            if self.members is not None:
                hit = tf.reduce_any(tf.equal(tf.expand_dims(value, -1), tf.gather(tf.constant(self.members), at)), -1)
                go = hit if go is None else tf.where(tf.equal(tf.gather(modes, at), _MEMBER), hit, go)
            if self.missing is not None:
                go = tf.logical_or(go, tf.logical_and(tf.is_nan(value), tf.gather(tf.constant(self.missing), at)))
            return i + 1, tf.where(go, tf.gather(yes, at), tf.gather(no, at))
        if not self.depth:
            return at
        return tf.while_loop(lambda i, at: i < self.depth, step, [tf.constant(0), at], shape_invariants=[
            tf.TensorShape([]), tf.TensorShape([None, len(self.roots)])])[1]

    def weights(self, n, kind, count):
        """The weight that a leaf adds to each target or class, [nodes, count]."""
        name = kind + '_weights'
        values = n.get(name + '_as_tensor', None) if n.has(name + '_as_tensor') else n.get(name, [])
        table = np.zeros([len(self.modes), count], self.values.dtype)
        columns, values = np.array(n.get(kind + '_ids', []), np.int64), np.array(values, self.values.dtype)
        rows = self.place(n.get(kind + '_treeids', []), n.get(kind + '_nodeids', []))
        if len(columns) and (columns.min() < 0 or columns.max() >= count):
            raise Refused('its weights are for %d outputs, but one has the number %d' % (count, columns.max()))
        np.add.at(table, (rows, columns), values)
        return table, columns, values


class _ForestOfTensors(_Forest):
    """The form of version 5: leaves have their own lists, and a node may test if a value is in a set."""

    def __init__(self, n):
        modes, splits = n.get('nodes_modes', None), n.get('nodes_splits', None)
        count, leaves = len(modes), len(n.get('leaf_targetids', []))
        self.modes = np.concatenate([modes.astype(np.int32), np.full([leaves], -1, np.int32)])
        self.features = np.array(n.get('nodes_featureids', []) + [0] * leaves, np.int32)
        self.values = np.concatenate([splits, np.zeros([leaves], splits.dtype)])
        own = [count + i for i in range(leaves)]
        self.yes, self.no = [np.array([i + count * bool(leaf) for i, leaf in zip(n.get(to, []), n.get(is_leaf, []))] + own,
                                      np.int32) for to, is_leaf in (('nodes_truenodeids', 'nodes_trueleafs'),
                                                                    ('nodes_falsenodeids', 'nodes_falseleafs'))]
        tracks = n.get('nodes_missing_value_tracks_true', None)
        if tracks and any(tracks):
            self.missing = np.array([bool(t) for t in tracks] + [False] * leaves)
        self.roots = np.array(n.get('tree_roots', []), np.int32)
        if max(self.yes.max(), self.no.max(), self.roots.max()) >= count + leaves or min(
                self.yes.min(), self.no.min(), self.roots.min()) < 0:
            raise Refused('its nodes do not form a tree')
        if np.any(self.modes == _MEMBER):
            self._read_members(n.get('membership_values', None), splits.dtype)
        self.depth = self._depth()

    def _read_members(self, values, dtype):
        """One row for each node with the values of its set, which end with a NaN."""
        sets = [[]]
        for v in values.tolist():
            if v != v:
                sets.append([])
            else:
                sets[-1].append(v)
        width = max(len(s) for s in sets)
        self.members = np.full([len(self.modes), max(width, 1)], np.nan, dtype)
        for node, own in zip(np.nonzero(self.modes == _MEMBER)[0].tolist(), sets):
            for i, v in enumerate(own):
                self.members[node, i] = v


@rule('TreeEnsemble', 5, ML)
def _tree_ensemble(n, x):
    forest, targets = _ForestOfTensors(n), n.get('n_targets', 1)
    weights, ids = n.get('leaf_weights', None), n.get('leaf_targetids', [])
    table = np.zeros([len(forest.modes), targets], weights.dtype)
    for i, (target, weight) in enumerate(zip(ids, weights.tolist())):
        table[len(forest.modes) - len(ids) + i, target] = weight
    each = tf.gather(tf.constant(table), forest.leaves(x))
    f = [tf.reduce_mean, tf.reduce_sum, tf.reduce_min, tf.reduce_max][n.get('aggregate_function', 1)]
    if n.get('post_transform', 0):
        raise Refused('its post_transform is not supported')
    return tf.cast(f(each, 1), x.dtype)


def _base(n, count):
    base = n.get('base_values_as_tensor', None) if n.has('base_values_as_tensor') else n.get('base_values', None)
    return None if base is None or not len(base) else np.array(base, np.float32)


@rule('TreeEnsembleRegressor', 1, ML)
def _tree_regressor(n, x):
    forest, targets = _Forest(n), n.get('n_targets', 1)
    table, _, _ = forest.weights(n, 'target', targets)
    each = tf.gather(tf.constant(table), forest.leaves(x))  # [samples, trees, targets]
    f = {'SUM': tf.reduce_sum, 'AVERAGE': tf.reduce_mean, 'MIN': tf.reduce_min, 'MAX': tf.reduce_max}
    y = tf.cast(f[n.text('aggregate_function', 'SUM')](each, 1), tf.float32)
    base = _base(n, targets)
    return _post(n, y if base is None else y + tf.constant(base))


@rule('TreeEnsembleClassifier', 1, ML)
def _tree_classifier(n, x):
    forest, labels = _Forest(n), _labels(n, 'classlabels_int64s', 'classlabels_strings')
    count = labels.shape.as_list()[0]
    table, columns, weights = forest.weights(n, 'class', count)
    y = tf.cast(tf.reduce_sum(tf.gather(tf.constant(table), forest.leaves(x)), 1), tf.float32)
    base = _base(n, count)
    if count == 2 and len(np.unique(columns)) == 1:  # a score for one class only
        y = y[:, int(columns[0]):int(columns[0]) + 1]
        y = y if base is None else y + tf.constant(base[-1:])
        probable = bool(np.all(weights >= 0))
        best = y > (.5 if probable else 0.)
        y = tf.concat([1 - y if probable and n.text('post_transform', 'NONE') == 'NONE' else -y, y], -1)
        return [tf.gather(labels, tf.cast(tf.squeeze(best, [-1]), tf.int32)), _post(n, y)]
    y = y if base is None else y + tf.constant(base)
    return [_classified(y, labels), _post(n, y)]
