"""tf.contrib.slim.learning: the training operation, and the loop that runs it."""
import time

_graphs_own = object()


def clip_gradient_norms(gradients_to_variables, max_norm):
    """Clips each gradient to a maximum norm."""
    def clipped(gradient):
        if isinstance(gradient, tf.IndexedSlices):
            return tf.IndexedSlices(tf.clip_by_norm(gradient.values, max_norm), gradient.indices,
                                    gradient.dense_shape)
        return None if gradient is None else tf.clip_by_norm(gradient, max_norm)
    return [(clipped(gradient), var) for gradient, var in gradients_to_variables]


def clip_gradient_norms_fn(max_norm):
    """clip_gradient_norms as a function for the argument transform_grads_fn of create_train_op."""
    return lambda gradients_to_variables: clip_gradient_norms(gradients_to_variables, max_norm)


def multiply_gradients(grads_and_vars, gradient_multipliers):
    """Multiplies gradients by factors. A factor is given for a variable or for its name."""
    if not isinstance(grads_and_vars, list):
        raise ValueError('`grads_and_vars` must be a list.')
    if not gradient_multipliers:
        raise ValueError('`gradient_multipliers` is empty.')
    if not isinstance(gradient_multipliers, dict):
        raise ValueError('`gradient_multipliers` must be a dict.')

    def multiplied(gradient, var):
        key = var if var in gradient_multipliers else var.op.name
        if key not in gradient_multipliers:
            return gradient
        if gradient is None:
            raise ValueError('Requested multiple of `None` gradient.')
        factor = tf.convert_to_tensor(gradient_multipliers[key], dtype=gradient.dtype)
        if isinstance(gradient, tf.IndexedSlices):
            return tf.IndexedSlices(gradient.values * factor, gradient.indices, gradient.dense_shape)
        return gradient * factor
    return [(multiplied(gradient, var), var) for gradient, var in grads_and_vars]


def add_gradients_summaries(grads_and_vars):
    """Adds a summary of the histogram and the norm of each gradient."""
    return _summaries(grads_and_vars, '/')


def _summaries(grads_and_vars, behind_name):
    summaries = []
    for gradient, var in grads_and_vars:
        if gradient is None:
            tf.logging.info('Var %s has no gradient', var.op.name)
            continue
        values = gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
        summaries.append(tf.summary.histogram(var.op.name + behind_name + 'gradient', values))
        summaries.append(tf.summary.scalar(var.op.name + behind_name + 'gradient_norm', tf.global_norm([values])))
    return summaries


def _behind(operations, tensor):
    """Returns the tensor with a dependency on the operations."""
    with tf.name_scope(None, 'control_dependency', operations + [tensor]) as name:
        with tf.colocate_with(tensor), tf.control_dependencies(operations):
            return tf.identity(tensor, name=name)


def create_train_op(total_loss, optimizer, global_step=_graphs_own, update_ops=None, variables_to_train=None,
                    clip_gradient_norm=0, summarize_gradients=False, gate_gradients=tf.train.Optimizer.GATE_OP,
                    aggregation_method=None, colocate_gradients_with_ops=False, gradient_multipliers=None,
                    check_numerics=True):
    """Returns the loss as a tensor that depends on the updates and a step of the optimizer."""
    if global_step is _graphs_own:
        global_step = tf.train.get_or_create_global_step()
    known = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    update_ops = known if update_ops is None else update_ops
    if any(op not in update_ops for op in known):
        tf.logging.warning('update_ops in create_train_op does not contain all the update_ops in '
                           'GraphKeys.UPDATE_OPS')
    if update_ops:
        with tf.control_dependencies(update_ops):
            barrier = tf.no_op(name='update_barrier')
        total_loss = _behind([barrier], total_loss)
    variables_to_train = tf.trainable_variables() if variables_to_train is None else variables_to_train
    assert variables_to_train
    grads = optimizer.compute_gradients(total_loss, variables_to_train, gate_gradients=gate_gradients,
                                        aggregation_method=aggregation_method,
                                        colocate_gradients_with_ops=colocate_gradients_with_ops)
    if gradient_multipliers:
        with tf.name_scope('multiply_grads'):
            grads = multiply_gradients(grads, gradient_multipliers)
    if clip_gradient_norm > 0:
        with tf.name_scope('clip_grads'):
            grads = clip_gradient_norms(grads, clip_gradient_norm)
    if summarize_gradients:
        with tf.name_scope('summarize_grads'):
            _summaries(grads, '_')
    updates = optimizer.apply_gradients(grads, global_step=global_step)
    with tf.name_scope('train_op'):
        if check_numerics:
            total_loss = tf.check_numerics(total_loss, 'LossTensor is inf or nan')
        train_op = _behind([updates], total_loss)
    if train_op not in tf.get_collection(tf.GraphKeys.TRAIN_OP):
        tf.add_to_collection(tf.GraphKeys.TRAIN_OP, train_op)
    return train_op


def train_step(sess, train_op, global_step, train_step_kwargs):
    """Runs one step. Returns the loss and whether it was the last step."""
    began = time.time()
    total_loss, step = sess.run([train_op, global_step])
    took = time.time() - began
    if 'should_log' in train_step_kwargs and sess.run(train_step_kwargs['should_log']):
        tf.logging.info('global step %d: loss = %.4f (%.3f sec/step)', step, total_loss, took)
    return total_loss, 'should_stop' in train_step_kwargs and sess.run(train_step_kwargs['should_stop'])


def train(train_op, logdir, train_step_fn=train_step, train_step_kwargs=_graphs_own, log_every_n_steps=1, graph=None,
          master='', is_chief=True, global_step=None, number_of_steps=None, init_op=_graphs_own, init_feed_dict=None,
          local_init_op=_graphs_own, init_fn=None, ready_op=_graphs_own, summary_op=_graphs_own,
          save_summaries_secs=600, summary_writer=_graphs_own, startup_delay_steps=0, saver=None,
          save_interval_secs=600, sync_optimizer=None, session_config=None, session_wrapper=None,
          trace_every_n_steps=None, ignore_live_threads=False):
    """Runs train_op repeatedly, with checkpoints and summaries in logdir. Returns the last loss."""
    if train_op is None:
        raise ValueError('train_op cannot be None.')
    if logdir is None:
        for name, given in (('summary_op', summary_op is not _graphs_own), ('saver', saver is not None),
                            ('trace_every_n_steps', trace_every_n_steps is not None)):
            if given and not (name == 'summary_op' and summary_op is None):
                raise ValueError('Cannot provide %s because logdir=None' % name)
    if sync_optimizer is not None or trace_every_n_steps is not None:
        raise NotImplementedError('slim.learning.train: sync_optimizer and trace_every_n_steps are not part of tensh')
    if number_of_steps is not None and number_of_steps <= 0:
        raise ValueError('`number_of_steps` must be either None or a positive number.')
    graph = graph or tf.get_default_graph()
    with graph.as_default():
        if global_step is None:
            global_step = tf.train.get_or_create_global_step()
        saver = saver or tf.train.Saver()
        with tf.name_scope('init_ops'):
            init_op = tf.global_variables_initializer() if init_op is _graphs_own else init_op
            ready_op = tf.report_uninitialized_variables() if ready_op is _graphs_own else ready_op
            if local_init_op is _graphs_own:
                local_init_op = tf.group(tf.local_variables_initializer(), tf.tables_initializer())
        summary_op = tf.summary.merge_all() if summary_op is _graphs_own else summary_op
        if train_step_kwargs is _graphs_own:
            with tf.name_scope('train_step'):
                stop = tf.greater_equal(global_step, number_of_steps) if number_of_steps else tf.constant(False)
                train_step_kwargs = {'should_stop': stop}
                if log_every_n_steps > 0:
                    train_step_kwargs['should_log'] = tf.equal(tf.mod(global_step, log_every_n_steps), 0)
    writer = tf.train.Supervisor.USE_DEFAULT if summary_writer is _graphs_own else summary_writer
    sv = tf.train.Supervisor(graph=graph, is_chief=is_chief, logdir=logdir, init_op=init_op,
                             init_feed_dict=init_feed_dict, local_init_op=local_init_op, ready_op=ready_op,
                             summary_op=summary_op, summary_writer=writer, global_step=global_step, saver=saver,
                             save_summaries_secs=save_summaries_secs, save_model_secs=save_interval_secs,
                             init_fn=init_fn)
    train_step_kwargs['summary_writer'] = sv.summary_writer
    total_loss = None
    with sv.managed_session(master, start_standard_services=False, config=session_config) as sess:
        tf.logging.info('Starting Session.')
        sess = sess if session_wrapper is None else session_wrapper(sess)
        if is_chief and logdir:
            sv.start_standard_services(sess)
        threads = sv.start_queue_runners(sess)
        tf.logging.info('Starting Queues.')
        try:
            while not sv.should_stop():
                total_loss, should_stop = train_step_fn(sess, train_op, global_step, train_step_kwargs)
                if should_stop:
                    tf.logging.info('Stopping Training.')
                    sv.request_stop()
                    break
        except tf.errors.OutOfRangeError as e:
            tf.logging.info('Caught OutOfRangeError. Stopping Training. %s', e)
        if logdir and is_chief:
            tf.logging.info('Finished training! Saving model to disk.')
            sv.saver.save(sess, sv.save_path, global_step=sv.global_step)
            sv.stop(threads, close_summary_writer=True, ignore_live_threads=ignore_live_threads)
    return total_loss
