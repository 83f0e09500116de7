"""tf.contrib.layers: functions that create a layer of tf.layers whose variables, weights and biases, are model
variables."""
import functools
from tensorflow.contrib.framework import add_arg_scope, model_variable
from tensorflow.contrib.layers.initializers import xavier_initializer
from tensorflow.contrib.layers import utils


def _own_names(rename={}):
    """Returns a getter of variables for a core layer, which uses the names of this module and creates model variables."""
    def get(getter, name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=True,
            collections=None, caching_device=None, partitioner=None, use_resource=None, **_):
        scope, slash, last = name.rpartition('/')
        return model_variable(scope + slash + rename.get(last, last), shape=shape, dtype=dtype,
                              initializer=initializer, regularizer=regularizer, collections=collections,
                              trainable=trainable, caching_device=caching_device, partitioner=partitioner,
                              custom_getter=getter, use_resource=use_resource)
    return get


def _collect(variable, collections, name):
    for collection in utils.get_variable_collections(collections, name) or []:
        if variable not in tf.get_collection(collection):
            tf.add_to_collection(collection, variable)


def _core_format(data_format):
    if data_format not in ('NHWC', 'NCHW'):
        raise ValueError('data_format has to be either NCHW or NHWC.')
    return 'channels_first' if data_format == 'NCHW' else 'channels_last'


def _finish(outputs, scope, normalizer_fn, normalizer_params, activation_fn, outputs_collections):
    """Normalizes and activates the output of a layer, and adds it to the collections."""
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    return utils.collect_named_outputs(outputs_collections, scope.name, outputs)


def _apply(layer, inputs, variables_collections):
    outputs = layer.apply(inputs)
    _collect(layer.kernel, variables_collections, 'weights')
    if layer.bias is not None:
        _collect(layer.bias, variables_collections, 'biases')
    return outputs


@add_arg_scope
def fully_connected(inputs, num_outputs, activation_fn=tf.nn.relu, normalizer_fn=None, normalizer_params=None,
                    weights_initializer=xavier_initializer(), weights_regularizer=None,
                    biases_initializer=tf.zeros_initializer(), biases_regularizer=None, reuse=None,
                    variables_collections=None, outputs_collections=None, trainable=True, scope=None):
    """A layer of num_outputs neurons that are connected to all inputs."""
    if not isinstance(num_outputs, int):
        raise ValueError('num_outputs type should be one of %s, got %s.' % ([int], type(num_outputs)))
    with tf.variable_scope(scope, 'fully_connected', [inputs], reuse=reuse,
                           custom_getter=_own_names({'bias': 'biases', 'kernel': 'weights'})) as opened:
        inputs = tf.convert_to_tensor(inputs)
        layer = tf.layers.Dense(num_outputs, use_bias=bool(not normalizer_fn and biases_initializer),
                                kernel_initializer=weights_initializer, bias_initializer=biases_initializer,
                                kernel_regularizer=weights_regularizer, bias_regularizer=biases_regularizer,
                                trainable=trainable, name=opened.name, dtype=inputs.dtype.base_dtype,
                                _scope=opened, _reuse=reuse)
        return _finish(_apply(layer, inputs, variables_collections), opened, normalizer_fn, normalizer_params,
                       activation_fn, outputs_collections)


elu = functools.partial(fully_connected, activation_fn=tf.nn.elu)
linear = functools.partial(fully_connected, activation_fn=None)
relu = functools.partial(fully_connected, activation_fn=tf.nn.relu)
relu6 = functools.partial(fully_connected, activation_fn=tf.nn.relu6)


# ---- convolutions ----

@add_arg_scope
def convolution(inputs, num_outputs, kernel_size, stride=1, padding='SAME', data_format=None, rate=1,
                activation_fn=tf.nn.relu, normalizer_fn=None, normalizer_params=None,
                weights_initializer=xavier_initializer(), weights_regularizer=None,
                biases_initializer=tf.zeros_initializer(), biases_regularizer=None, reuse=None,
                variables_collections=None, outputs_collections=None, trainable=True, scope=None, conv_dims=None):
    """A convolution of sequences, images or volumes, depending on the rank of the inputs."""
    if data_format not in (None, 'NWC', 'NCW', 'NHWC', 'NCHW', 'NDHWC', 'NCDHW'):
        raise ValueError('Invalid data_format: %r' % (data_format,))
    with tf.variable_scope(scope, 'Conv', [inputs], reuse=reuse,
                           custom_getter=_own_names({'bias': 'biases', 'kernel': 'weights'})) as opened:
        inputs = tf.convert_to_tensor(inputs)
        rank = inputs.get_shape().ndims
        if conv_dims is not None and conv_dims + 2 != rank:
            raise ValueError('Convolution expects input with rank %d, got %d' % (conv_dims + 2, rank))
        if rank not in (3, 4, 5):
            raise ValueError('Convolution not supported for input with rank', rank)
        kind = {3: tf.layers.Conv1D, 4: tf.layers.Conv2D, 5: tf.layers.Conv3D}[rank]
        layout = 'channels_first' if data_format and data_format.startswith('NC') else 'channels_last'
        layer = kind(num_outputs, kernel_size, stride, padding, data_format=layout, dilation_rate=rate,
                     use_bias=bool(not normalizer_fn and biases_initializer), kernel_initializer=weights_initializer,
                     bias_initializer=biases_initializer, kernel_regularizer=weights_regularizer,
                     bias_regularizer=biases_regularizer, trainable=trainable, name=opened.name,
                     dtype=inputs.dtype.base_dtype, _scope=opened, _reuse=reuse)
        return _finish(_apply(layer, inputs, variables_collections), opened, normalizer_fn, normalizer_params,
                       activation_fn, outputs_collections)


def _convolution_of(dims, name, doc):
    def function(inputs, num_outputs, kernel_size, stride=1, padding='SAME', data_format=None, rate=1,
                 activation_fn=tf.nn.relu, normalizer_fn=None, normalizer_params=None,
                 weights_initializer=xavier_initializer(), weights_regularizer=None,
                 biases_initializer=tf.zeros_initializer(), biases_regularizer=None, reuse=None,
                 variables_collections=None, outputs_collections=None, trainable=True, scope=None):
        return convolution(inputs, num_outputs, kernel_size, stride, padding, data_format, rate, activation_fn,
                           normalizer_fn, normalizer_params, weights_initializer, weights_regularizer,
                           biases_initializer, biases_regularizer, reuse, variables_collections, outputs_collections,
                           trainable, scope, conv_dims=dims)
    function.__name__, function.__doc__ = name, doc
    return add_arg_scope(function)


convolution1d = _convolution_of(1, 'convolution1d', 'A convolution of sequences.')
convolution2d = _convolution_of(2, 'convolution2d', 'A convolution of images.')
convolution3d = _convolution_of(3, 'convolution3d', 'A convolution of volumes.')


@add_arg_scope
def convolution2d_transpose(inputs, num_outputs, kernel_size, stride=1, padding='SAME', data_format='NHWC',
                            activation_fn=tf.nn.relu, normalizer_fn=None, normalizer_params=None,
                            weights_initializer=xavier_initializer(), weights_regularizer=None,
                            biases_initializer=tf.zeros_initializer(), biases_regularizer=None, reuse=None,
                            variables_collections=None, outputs_collections=None, trainable=True, scope=None):
    """A transposed convolution, which enlarges images."""
    with tf.variable_scope(scope, 'Conv2d_transpose', [inputs], reuse=reuse,
                           custom_getter=_own_names({'bias': 'biases', 'kernel': 'weights'})) as opened:
        layout = _core_format(data_format)
        inputs = tf.convert_to_tensor(inputs)
        layer = tf.layers.Conv2DTranspose(
            num_outputs, kernel_size, stride, padding, data_format=layout,
            use_bias=bool(not normalizer_fn and biases_initializer), kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer, kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer, trainable=trainable, name=opened.name,
            dtype=inputs.dtype.base_dtype, _scope=opened, _reuse=reuse)
        return _finish(_apply(layer, inputs, variables_collections), opened, normalizer_fn, normalizer_params,
                       activation_fn, outputs_collections)


@add_arg_scope
def separable_convolution2d(inputs, num_outputs, kernel_size, depth_multiplier=1, stride=1, padding='SAME',
                            data_format='NHWC', rate=1, activation_fn=tf.nn.relu, normalizer_fn=None,
                            normalizer_params=None, weights_initializer=xavier_initializer(),
                            pointwise_initializer=None, weights_regularizer=None,
                            biases_initializer=tf.zeros_initializer(), biases_regularizer=None, reuse=None,
                            variables_collections=None, outputs_collections=None, trainable=True, scope=None):
    """A convolution of each channel, followed by one across channels. Without num_outputs, only the former."""
    layout = _core_format(data_format)
    renamed = {'bias': 'biases', 'depthwise_kernel': 'depthwise_weights', 'pointwise_kernel': 'pointwise_weights'}
    with tf.variable_scope(scope, 'SeparableConv2d', [inputs], reuse=reuse,
                           custom_getter=_own_names(renamed)) as opened:
        inputs = tf.convert_to_tensor(inputs)
        dtype = inputs.dtype.base_dtype
        if num_outputs is not None:
            layer = tf.layers.SeparableConv2D(
                num_outputs, kernel_size, stride, padding, data_format=layout,
                dilation_rate=utils.two_element_tuple(rate), depth_multiplier=depth_multiplier,
                use_bias=bool(not normalizer_fn and biases_initializer), depthwise_initializer=weights_initializer,
                pointwise_initializer=pointwise_initializer or weights_initializer,
                bias_initializer=biases_initializer, depthwise_regularizer=weights_regularizer,
                pointwise_regularizer=weights_regularizer, bias_regularizer=biases_regularizer,
                trainable=trainable, name=opened.name, dtype=dtype, _scope=opened, _reuse=reuse)
            outputs = layer.apply(inputs)
            _collect(layer.depthwise_kernel, variables_collections, 'weights')
            _collect(layer.pointwise_kernel, variables_collections, 'weights')
            if layer.bias is not None:
                _collect(layer.bias, variables_collections, 'biases')
        else:
            channels = utils.channel_dimension(inputs.get_shape(), layout, min_rank=4)
            weights = model_variable(
                'depthwise_weights', list(utils.two_element_tuple(kernel_size)) + [channels, depth_multiplier],
                dtype, weights_initializer, weights_regularizer, trainable,
                utils.get_variable_collections(variables_collections, 'weights'))
            strides = list(utils.two_element_tuple(stride))
            strides = [1, 1] + strides if data_format == 'NCHW' else [1] + strides + [1]
            outputs = tf.nn.depthwise_conv2d(inputs, weights, strides, padding, rate=utils.two_element_tuple(rate),
                                             data_format=data_format)
            if normalizer_fn is None and biases_initializer is not None:
                biases = model_variable('biases', [depth_multiplier * channels], dtype, biases_initializer,
                                        biases_regularizer, trainable,
                                        utils.get_variable_collections(variables_collections, 'biases'))
                outputs = tf.nn.bias_add(outputs, biases, data_format=data_format)
        return _finish(outputs, opened, normalizer_fn, normalizer_params, activation_fn, outputs_collections)


conv1d, conv2d, conv3d = convolution1d, convolution2d, convolution3d
conv2d_transpose, separable_conv2d = convolution2d_transpose, separable_convolution2d


def embed_sequence(ids, vocab_size=None, embed_dim=None, unique=False, initializer=None, regularizer=None, trainable=True,
                   scope=None, reuse=None):
    """Looks up the rows of a variable `embeddings` for sequences of word IDs. `unique` affects only the speed."""
    if not (reuse or vocab_size and embed_dim):
        raise ValueError('Must specify vocab size and embedding dimension when not reusing. Got vocab_size=%s and embed_dim=%s' % (
            vocab_size, embed_dim))
    with tf.variable_scope(scope, 'EmbedSequence', [ids], reuse=reuse):
        shape = [vocab_size, embed_dim] if vocab_size and embed_dim else None
        embeddings = model_variable('embeddings', shape=shape, initializer=initializer, regularizer=regularizer,
                                    trainable=trainable)
        return tf.nn.embedding_lookup(embeddings, ids)
