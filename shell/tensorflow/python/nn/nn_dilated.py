"""Dilated convolutions as in TF 1.x: batches of every n-th pixel with an ordinary convolution."""


def convolve(image, kernel, padding, rate):
    """Returns None if sizes are unknown. In this case, the op itself skips pixels."""
    size, window = image.shape[1:3], kernel.shape[:2]
    if not size.is_fully_defined() or not window.is_fully_defined():
        return None
    size, window = size.as_list(), window.as_list()
    scope = tf.get_default_graph().get_name_scope() + '/'
    tf.constant(rate, tf.int32, name='dilation_rate')
    base = [[0, 0], [0, 0]]
    if padding == 'SAME':
        tf.constant(window, tf.int32, name='filter_shape')
        base = []
        for n, r in zip(window, rate):
            extra = (n - 1) * r
            base.append([extra // 2, extra - extra // 2])
        tf.constant(base, tf.int32, name='stack')
    with tf.name_scope('required_space_to_batch_paddings'):
        tf.constant(size, tf.int32, name='input_shape')
        if padding != 'SAME':
            tf.constant(base, tf.int32, name='base_paddings')
        pads, crops = [], []
        for n, (before, after), r in zip(size, base, rate):
            more = (r - (n + before + after) % r) % r
            pads.append([before, after + more])
            crops.append([0, more])
        tf.constant(pads, tf.int32, name='paddings')
        tf.constant(crops, tf.int32, name='crops')
    parts = tf.space_to_batch_nd(image, rate, pads)
    return tf.batch_to_space_nd(tf.nn.conv2d(parts, kernel, [1, 1, 1, 1], 'VALID', name=scope), rate, crops)
