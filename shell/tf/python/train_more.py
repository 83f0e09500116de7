"""tf.train: variables from checkpoints, loops over checkpoints, replicas in step."""
import time


# ---- checkpoints ----

def _checkpoint(path):
    found = tf.train.latest_checkpoint(path) if tf.gfile.IsDirectory(path) else path
    if found is None:
        raise ValueError("Couldn't find 'checkpoint' file or checkpoints in given directory %s" % path)
    return found


def _starts_from(variable, reader, path, name):
    """The variable's initializer reads it from a checkpoint."""
    shape = reader.get_variable_to_shape_map()[name]
    if not variable.get_shape().is_compatible_with(shape):
        raise ValueError("Shape of variable %s (%s) doesn't match with shape of tensor %s (%s) from checkpoint reader." % (
            variable.name, variable.get_shape(), name, shape))
    with tf.device('/cpu:0'):
        kind = variable.dtype.base_dtype
        read = tf.raw_ops.RestoreV2(prefix=path, tensor_names=[name], shape_and_slices=[''], dtypes=[kind],
                                    name='checkpoint_initializer')
        read = read[0] if isinstance(read, (list, tuple)) else read
        variable._set_initializer(tf.assign(variable, tf.reshape(read, shape)).op)


def init_from_checkpoint(ckpt_dir_or_file, assignment_map):
    """Variables of this graph start from what a checkpoint holds: {name or scope/ there: variable, name or scope/ here}."""
    path = _checkpoint(ckpt_dir_or_file)
    reader = tf.train.NewCheckpointReader(path)
    there = reader.get_variable_to_shape_map()
    here = {v.op.name: v for v in tf.global_variables()}
    for source in sorted(assignment_map):
        target = assignment_map[source]
        if not isinstance(target, str):
            pairs = [(source, v) for v in (target if isinstance(target, (list, tuple)) else [target])]
        elif target in here:
            pairs = [(source, here[target])]
        elif target == '/' or target.endswith('/'):
            scope, prefix = target.strip('/'), source.strip('/')
            inside = [name for name in here if not scope or name.startswith(scope + '/')]
            pairs = [((prefix + '/' if prefix else '') + name[len(scope) + 1 if scope else 0:], here[name])
                     for name in sorted(inside)]
        else:
            raise ValueError('Assignment map with scope only name %s should map to scope only %s. Should be '
                             "'scope/': 'other_scope/'." % (target, source))
        for name, variable in pairs:
            if name not in there:
                raise ValueError('Tensor %s is not found in %s checkpoint %s' % (name, path, sorted(there)))
            _starts_from(variable, reader, path, name)


def checkpoints_iterator(checkpoint_dir, min_interval_secs=0, timeout=None, timeout_fn=None):
    """The newest checkpoint of a folder, and each that comes after it."""
    last = None
    while True:
        waited = time.time()
        found = tf.train.latest_checkpoint(checkpoint_dir)
        while found is None or found == last:
            if timeout is not None and time.time() - waited >= timeout:
                if timeout_fn is None or timeout_fn():
                    return
                waited = time.time()
            time.sleep(min(1, 1 if timeout is None else timeout / 10 or .001))
            found = tf.train.latest_checkpoint(checkpoint_dir)
        start, last = time.time(), found
        yield found
        time.sleep(max(0, min_interval_secs - (time.time() - start)))


def get_checkpoint_mtimes(checkpoint_prefixes):
    """When the checkpoints were written."""
    names = [p + '.index' if tf.gfile.Exists(p + '.index') else p for p in checkpoint_prefixes]
    return [tf.gfile.Stat(name).mtime_nsec / 1e9 for name in names if tf.gfile.Exists(name)]


def assert_global_step(global_step_tensor):
    """TypeError unless it can count steps."""
    if not (isinstance(global_step_tensor, (tf.Variable, tf.Tensor))):
        raise TypeError('Existing "global_step" must be a Variable or Tensor: %s.' % global_step_tensor)
    if not global_step_tensor.dtype.base_dtype.is_integer:
        raise TypeError('Existing "global_step" does not have integer type: %s' % global_step_tensor.dtype)
    if global_step_tensor.get_shape().ndims not in (0, None):
        raise TypeError('Existing "global_step" is not scalar: %s' % global_step_tensor.get_shape())


def basic_train_loop(supervisor, train_step_fn, args=None, kwargs=None, master=''):
    """Calls train_step_fn(session, …) until the supervisor says stop."""
    with supervisor.managed_session(master) as sess:
        while not supervisor.should_stop():
            train_step_fn(sess, *(args or ()), **(kwargs or {}))


# ---- replicas in step ----

class SyncReplicasOptimizer(object):
    """Applies the mean of the replicas' gradients once enough of them came; each replica waits for its token."""

    def __init__(self, opt, replicas_to_aggregate, total_num_replicas=None, variable_averages=None,
                 variables_to_average=None, use_locking=False, name='sync_replicas'):
        self._name, self._opt, self._wanted = name, opt, replicas_to_aggregate
        self._total = replicas_to_aggregate if total_num_replicas is None else total_num_replicas
        self._tokens = max(self._total, replicas_to_aggregate)
        self._averages, self._averaged = variable_averages, variables_to_average
        self._applied = False

    def compute_gradients(self, *args, **kwargs):
        """Those of the optimizer within."""
        return self._opt.compute_gradients(*args, **kwargs)

    def minimize(self, loss, global_step=None, var_list=None, gate_gradients=1, aggregation_method=None,
                 colocate_gradients_with_ops=False, name=None, grad_loss=None):
        """The operation that changes the variables to make the loss smaller."""
        pairs = self.compute_gradients(loss, var_list=var_list, grad_loss=grad_loss)
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """The operation that hands gradients in and waits for a token."""
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError('Must supply at least one variable')
        if global_step is None:
            raise ValueError('Global step is required to check staleness')
        local = tf.Variable(initial_value=0, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES],
                            dtype=global_step.dtype.base_dtype, name='sync_rep_local_step')
        self.local_step_init_op = tf.assign(local, global_step)
        self.ready_for_local_init_op = tf.report_uninitialized_variables(tf.global_variables())
        with tf.name_scope(None, self._name):
            handed, means, self._accumulators = [], [], []
            for grad, v in pairs:
                if grad is None:
                    means.append(None)
                    continue
                if isinstance(grad, tf.IndexedSlices):
                    keeper = tf.SparseConditionalAccumulator(grad.dtype, shape=(), shared_name=v.name + '/grad_accum')
                    handed.append(keeper.apply_indexed_slices_grad(grad, local_step=local))
                    means.append(keeper.take_indexed_slices_grad(self._wanted))
                else:
                    keeper = tf.ConditionalAccumulator(grad.dtype, shape=v.get_shape(),
                                                       shared_name=v.name + '/grad_accum')
                    handed.append(keeper.apply_grad(grad, local_step=local))
                    means.append(keeper.take_grad(self._wanted))
                self._accumulators.append(keeper)
        with tf.name_scope(''):
            update = self._opt.apply_gradients(zip(means, [v for _, v in pairs]), global_step)
            tokens = tf.FIFOQueue(-1, global_step.dtype.base_dtype, shapes=(), name='sync_token_q',
                                  shared_name='sync_token_q')
            self._token_queue, self._step = tokens, global_step
            with tf.control_dependencies(handed):
                token = tokens.dequeue()
            train = tf.assign(local, token)
            with tf.control_dependencies([update]):
                sync = tokens.enqueue_many((tf.fill([self._tokens], global_step),))
            if self._averages is not None:
                with tf.control_dependencies([sync]):
                    sync = self._averages.apply(self._averaged)
            self._runner = tf.train.QueueRunner(tokens, [sync])
        self.chief_init_op = tf.group(self.local_step_init_op, *[
            keeper.set_global_step(global_step, name='SetGlobalStep') for keeper in self._accumulators])
        self._applied = True
        return train

    def get_chief_queue_runner(self):
        """What applies the gradients, in the chief."""
        if not self._applied:
            raise ValueError('Should be called after apply_gradients().')
        return self._runner

    def get_init_tokens_op(self, num_tokens=-1):
        """The operation that lets the first replicas go."""
        if not self._applied:
            raise ValueError('get_init_tokens_op() should be called after apply_gradients().')
        needed = self._wanted - self._total
        if num_tokens == -1:
            num_tokens = self._wanted
        elif num_tokens < needed:
            raise ValueError('Too few tokens to finish the first step: %d (given) vs %d (needed)' % (num_tokens, needed))
        if num_tokens <= 0:
            return tf.no_op(name='no_init_tokens')
        return self._token_queue.enqueue_many((tf.fill([num_tokens], self._step),))

    def get_slot(self, *args, **kwargs):
        """Of the optimizer within."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args, **kwargs):
        """Of the optimizer within."""
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self):
        """Of the optimizer within."""
        return self._opt.variables()

    def make_session_run_hook(self, is_chief, num_tokens=-1):
        """The hook that starts the chief's runner and hands out the first tokens."""
        return _SyncReplicasOptimizerHook(self, is_chief, num_tokens)


class _SyncReplicasOptimizerHook(tf.train.SessionRunHook):
    def __init__(self, optimizer, is_chief, num_tokens):
        self._optimizer, self._is_chief, self._num_tokens = optimizer, is_chief, num_tokens

    def begin(self):
        optimizer = self._optimizer
        if not optimizer._applied:
            raise ValueError('SyncReplicasOptimizer.apply_gradient should be called before using the hook.')
        self._start = optimizer.chief_init_op if self._is_chief else optimizer.local_step_init_op
        self._tokens = optimizer.get_init_tokens_op(self._num_tokens) if self._is_chief else None

    def after_create_session(self, session, coord):
        session.run(self._start)
        if self._is_chief:
            session.run(self._tokens)
            self._optimizer.get_chief_queue_runner().create_threads(session, coord=coord, daemon=True, start=True)
