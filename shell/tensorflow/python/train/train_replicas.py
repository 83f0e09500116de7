"""tf.train.SyncReplicasOptimizer: replicas that update variables in step."""


class SyncReplicasOptimizer(object):
    """Applies the mean of the replicas' gradients when enough have arrived. Each replica then waits for a token."""

    def __init__(self, opt, replicas_to_aggregate, total_num_replicas=None, variable_averages=None,
                 variables_to_average=None, use_locking=False, name='sync_replicas'):
        self._name, self._opt, self._wanted = name, opt, replicas_to_aggregate
        self._total = replicas_to_aggregate if total_num_replicas is None else total_num_replicas
        self._tokens = max(self._total, replicas_to_aggregate)
        self._averages, self._averaged = variable_averages, variables_to_average
        self._applied = False

    def compute_gradients(self, *args, **kwargs):
        """Delegates to the wrapped optimizer."""
        return self._opt.compute_gradients(*args, **kwargs)

    def minimize(self, loss, global_step=None, var_list=None, gate_gradients=1, aggregation_method=None,
                 colocate_gradients_with_ops=False, name=None, grad_loss=None):
        """Returns the operation that minimizes the loss."""
        pairs = self.compute_gradients(loss, var_list=var_list, grad_loss=grad_loss)
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Returns the operation that submits gradients and waits for a token."""
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
        """Returns the runner that applies gradients in the chief."""
        if not self._applied:
            raise ValueError('Should be called after apply_gradients().')
        return self._runner

    def get_init_tokens_op(self, num_tokens=-1):
        """Returns the operation that provides the first tokens."""
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
        """Delegates to the wrapped optimizer."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args, **kwargs):
        """Delegates to the wrapped optimizer."""
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self):
        """Delegates to the wrapped optimizer."""
        return self._opt.variables()

    def make_session_run_hook(self, is_chief, num_tokens=-1):
        """Returns the hook that starts the chief's runner and provides the first tokens."""
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
