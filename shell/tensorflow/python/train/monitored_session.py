"""tf.train: sessions with hooks, and related classes: Scaffold, MonitoredTrainingSession, Supervisor."""
import collections
import contextlib
import os
import time

SessionRunValues = collections.namedtuple('SessionRunValues', ['results', 'options', 'run_metadata'])
_DEFAULT = object()


class SessionRunArgs(object):
    """The fetches and feeds that a hook adds to a run."""

    def __init__(self, fetches, feed_dict=None, options=None):
        self.fetches, self.feed_dict, self.options = fetches, feed_dict, options

    def __iter__(self):
        return iter((self.fetches, self.feed_dict, self.options))


class SessionRunContext(object):
    """The context of a run, which hooks receive."""

    def __init__(self, original_args, session):
        self._original_args, self._session, self._stop_requested = original_args, session, False

    original_args = property(lambda self: self._original_args)
    session = property(lambda self: self._session)
    stop_requested = property(lambda self: self._stop_requested)

    def request_stop(self):
        self._stop_requested = True


def _get(key):
    items = tf.get_collection(key)
    return items[0] if items else None


class Scaffold(object):
    """The operations that prepare a graph. Operations that are not given get their defaults."""

    def __init__(self, init_op=None, init_feed_dict=None, init_fn=None, ready_op=None, ready_for_local_init_op=None,
                 local_init_op=None, summary_op=None, saver=None, copy_from_scaffold=None, local_init_feed_dict=None):
        old = copy_from_scaffold
        self._init_op = init_op or (old and old.init_op)
        self._init_feed_dict = init_feed_dict or (old and old.init_feed_dict)
        if init_fn is not None:
            self._init_fn = lambda sess: init_fn(self, sess)
        else:
            self._init_fn = old and old.init_fn
        self._ready_op, self._ready_for_local_init_op = ready_op, ready_for_local_init_op
        self._local_init_op, self._local_init_feed_dict = local_init_op, local_init_feed_dict
        self._summary_op, self._saver = summary_op, saver

    init_op = property(lambda self: self._init_op)
    init_feed_dict = property(lambda self: self._init_feed_dict)
    init_fn = property(lambda self: self._init_fn)
    ready_op = property(lambda self: self._ready_op)
    ready_for_local_init_op = property(lambda self: self._ready_for_local_init_op)
    local_init_op = property(lambda self: self._local_init_op)
    local_init_feed_dict = property(lambda self: self._local_init_feed_dict)
    summary_op = property(lambda self: self._summary_op)
    saver = property(lambda self: self._saver)

    @staticmethod
    def default_local_init_op():
        return tf.group(tf.local_variables_initializer(), tf.tables_initializer())

    def _default(self, given, key, make):
        found = _get(key) if given is None else given
        if found is None:
            found = make()
            if found is not None:
                tf.add_to_collection(key, found)
        return found

    def finalize(self):
        """Creates missing operations and finalizes the graph."""
        keys = tf.GraphKeys
        if not tf.get_default_graph().finalized:
            self._init_op = self._default(self._init_op, keys.INIT_OP, tf.global_variables_initializer)
            self._ready_op = self._default(self._ready_op, keys.READY_OP, tf.report_uninitialized_variables)
            self._local_init_op = self._default(self._local_init_op, keys.LOCAL_INIT_OP, self.default_local_init_op)
            self._summary_op = self._default(self._summary_op, keys.SUMMARY_OP, tf.summary.merge_all)
            if self._saver is None:
                self._saver = _get(keys.SAVERS)
            if self._saver is None and tf.global_variables():
                self._saver = tf.train.Saver()
                tf.add_to_collection(keys.SAVERS, self._saver)
            tf.get_default_graph()._seal()
        return self


class ChiefSessionCreator(object):
    """Creates sessions. They are restored from a checkpoint if there is one, and otherwise initialized."""

    def __init__(self, scaffold=None, master='', config=None, checkpoint_dir=None, checkpoint_filename_with_path=None):
        self._scaffold = scaffold or Scaffold()
        self._master, self._config = master, config
        self._checkpoint_dir, self._checkpoint_path = checkpoint_dir, checkpoint_filename_with_path

    def create_session(self):
        scaffold = self._scaffold.finalize()
        sess = tf.Session(self._master, config=self._config)
        path = self._checkpoint_path
        if path is None and self._checkpoint_dir:
            path = tf.train.latest_checkpoint(self._checkpoint_dir)
        if path is not None and scaffold.saver is not None:
            scaffold.saver.restore(sess, path)
        else:
            sess.run(scaffold.init_op, feed_dict=scaffold.init_feed_dict)
            if scaffold.init_fn:
                scaffold.init_fn(sess)
        sess.run(scaffold.local_init_op, feed_dict=scaffold.local_init_feed_dict)
        left = sess.run(scaffold.ready_op)
        if len(left):
            raise RuntimeError('Init operations did not make model ready.  Variables not initialized: ' +
                               ', '.join(name.decode() for name in left))
        return sess


class WorkerSessionCreator(ChiefSessionCreator):
    """Creates sessions when the chief has initialized the variables."""

    def __init__(self, scaffold=None, master='', config=None, max_wait_secs=30 * 60):
        super(WorkerSessionCreator, self).__init__(scaffold, master, config)
        self._max_wait_secs = max_wait_secs

    def create_session(self):
        scaffold = self._scaffold.finalize()
        end, wait = time.time() + self._max_wait_secs, 0.05
        while True:
            sess, left = None, []
            try:
                sess = tf.Session(self._master, config=self._config)
                sess.run(scaffold.local_init_op, feed_dict=scaffold.local_init_feed_dict)
                left = sess.run(scaffold.ready_op)
                if len(left) == 0:
                    return sess
            except (tf.errors.UnavailableError, tf.errors.FailedPreconditionError):  # not started, or not initialized
                pass
            if sess is not None:
                sess.close()
            if time.time() + wait > end:
                names = ', '.join(name.decode() for name in left)
                raise tf.errors.DeadlineExceededError(None, None, 'Session was not ready after waiting %d secs. %s' % (
                    self._max_wait_secs, 'Variables not initialized: ' + names if names else ''))
            time.sleep(wait)
            wait = min(2 * wait, 5)


class MonitoredSession(object):
    """A session whose hooks are called around each run."""

    def __init__(self, session_creator=None, hooks=None, stop_grace_period_secs=120):
        self._hooks = list(hooks or [])
        for h in self._hooks:
            h.begin()
        self._creator = session_creator or ChiefSessionCreator()
        self._graph = tf.get_default_graph()
        self._was_finalized = self._graph.finalized
        self._tf_sess = self._creator.create_session()
        self._coord = tf.train.Coordinator()
        self._stop = False
        if tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
            tf.train.start_queue_runners(sess=self._tf_sess, coord=self._coord)
        for h in self._hooks:
            h.after_create_session(self._tf_sess, self._coord)

    graph = property(lambda self: self._graph)

    def _is_closed(self):
        return self._tf_sess is None

    def should_stop(self):
        return self._tf_sess is None or self._stop or self._coord.should_stop()

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        if self._tf_sess is None:
            raise RuntimeError('Run called even after should_stop requested.')
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._tf_sess)
        feeds = dict(feed_dict or {})
        wanted, asked = [fetches], []
        for h in self._hooks:
            request = h.before_run(context)
            if request is None:
                continue
            if request.fetches is not None:
                asked.append(h)
                wanted.append(request.fetches)
            for key, value in (request.feed_dict or {}).items():
                if key in feeds:
                    raise RuntimeError('Same tensor is fed by two hooks or by a hook and the user.')
                feeds[key] = value
        results = self._tf_sess.run(wanted, feed_dict=feeds)
        for h in self._hooks:
            mine = results[1 + asked.index(h)] if h in asked else None
            h.after_run(context, SessionRunValues(mine, None, run_metadata))
        self._stop = self._stop or context.stop_requested
        return results[0]

    def run_step_fn(self, step_fn):
        """Calls step_fn with a context that can run and stop."""
        return step_fn(_StepContext(self))

    def close(self):
        self._close(None)

    def _close(self, exception_type):
        if self._tf_sess is None:
            return
        try:
            if exception_type is None:
                for h in self._hooks:
                    h.end(self._tf_sess)
        finally:
            sess, self._tf_sess = self._tf_sess, None
            self._coord.request_stop()
            sess.close()
            if not self._was_finalized:
                self._graph._unseal()

    def __enter__(self):
        return self

    def __exit__(self, exception_type, exception_value, traceback):
        if exception_type in (tf.errors.OutOfRangeError, StopIteration):
            exception_type = None
        self._close(exception_type)
        return exception_type is None


class SingularMonitoredSession(MonitoredSession):
    """A MonitoredSession that gives access to its session."""

    def __init__(self, hooks=None, scaffold=None, master='', config=None, checkpoint_dir=None,
                 stop_grace_period_secs=120, checkpoint_filename_with_path=None):
        super(SingularMonitoredSession, self).__init__(
            ChiefSessionCreator(scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path), hooks)

    def raw_session(self):
        return self._tf_sess


class _StepContext(object):
    def __init__(self, monitored):
        self._monitored = monitored

    session = property(lambda self: self._monitored._tf_sess)

    def run_with_hooks(self, *args, **kwargs):
        return self._monitored.run(*args, **kwargs)

    def request_stop(self):
        raise StopIteration('step_fn has requested the iterations to stop.')


def MonitoredTrainingSession(master='', is_chief=True, checkpoint_dir=None, scaffold=None, hooks=None,
                             chief_only_hooks=None, save_checkpoint_secs=_DEFAULT, save_summaries_steps=_DEFAULT,
                             save_summaries_secs=_DEFAULT, config=None, stop_grace_period_secs=120,
                             log_step_count_steps=100, max_wait_secs=7200, save_checkpoint_steps=_DEFAULT,
                             summary_dir=None):
    """A MonitoredSession that saves checkpoints and summaries."""
    if save_summaries_steps is _DEFAULT and save_summaries_secs is _DEFAULT:
        save_summaries_steps, save_summaries_secs = 100, None
    if save_checkpoint_secs is _DEFAULT and save_checkpoint_steps is _DEFAULT:
        save_checkpoint_secs, save_checkpoint_steps = 600, None
    values = [None if v is _DEFAULT else v
              for v in (save_summaries_steps, save_summaries_secs, save_checkpoint_steps, save_checkpoint_secs)]
    summary_steps, summary_secs, checkpoint_steps, checkpoint_secs = values
    scaffold = scaffold or Scaffold()
    all_hooks = list(chief_only_hooks or []) if is_chief else []
    summary_dir = summary_dir or checkpoint_dir
    if is_chief and summary_dir:
        if log_step_count_steps and log_step_count_steps > 0:
            all_hooks.append(tf.train.StepCounterHook(output_dir=summary_dir, every_n_steps=log_step_count_steps))
        if (summary_steps and summary_steps > 0) or (summary_secs and summary_secs > 0):
            all_hooks.append(tf.train.SummarySaverHook(scaffold=scaffold, save_steps=summary_steps,
                                                       save_secs=summary_secs, output_dir=summary_dir))
    if is_chief and checkpoint_dir:
        if (checkpoint_secs and checkpoint_secs > 0) or (checkpoint_steps and checkpoint_steps > 0):
            all_hooks.append(tf.train.CheckpointSaverHook(checkpoint_dir, save_steps=checkpoint_steps,
                                                          save_secs=checkpoint_secs, scaffold=scaffold))
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir) if is_chief else WorkerSessionCreator(
        scaffold, master, config, max_wait_secs)
    return MonitoredSession(session_creator=creator, hooks=all_hooks + list(hooks or []),
                            stop_grace_period_secs=stop_grace_period_secs)


class Supervisor(object):
    """The predecessor of MonitoredTrainingSession: a session that is restored or initialized, and saved."""
    USE_DEFAULT = _DEFAULT

    def __init__(self, graph=None, ready_op=_DEFAULT, ready_for_local_init_op=_DEFAULT, is_chief=True,
                 init_op=_DEFAULT, init_feed_dict=None, local_init_op=_DEFAULT, logdir=None, summary_op=_DEFAULT,
                 saver=_DEFAULT, global_step=_DEFAULT, save_summaries_secs=120, save_model_secs=600,
                 recovery_wait_secs=30, stop_grace_secs=120, checkpoint_basename='model.ckpt', session_manager=None,
                 summary_writer=_DEFAULT, init_fn=None, local_init_run_options=None):
        plain = lambda v: None if v is _DEFAULT else v
        self._graph = graph or tf.get_default_graph()
        self._scaffold = Scaffold(
            init_op=plain(init_op), init_feed_dict=init_feed_dict, ready_op=plain(ready_op),
            local_init_op=plain(local_init_op), summary_op=plain(summary_op), saver=plain(saver),
            init_fn=(lambda scaffold, sess: init_fn(sess)) if init_fn else None)
        self._is_chief, self._logdir, self._save = is_chief, logdir, saver is not None and save_model_secs
        self._global_step = tf.train.get_global_step(self._graph) if global_step is _DEFAULT else global_step
        self._path = os.path.join(logdir, checkpoint_basename) if logdir else None
        self._writer = tf.summary.FileWriter(logdir) if logdir and summary_writer is _DEFAULT else plain(summary_writer)
        self._coord = tf.train.Coordinator()
        with self._graph.as_default():
            self._scaffold.finalize()

    coord = property(lambda self: self._coord)
    is_chief = property(lambda self: self._is_chief)
    saver = property(lambda self: self._scaffold.saver)
    save_path = property(lambda self: self._path)
    init_op = property(lambda self: self._scaffold.init_op)
    ready_op = property(lambda self: self._scaffold.ready_op)
    summary_op = property(lambda self: self._scaffold.summary_op)
    summary_writer = property(lambda self: self._writer)
    global_step = property(lambda self: self._global_step)

    def prepare_or_wait_for_session(self, master='', config=None, wait_for_checkpoint=False, max_wait_secs=7200,
                                    start_standard_services=True):
        self._coord.clear_stop()
        with self._graph.as_default():
            sess = ChiefSessionCreator(self._scaffold, master, config, self._logdir).create_session()
        if start_standard_services:
            self.start_standard_services(sess)
            self.start_queue_runners(sess)
        return sess

    def start_standard_services(self, sess):
        if self._path and self._save and self.saver is not None:
            self.saver.save(sess, self._path, global_step=self._global_step)

    def start_queue_runners(self, sess, queue_runners=None):
        if queue_runners is None:
            queue_runners = self._graph.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
        return [thread for runner in queue_runners
                for thread in runner.create_threads(sess, coord=self._coord, daemon=True, start=True)]

    PrepareSession = prepare_or_wait_for_session

    def summary_computed(self, sess, summary, global_step=None):
        if not self._writer:
            raise RuntimeError('Writing a summary requires a summary writer.')
        if global_step is None and self._global_step is not None:
            global_step = sess.run(self._global_step)
        self._writer.add_summary(summary, global_step)

    def should_stop(self):
        return self._coord.should_stop()

    def request_stop(self, ex=None):
        self._coord.request_stop(ex)

    def stop(self, threads=None, close_summary_writer=True, ignore_live_threads=False):
        self._coord.request_stop()
        if close_summary_writer and self._writer:
            self._writer.close()

    @contextlib.contextmanager
    def managed_session(self, master='', config=None, start_standard_services=True, close_summary_writer=True):
        sess = self.prepare_or_wait_for_session(master, config, start_standard_services=start_standard_services)
        try:
            with sess.as_default():
                yield sess
        except (tf.errors.OutOfRangeError, StopIteration):
            pass
        finally:
            self.stop(close_summary_writer=close_summary_writer)
            sess.close()
