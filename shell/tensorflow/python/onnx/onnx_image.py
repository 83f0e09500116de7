"""Rules of ONNX: resizing, sampling, and boxes."""
import numpy as np
from _library.onnx_rules import rule, Refused, const, ints, rank, dims, scalar, like, limited, product


def _floats(x):
    """The elements of a constant list or tensor as floats, or None."""
    value = x if x is None or isinstance(x, (list, tuple)) else const(x)
    return None if value is None else [float(v) for v in np.reshape(value, [-1])]


def _cubic(t, a):
    """The weights of the four neighbours of a point at distance t after the second."""
    def near(d):
        return ((a + 2) * d - (a + 3)) * d * d + 1

    def far(d):
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return [far(1 + t), near(t), near(1 - t), far(2 - t)]


class _Axis(object):
    """The resampling of one dimension: extents before and after, and the scale, as float64 tensors or numbers."""

    def __init__(self, n, extent, count, scale, roi, exact):
        self.n, self.roi = n, roi
        self.extent, self.count = tf.cast(extent, tf.float64), tf.cast(count, tf.float64)
        self.scale = tf.cast(scale, tf.float64)
        self.exact = exact  # the extent times the scale, before it was rounded
        self.mode = n.text('coordinate_transformation_mode', 'half_pixel' if n.version >= 11 else 'asymmetric')

    def coordinates(self):
        """Where each element of the result lies in the input."""
        at = tf.cast(tf.range(tf.cast(self.count, tf.int32)), tf.float64)
        if self.mode == 'align_corners':
            return tf.where(at > 0, at * (self.extent - 1) / (self.exact - 1), at)
        if self.mode == 'asymmetric':
            return at / self.scale
        if self.mode == 'tf_half_pixel_for_nn':
            return (at + .5) / self.scale
        if self.mode == 'tf_crop_and_resize':
            begin, end = self.roi
            inner = tf.where(self.count > 1, at * (end - begin) * (self.extent - 1) / tf.maximum(self.count - 1, 1),
                             tf.zeros_like(at) + .5 * (end - begin) * (self.extent - 1))
            one = self.count > 1
            return tf.where(tf.logical_and(one, tf.ones_like(at, tf.bool)), begin * (self.extent - 1) + inner,
                            tf.zeros_like(at) + .5 * (begin + end) * (self.extent - 1))
        y = (at + .5) / self.scale - .5
        if self.mode == 'pytorch_half_pixel':
            return tf.where(tf.logical_and(self.count > 1, tf.ones_like(y, tf.bool)), y, tf.zeros_like(y))
        if self.mode == 'half_pixel_symmetric':
            return y + (self.extent - self.count / self.scale) / 2
        if self.mode != 'half_pixel':
            raise Refused('unknown coordinate_transformation_mode %s' % self.mode)
        return y

    def nearest(self, x, axis):
        how = self.n.text('nearest_mode', 'round_prefer_floor' if self.n.version >= 11 else 'floor')
        at = self.coordinates()
        if how == 'round_prefer_floor':
            at = tf.ceil(at - .5)
        elif how == 'round_prefer_ceil':
            at = tf.floor(at + .5)
        else:
            at = tf.floor(at) if how == 'floor' else tf.ceil(at)
        at = tf.cast(tf.maximum(tf.minimum(at, self.extent - 1), 0), tf.int32)
        return tf.gather(x, at, axis=axis)

    def weights(self, mode, antialias):
        """[count, extent]: the share of each element of the input in each of the result."""
        at = self.coordinates()
        a = tf.constant(self.n.get('cubic_coeff_a', -.75), tf.float64)
        extent = tf.cast(self.extent, tf.int32)
        exclude = self.n.get('exclude_outside', 0)
        if antialias:
            narrow = tf.minimum(self.scale, 1)
            line = tf.cast(tf.range(-tf.cast(self.extent, tf.int32), 2 * extent), tf.float64)
            d = tf.abs(tf.expand_dims(at, 1) - line) * narrow
            if mode == 'linear':
                share = tf.maximum(1 - d, 0)
            else:
                share = tf.where(d < 1, _cubic(d, a)[1], tf.where(d < 2, _cubic(d - 1, a)[0], tf.zeros_like(d)))
            reach = tf.cast(tf.ceil((1. if mode == 'linear' else 2.) / narrow), tf.float64)
            base = tf.expand_dims(tf.floor(at), 1)
            share = tf.where(tf.logical_and(line > base - reach, line <= base + reach), share, tf.zeros_like(share))
            if exclude:
                inside = tf.logical_and(line >= 0, line < self.extent)
                share = tf.where(tf.logical_and(inside, tf.ones_like(share, tf.bool)), share, tf.zeros_like(share))
            share = share / tf.reduce_sum(share, 1, True)
            clamped = tf.cast(tf.maximum(tf.minimum(line, self.extent - 1), 0), tf.int32)
            return tf.matmul(share, tf.one_hot(clamped, extent, dtype=tf.float64))
        base = tf.floor(at)
        t = at - base
        rows = [(0, 1 - t), (1, t)] if mode == 'linear' else list(zip((-1, 0, 1, 2), _cubic(t, a)))
        total, whole = None, None
        for offset, share in rows:
            place = base + offset
            if exclude:
                inside = tf.logical_and(place >= 0, place < self.extent)
                share = tf.where(inside, share, tf.zeros_like(share))
                whole = share if whole is None else whole + share
            place = tf.cast(tf.maximum(tf.minimum(place, self.extent - 1), 0), tf.int32)
            row = tf.one_hot(place, extent, dtype=tf.float64) * tf.expand_dims(share, 1)
            total = row if total is None else total + row
        return total if whole is None else total / tf.expand_dims(whole, 1)

    def outside(self):
        at = self.coordinates()
        return tf.logical_or(at < 0, at > self.extent - 1)


def _sample(n, x, sizes, scales, rois, exact):
    """Resamples each dimension in which the size differs."""
    mode = n.text('mode', 'nearest')
    old = dims(x)
    y = x if mode == 'nearest' else tf.cast(x, tf.float64 if x.dtype == tf.float64 else tf.float32)
    outside = None
    for a in range(rank(x)):
        same = isinstance(sizes[a], int) and isinstance(old[a], int) and sizes[a] == old[a]
        if same and rois is None and (not isinstance(scales[a], float) or scales[a] == 1):
            continue
        axis = _Axis(n, old[a], sizes[a], scales[a], None if rois is None else rois[a], exact[a])
        if mode == 'nearest':
            y = axis.nearest(y, a)
        elif mode in ('linear', 'cubic'):
            w = tf.cast(axis.weights(mode, n.get('antialias', 0)), y.dtype)
            y = _along(y, w, a)
        else:
            raise Refused('unknown mode %s' % mode)
        if rois is not None:
            off = tf.reshape(axis.outside(), [-1 if i == a else 1 for i in range(rank(x))])
            outside = off if outside is None else tf.logical_or(outside, off)
    if outside is not None:
        y = tf.raw_ops.SelectV2(condition=outside, t=like(n.get('extrapolation_value', 0.), y), e=y)
    return tf.cast(y, x.dtype)


def _along(x, w, axis):
    """The product of w and dimension `axis` of x."""
    r = rank(x)
    if axis == r - 1:
        y = tf.matmul(tf.expand_dims(x, 0) if r == 1 else x, w, transpose_b=True)
        return tf.squeeze(y, [0]) if r == 1 else y
    if axis == r - 2:
        return tf.matmul(w, x)
    order = list(range(r))
    order[axis], order[-1] = order[-1], order[axis]
    return tf.transpose(tf.matmul(tf.transpose(x, order), w, transpose_b=True), order)


@rule('Upsample', 1)
def _upsample_attributes(n, x):
    scales = n.get('scales', None) or [1., 1., n.get('height_scale', 1.), n.get('width_scale', 1.)]
    return _resize(n, x, None, scales)


@rule('Upsample', 9)
@rule('Resize', 10)
def _resize_scales(n, x, scales):
    return _resize(n, x, None, scales)


@rule('Resize', 11)
def _resize(n, x, roi=None, scales=None, sizes=None):
    r = rank(x)
    axes = [a + r if a < 0 else a for a in n.get('axes', None) or range(r)]
    old = dims(x)
    new, factors, exact = list(old), [1.] * r, list(old)
    known, known_sizes = _floats(scales), ints(sizes)
    if scales is not None and not isinstance(scales, list) and scales.shape.as_list() == [0]:
        scales = None
    for i, a in enumerate(axes):
        if sizes is not None:
            new[a] = known_sizes[i] if known_sizes is not None else tf.cast(sizes[i], tf.int32)
            factors[a] = tf.cast(new[a], tf.float64) / tf.cast(old[a], tf.float64)
        elif scales is None:
            raise Refused('it has neither scales nor sizes')
        else:
            factors[a] = known[i] if known is not None else tf.cast(scales[i], tf.float64)
            if isinstance(old[a], int) and known is not None:
                new[a] = int(np.floor(old[a] * np.float64(known[i])))
            else:
                new[a] = tf.cast(tf.floor(tf.cast(old[a], tf.float64) * factors[a]), tf.int32)
        exact[a] = tf.cast(old[a], tf.float64) * factors[a]
    policy = n.text('keep_aspect_ratio_policy', 'stretch')
    if sizes is not None and policy != 'stretch':
        f = tf.minimum if policy == 'not_larger' else tf.maximum
        both = factors[axes[0]]
        for a in axes[1:]:
            both = f(both, factors[a])
        for a in axes:
            factors[a] = both
            exact[a] = tf.cast(old[a], tf.float64) * both
            new[a] = tf.cast(tf.floor(exact[a] + .5), tf.int32)
    rois = None
    if n.text('coordinate_transformation_mode') == 'tf_crop_and_resize':
        roi = tf.cast(roi, tf.float64)
        rois = [(tf.constant(0., tf.float64), tf.constant(1., tf.float64))] * r
        for i, a in enumerate(axes):
            rois[a] = (roi[i], roi[i + len(axes)])
    return n.in_order(x, _sample, new, factors, rois, exact)


# ---- sampling at points ----

def _reflected(at, low, high):
    span = high - low
    at = tf.abs(at - low)
    turns = tf.floor(at / span)
    rest = at - turns * span
    return tf.where(tf.equal(tf.floormod(turns, 2), 0), rest + low, high - rest)


@rule('GridSample')
def _grid_sample(n, x, grid):
    """The last dimension of the grid has the coordinates x, y[, z] in [-1, 1]."""
    d = rank(x) - 2
    mode = {'bilinear': 'linear', 'bicubic': 'cubic'}.get(n.text('mode', 'linear'), n.text('mode', 'linear'))
    padding, corners = n.text('padding_mode', 'zeros'), n.get('align_corners', 0)
    last = n.channels_last(x)
    extents = [tf.cast(e, grid.dtype) for e in dims(x)[2:]]
    points = [grid[..., d - 1 - a] for a in range(d)]
    points = [(p + 1) / 2 * (e - 1) if corners else ((p + 1) * e - 1) / 2 for p, e in zip(points, extents)]

    def bounded(at, e):
        if padding == 'reflection':
            at = _reflected(at, like(0, at), e - 1) if corners else _reflected(at, like(-.5, at), e - .5)
        if padding in ('reflection', 'border'):
            at = tf.maximum(tf.minimum(at, e - 1), 0)
        return at
    if mode == 'nearest':
        points = [tf.round(bounded(p, e)) for p, e in zip(points, extents)]
        rows = [[(p, None)] for p in points]
    elif mode == 'linear':
        points = [bounded(p, e) for p, e in zip(points, extents)]
        base = [tf.floor(p) for p in points]
        rows = [[(b, 1 - (p - b)), (b + 1, p - b)] for p, b in zip(points, base)]
    elif mode == 'cubic':
        base = [tf.floor(p) for p in points]
        rows = [list(zip([b - 1, b, b + 1, b + 2], _cubic(p - b, like(-.75, p)))) for p, b in zip(points, base)]
        rows = [[(bounded(at, e), w) for at, w in row] for row, e in zip(rows, extents)]
    else:
        raise Refused('unknown mode %s' % mode)
    batch = tf.range(tf.shape(x)[0])
    batch = tf.zeros_like(points[0], tf.int32) + tf.reshape(batch, [-1] + [1] * d)
    total = None
    for choice in np.ndindex(*[len(row) for row in rows]):
        places, weight, inside = [batch], None, None
        for row, c, e in zip(rows, choice, extents):
            at, w = row[int(c)]
            within = tf.logical_and(at >= 0, at <= e - 1)
            inside = within if inside is None else tf.logical_and(inside, within)
            places.append(tf.cast(tf.maximum(tf.minimum(at, e - 1), 0), tf.int32))
            weight = w if weight is None else weight if w is None else weight * w
        values = tf.gather_nd(last, tf.stack(places, -1))
        part = tf.raw_ops.SelectV2(condition=tf.expand_dims(inside, -1), t=values, e=tf.zeros_like(values))
        part = part if weight is None else part * tf.cast(tf.expand_dims(weight, -1), part.dtype)
        total = part if total is None else total + part
    return n.channels_first(total)


@rule('AffineGrid')
def _affine_grid(n, theta, size):
    known = ints(size)
    d = (len(known) if known is not None else size.shape.as_list()[0]) - 2
    size = [tf.cast(size[2 + a], tf.int32) for a in range(d)]
    lines = []
    for a in range(d):
        at = tf.cast(tf.range(size[a]), theta.dtype)
        e = tf.cast(size[a], theta.dtype)
        if n.get('align_corners', 0):
            at = tf.where(tf.logical_and(e > 1, tf.ones_like(at, tf.bool)), at * 2 / tf.maximum(e - 1, 1) - 1, at * 0)
        else:
            at = (at * 2 + 1) / e - 1
        lines.append(tf.reshape(at, [-1 if i == a else 1 for i in range(d)]))
    whole = tf.stack(size)
    columns = [tf.broadcast_to(line, whole) for line in lines[::-1]] + [tf.ones(whole, theta.dtype)]
    base = tf.reshape(tf.stack(columns, -1), [1, -1, d + 1])
    y = tf.matmul(base, tf.transpose(theta, [0, 2, 1]))
    return tf.reshape(y, tf.concat([tf.shape(theta)[:1], whole, [d]], 0))


@rule('RoiAlign')
def _roi_align(n, x, rois, batch):
    height, width = n.get('output_height', 1), n.get('output_width', 1)
    samples, largest = n.get('sampling_ratio', 0), n.text('mode', 'avg') == 'max'
    if samples <= 0:
        raise Refused('a sampling_ratio of 0, which depends on each region, is not supported')
    half = n.version >= 16 and n.text('coordinate_transformation_mode', 'half_pixel') == 'half_pixel'
    rois = rois * n.get('spatial_scale', 1.) - (.5 if half else 0.)
    last = n.channels_last(x)

    def line(begin, end, bins):
        size = end - begin
        size = size if half else tf.maximum(size, 1)
        offsets = (np.arange(bins * samples) + .5) / (bins * samples)
        return tf.expand_dims(begin, 1) + tf.expand_dims(size, 1) * tf.constant(offsets, x.dtype)
    down, across = line(rois[:, 1], rois[:, 3], height), line(rois[:, 0], rois[:, 2], width)  # [rois, samples]
    h, w = [tf.cast(e, x.dtype) for e in dims(x)[2:]]

    def corner(at, e):
        inside = tf.logical_and(at >= -1, at <= e)
        at = tf.maximum(at, 0)
        low = tf.minimum(tf.floor(at), e - 1)
        high = tf.minimum(low + 1, e - 1)
        t = tf.where(low >= e - 1, tf.zeros_like(at), at - low)
        zero = tf.zeros_like(t)
        return [(low, tf.where(inside, 1 - t, zero)), (high, tf.where(inside, t, zero))]
    parts = []
    for y, wy in corner(down, h):
        for z, wz in corner(across, w):
            rows, columns = tf.cast(y, tf.int32), tf.cast(z, tf.int32)
            shape = tf.stack([tf.shape(rows)[0], height * samples, width * samples])
            places = tf.stack([tf.broadcast_to(tf.reshape(tf.cast(batch, tf.int32), [-1, 1, 1]), shape),
                               tf.broadcast_to(tf.expand_dims(rows, 2), shape),
                               tf.broadcast_to(tf.expand_dims(columns, 1), shape)], -1)
            weight = tf.expand_dims(tf.expand_dims(wy, 2) * tf.expand_dims(wz, 1), -1)
            parts.append(tf.gather_nd(last, places) * weight)

    def bins(v):
        """[rois, height, samples, width, samples, channels]"""
        return tf.reshape(v, [-1, height, samples, width, samples, x.shape.as_list()[1] or tf.shape(x)[1]])
    if largest:  # of the weighted corners, not of the interpolated points
        total = parts[0]
        for part in parts[1:]:
            total = tf.maximum(total, part)
        return tf.transpose(tf.reduce_max(bins(total), [2, 4]), [0, 3, 1, 2])
    total = parts[0] + parts[1] + parts[2] + parts[3]
    return tf.transpose(tf.reduce_mean(bins(total), [2, 4]), [0, 3, 1, 2])


@rule('NonMaxSuppression')
def _nms(n, boxes, scores, most=None, iou=None, score=None):
    if most is None:
        return tf.zeros([0, 3], tf.int64)
    most = scalar(most, tf.int32)
    iou = tf.constant(0.) if iou is None else scalar(iou)
    score = tf.constant(-np.inf, tf.float32) if score is None else scalar(score)
    if n.get('center_point_box', 0):
        x, y, w, h = [boxes[..., i] for i in range(4)]
        boxes = tf.stack([y - h / 2, x - w / 2, y + h / 2, x + w / 2], -1)
    shape = tf.shape(scores)
    classes = shape[1]

    def step(i, found):
        b, c = tf.floordiv(i, classes), tf.floormod(i, classes)
        kept = tf.image.non_max_suppression(boxes[b], scores[b, c], most, iou, score)
        head = tf.broadcast_to(tf.expand_dims(tf.stack([b, c]), 0), tf.stack([tf.size(kept), 2]))
        return i + 1, tf.concat([found, tf.concat([head, tf.expand_dims(kept, 1)], 1)], 0)
    loop = tf.while_loop(lambda i, found: i < shape[0] * classes, step, [tf.constant(0), tf.zeros([0, 3], tf.int32)],
                         shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 3])])
    return tf.cast(loop[1], tf.int64, name=n.out)


@rule('DeformConv')
def _deform_conv(n, x, w, offset, bias=None, mask=None):
    if rank(x) != 4:
        raise Refused('only two spatial dimensions are supported')
    kernel = n.get('kernel_shape', None) or w.shape.as_list()[2:]
    strides, dilations = n.get('strides', None) or [1, 1], n.get('dilations', None) or [1, 1]
    pads, groups, parts = n.get('pads', None) or [0] * 4, n.get('group', 1), n.get('offset_group', 1)
    last = n.channels_last(x)
    size = tf.shape(offset)
    b, rows, columns = size[0], size[2], size[3]
    points = kernel[0] * kernel[1]
    offset = tf.reshape(offset, tf.stack([b, parts, points, 2, rows, columns]))
    down = tf.reshape(tf.range(rows) * strides[0] - pads[0], [1, 1, -1, 1])
    across = tf.reshape(tf.range(columns) * strides[1] - pads[1], [1, 1, 1, -1])
    rowwise = np.repeat(np.arange(kernel[0]), kernel[1]) * dilations[0]
    columnwise = np.tile(np.arange(kernel[1]), kernel[0]) * dilations[1]
    y = tf.cast(down + tf.constant(rowwise.reshape([1, -1, 1, 1]), tf.int32), x.dtype)
    z = tf.cast(across + tf.constant(columnwise.reshape([1, -1, 1, 1]), tf.int32), x.dtype)
    h, wide = [tf.cast(e, x.dtype) for e in dims(x)[2:]]
    if None in w.shape.as_list():
        raise Refused('the shape of its filter is not known before a run')
    channels = w.shape.as_list()[1] * groups
    limited(parts, channels, 'an offset_group')
    limited(groups, channels, 'a group')
    limited(product(kernel), 4096, 'a kernel')
    sampled = []
    for part in range(parts):
        py, pz = y + offset[:, part, :, 0], z + offset[:, part, :, 1]  # [batch, points, rows, columns]
        first = last[..., part * channels // parts:(part + 1) * channels // parts]
        total = None
        for at_y, wy in ((tf.floor(py), None), (tf.floor(py) + 1, 1)):
            for at_z, wz in ((tf.floor(pz), None), (tf.floor(pz) + 1, 1)):
                weight = (1 - tf.abs(py - at_y)) * (1 - tf.abs(pz - at_z))
                inside = tf.logical_and(tf.logical_and(at_y >= 0, at_y <= h - 1), tf.logical_and(at_z >= 0, at_z <= wide - 1))
                weight = tf.where(inside, weight, tf.zeros_like(weight))
                place = [tf.cast(tf.maximum(tf.minimum(v, e - 1), 0), tf.int32) for v, e in ((at_y, h), (at_z, wide))]
                batch = tf.zeros_like(place[0]) + tf.reshape(tf.range(b), [-1, 1, 1, 1])
                value = tf.gather_nd(first, tf.stack([batch] + place, -1)) * tf.expand_dims(weight, -1)
                total = value if total is None else total + value
        if mask is not None:
            total = total * tf.expand_dims(tf.reshape(mask, tf.stack([b, parts, points, rows, columns]))[:, part], -1)
        sampled.append(total)
    columns_of = tf.transpose(tf.concat(sampled, -1), [0, 2, 3, 1, 4])  # [batch, rows, columns, points, channels]
    out = w.shape.as_list()[0]
    found = []
    for g in range(groups):
        some = columns_of[..., g * channels // groups:(g + 1) * channels // groups]
        filters = tf.transpose(w[g * out // groups:(g + 1) * out // groups], [2, 3, 1, 0])
        flat = tf.reshape(some, tf.stack([b * rows * columns, points * (channels // groups)]))
        found.append(tf.matmul(flat, tf.reshape(filters, [points * (channels // groups), out // groups])))
    y = tf.reshape(tf.concat(found, -1), tf.stack([b, rows, columns, out]))
    return n.channels_first(y if bias is None else y + bias)


@rule('ImageDecoder')
def _image_decoder(n, data):
    layout = n.text('pixel_format', 'RGB')
    text = tf.reduce_join(tf.gather(tf.constant([bytes([i]) for i in range(256)]), tf.cast(data, tf.int32)), 0)
    y = tf.image.decode_image(text, 1 if layout == 'Grayscale' else 3)
    return tf.reverse(y, [-1]) if layout == 'BGR' else y
