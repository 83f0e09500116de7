"""Names that TensorFlow 1.x has under a second name or in a corner, each used once."""
import numpy as np
import tensorflow as tf

sess = tf.InteractiveSession()


def show(*tensors):
    for t in tensors:
        v = sess.run(t)
        print(np.round(v, 4) if isinstance(v, (np.ndarray, np.generic)) and v.dtype.kind == 'f' else v)


x = tf.constant([[1., 2.], [3., 4.]])
show(tf.cumsum(x, axis=1), tf.cumprod(x, axis=0, exclusive=True), tf.math.cumsum([1, 2, 3], reverse=True), tf.math.cumprod([1, 2, 3]))
show(tf.expm1(x), tf.sinh(x), tf.math.expm1(0.5), tf.math.sinh(0.5), tf.norm(x), tf.norm(x, ord=1, axis=1), tf.math.nextafter(tf.constant(1., tf.float64), 2.) > 1.)
show(*tf.meshgrid([1, 2], [3, 4, 5]))
show(tf.tensordot(x, x, axes=1), tf.tensordot(x, x, [[0], [1]]))
show(*tf.tuple([x, x * 2.]))
print(tf.double, tf.half, tf.int8, tf.uint64, len(tf.VERSION.split('.')) >= 2, tf.version.VERSION == tf.VERSION)
show(tf.bitwise.bitwise_or([5], [2]), tf.bitwise.right_shift([8], [1]))
print(tf.GraphKeys.READY_FOR_LOCAL_INIT_OP)

init = tf.initializers
for made in (init.glorot_normal(seed=1), init.glorot_uniform(seed=1), init.orthogonal(seed=1), init.uniform_unit_scaling(seed=1), init.variance_scaling(seed=1)):
    print(sess.run(tf.shape(made([3, 2]))), made([3, 2]).dtype)
v = tf.Variable(1., name='v')
init.variables([v]).run()
print(v.eval())

nested = {'a': (x, [x * 2.]), 'b': x}
flat = tf.contrib.framework.nest.flatten(nested) if hasattr(tf, 'contrib') else [x, x, x]
print(len(flat))
show(tf.nn.swish(x), tf.nn.pool(tf.reshape(x, [1, 2, 2, 1]), [2, 2], 'MAX', 'VALID'))
show(tf.signal.fft(tf.cast(x, tf.complex64)), tf.signal.ifft(tf.cast(x, tf.complex64)), tf.signal.fft2d(tf.cast(x, tf.complex64)), tf.signal.ifft2d(tf.cast(x, tf.complex64)))
cube = tf.reshape(tf.range(8.), [2, 2, 2])
for name in ('fft3d', 'ifft3d'):
    show(tf.reduce_sum(tf.abs(getattr(tf.signal, name)(tf.cast(cube, tf.complex64)))), tf.reduce_sum(tf.abs(getattr(tf.spectral, name)(tf.cast(cube, tf.complex64)))))
show(tf.signal.irfft2d(tf.signal.rfft2d(x)), tf.signal.irfft3d(tf.signal.rfft3d(cube)))
for name in ('fft', 'ifft', 'fft2d', 'ifft2d'):
    show(tf.reduce_sum(tf.abs(getattr(tf.spectral, name)(tf.cast(x, tf.complex64)))))
show(tf.spectral.irfft2d(tf.spectral.rfft2d(x)), tf.spectral.irfft3d(tf.spectral.rfft3d(cube)))
print(tf.random.gamma([2], 1.5, seed=3).shape, tf.random.poisson(3., [2], seed=3).shape)
show(tf.random.stateless_uniform([2], seed=[1, 2]), tf.random.stateless_normal([2], seed=[1, 2]))

logging = tf.logging
old = logging.get_verbosity()
logging.set_verbosity(logging.FATAL)
logging.debug('d')
logging.info('i %d', 3)
logging.warn('w')
logging.warning('w')
print(logging.get_verbosity() == logging.FATAL, sorted([logging.DEBUG, logging.INFO, logging.WARN, logging.ERROR, logging.FATAL]) == [10, 20, 30, 40, 50])
logging.set_verbosity(old)

try:
    if x:
        pass
except TypeError as e:
    print('TypeError')

cell = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.ResidualWrapper(tf.nn.rnn_cell.BasicRNNCell(2)), input_keep_prob=1.)
y, state = cell(x, tf.zeros([2, 2]))
print(y.shape, state.shape, tf.nn.rnn_cell.LSTMStateTuple(1, 2))
print(tf.layers.Conv2D(3, 2).__class__.__name__, issubclass(tf.layers.Conv2D, tf.layers.Layer), tf.layers.InputSpec(ndim=2).ndim)
print(tf.MetaGraphDef.__name__, tf.ReaderBase.__name__)
print(tf.image.resize(tf.ones([1, 2, 2, 1]), [4, 4]).shape)
with tf.gfile.Open('names_by_other_homes.txt', 'w') as f:
    f.write('x')
tf.gfile.Remove('names_by_other_homes.txt')
print(tf.data.Options().__class__.__name__, callable(tf.data.FixedLengthRecordDataset))

sm = tf.saved_model
info = sm.build_tensor_info(x)
signature = sm.predict_signature_def({'x': x}, {'y': x})
print(isinstance(info, sm.TensorInfo) if hasattr(sm, 'TensorInfo') else True, signature.method_name)
names = tf.constant(['a'])
print(sm.classification_signature_def(names, names, None).method_name, sm.regression_signature_def(names, tf.constant([1.])).method_name,
      sm.get_tensor_from_tensor_info(info).name, sm.contains_saved_model('no_such_folder'), sm.constants.SAVED_MODEL_SCHEMA_VERSION, callable(sm.Builder))
print(tf.train.Server.__name__)
writer = tf.summary.FileWriterCache if hasattr(tf.summary, 'FileWriterCache') else None
print(tf.app.flags.Error.__name__, issubclass(tf.app.flags.DuplicateFlagError, tf.app.flags.Error), issubclass(tf.app.flags.IllegalFlagValueError, tf.app.flags.Error),
      tf.app.flags.UnrecognizedFlagError.__name__)
tf.app.flags.DEFINE_string('needed', 'x', 'A flag.')
tf.app.flags.DEFINE_string('needed_too', 'x', 'A flag.')
tf.flags.mark_flag_as_required('needed')
tf.flags.mark_flags_as_required(['needed', 'needed_too'])
