"""tf.train: hooks that are called around the runs of a monitored session."""
import os
import time

import numpy as np


class SessionRunHook(object):
    """The base class of hooks, which does nothing."""

    def begin(self):
        pass

    def after_create_session(self, session, coord):
        pass

    def before_run(self, run_context):
        return None

    def after_run(self, run_context, run_values):
        pass

    def end(self, session):
        pass


def _step_read():
    step = tf.train.get_global_step()
    if step is None:
        return None
    found = tf.get_collection('global_step_read_op_cache')
    if not found:
        with tf.control_dependencies(None), tf.name_scope(None), tf.name_scope(step.op.name + '/'):
            found = [step + 0]
        tf.add_to_collection('global_step_read_op_cache', found[0])
    return found[0]


def _need_step(hook):
    read = _step_read()
    if read is None:
        raise RuntimeError('Global step should be created to use %s.' % type(hook).__name__)
    return read


class SecondOrStepTimer(object):
    """Determines when a number of seconds or steps has passed."""

    def __init__(self, every_secs=None, every_steps=None):
        if every_secs is None and every_steps is None:
            raise ValueError('Either every_secs or every_steps should be provided.')
        if every_secs is not None and every_steps is not None:
            raise ValueError('Can not provide both every_secs and every_steps.')
        self._every_secs, self._every_steps = every_secs, every_steps
        self.reset()

    def reset(self):
        self._last_step, self._last_time = None, None

    def should_trigger_for_step(self, step):
        if self._last_step is None:
            return True
        if self._last_step == step:
            return False
        if self._every_secs is not None and time.time() >= self._last_time + self._every_secs:
            return True
        return self._every_steps is not None and step >= self._last_step + self._every_steps

    def update_last_triggered_step(self, step):
        now = time.time()
        elapsed = (None, None) if self._last_step is None else (now - self._last_time, step - self._last_step)
        self._last_time, self._last_step = now, step
        return elapsed

    def last_triggered_step(self):
        return self._last_step


class StopAtStepHook(SessionRunHook):
    """Stops after a number of steps, or at a step."""

    def __init__(self, num_steps=None, last_step=None):
        if num_steps is None and last_step is None:
            raise ValueError('One of num_steps or last_step must be specified.')
        if num_steps is not None and last_step is not None:
            raise ValueError('Only one of num_steps or last_step can be specified.')
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self):
        self._step = _need_step(self)

    def after_create_session(self, session, coord):
        if self._last_step is None:
            self._last_step = session.run(self._step) + self._num_steps

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._step)

    def after_run(self, run_context, run_values):
        if run_values.results + 1 >= self._last_step and run_context.session.run(self._step) >= self._last_step:
            run_context.request_stop()


class LoggingTensorHook(SessionRunHook):
    """Logs values at regular intervals."""

    def __init__(self, tensors, every_n_iter=None, every_n_secs=None, at_end=False, formatter=None):
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError('either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.')
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError('invalid every_n_iter=%s.' % every_n_iter)
        if isinstance(tensors, dict):
            self._tag_order = sorted(tensors.keys())
            self._tensors = tensors
        else:
            self._tag_order = list(tensors)
            self._tensors = {item: item for item in tensors}
        self._formatter, self._at_end = formatter, at_end
        self._timer = None if only_at_end else SecondOrStepTimer(every_n_secs, every_n_iter)

    def begin(self):
        if self._timer:
            self._timer.reset()
        self._iter_count = 0
        self._current = [t if not isinstance(t, str) else tf.get_default_graph().as_graph_element(t)
                         for t in (self._tensors[tag] for tag in self._tag_order)]

    def before_run(self, run_context):
        self._should_trigger = self._timer is not None and self._timer.should_trigger_for_step(self._iter_count)
        return tf.train.SessionRunArgs(self._current) if self._should_trigger else None

    def _log(self, values):
        tensors = dict(zip(self._tag_order, values))
        elapsed = None
        if self._timer:
            elapsed, _ = self._timer.update_last_triggered_step(self._iter_count)
        if self._formatter:
            tf.logging.info(self._formatter(tensors))
            return
        text = ', '.join('%s = %s' % (tag, tensors[tag]) for tag in self._tag_order)
        tf.logging.info('%s (%.3f sec)' % (text, elapsed) if elapsed is not None else text)

    def after_run(self, run_context, run_values):
        if self._should_trigger:
            self._log(run_values.results)
        self._iter_count += 1

    def end(self, session):
        if self._at_end:
            self._log(session.run(self._current))


class NanLossDuringTrainingError(RuntimeError):
    """NanTensorHook found a loss that is NaN."""

    def __str__(self):
        return 'NaN loss during training.'


class NanTensorHook(SessionRunHook):
    """Stops if a loss is NaN."""

    def __init__(self, loss_tensor, fail_on_nan_loss=True):
        self._loss, self._fail = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._loss)

    def after_run(self, run_context, run_values):
        if not np.isnan(run_values.results):
            return
        if self._fail:
            tf.logging.error('Model diverged with loss = NaN.')
            raise NanLossDuringTrainingError
        tf.logging.warning('Model diverged with loss = NaN.')
        run_context.request_stop()


class CheckpointSaverListener(object):
    """The base class of listeners of a CheckpointSaverHook."""

    def begin(self):
        pass

    def before_save(self, session, global_step_value):
        pass

    def after_save(self, session, global_step_value):
        pass

    def end(self, session, global_step_value):
        pass


class CheckpointSaverHook(SessionRunHook):
    """Saves checkpoints at intervals of steps or seconds."""

    def __init__(self, checkpoint_dir, save_secs=None, save_steps=None, saver=None, checkpoint_basename='model.ckpt',
                 scaffold=None, listeners=None):
        if saver is not None and scaffold is not None:
            raise ValueError('You cannot provide both saver and scaffold.')
        self._saver, self._scaffold, self._listeners = saver, scaffold, list(listeners or [])
        self._path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._timer = SecondOrStepTimer(save_secs, save_steps)

    def begin(self):
        self._step = _need_step(self)
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session, coord):
        step = session.run(self._step)
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._step)

    def after_run(self, run_context, run_values):
        if not self._timer.should_trigger_for_step(run_values.results + 1):
            return
        step = run_context.session.run(self._step)
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session):
        step = session.run(self._step)
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session, step):
        tf.logging.info('Saving checkpoints for %d into %s.', step, self._path)
        for listener in self._listeners:
            listener.before_save(session, step)
        saver = self._saver
        if saver is None:
            saver = self._scaffold.saver if self._scaffold else tf.get_collection(tf.GraphKeys.SAVERS)[0]
        saver.save(session, self._path, global_step=step)
        stop = False
        for listener in self._listeners:
            stop = bool(listener.after_save(session, step)) or stop
        return stop


class SummarySaverHook(SessionRunHook):
    """Writes summaries at intervals of steps or seconds."""

    def __init__(self, save_steps=None, save_secs=None, output_dir=None, summary_writer=None, scaffold=None,
                 summary_op=None):
        if (scaffold is None) == (summary_op is None):
            raise ValueError('Exactly one of scaffold or summary_op must be provided.')
        self._summary_op, self._scaffold = summary_op, scaffold
        self._writer, self._output_dir = summary_writer, output_dir
        self._timer = SecondOrStepTimer(save_secs, save_steps)

    def begin(self):
        if self._writer is None and self._output_dir:
            self._writer = tf.summary.FileWriter(self._output_dir)
        self._next_step = None
        self._step = _need_step(self)

    def before_run(self, run_context):
        self._request = self._next_step is None or self._timer.should_trigger_for_step(self._next_step)
        op = self._scaffold.summary_op if self._summary_op is None else self._summary_op
        wanted = [self._step]
        if self._request and op is not None:
            wanted.append(list(op) if isinstance(op, (list, tuple)) else [op])
        return tf.train.SessionRunArgs(wanted)

    def after_run(self, run_context, run_values):
        if not self._writer:
            return
        step = run_values.results[0] + 1
        if self._next_step is None or self._request:
            step = run_context.session.run(self._step)
        if self._request:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results[1] if len(run_values.results) > 1 else []:
                self._writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session):
        if self._writer:
            self._writer.flush()


class StepCounterHook(SessionRunHook):
    """Counts steps per second."""

    def __init__(self, every_n_steps=100, every_n_secs=None, output_dir=None, summary_writer=None):
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError('exactly one of every_n_steps and every_n_secs should be provided.')
        self._timer = SecondOrStepTimer(every_n_secs, every_n_steps)

    def begin(self):
        self._step = _need_step(self)

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._step)

    def after_run(self, run_context, run_values):
        if not self._timer.should_trigger_for_step(run_values.results + 1):
            return
        step = run_context.session.run(self._step)
        if self._timer.should_trigger_for_step(step):
            secs, steps = self._timer.update_last_triggered_step(step)
            if secs:
                tf.logging.info('%s/sec: %g', 'global_step', steps / secs)


class FinalOpsHook(SessionRunHook):
    """Runs an operation at the end."""

    def __init__(self, final_ops, final_ops_feed_dict=None):
        self._final_ops, self._feed_dict = final_ops, final_ops_feed_dict
        self._values = None

    final_ops_values = property(lambda self: self._values)

    def end(self, session):
        if self._final_ops is not None:
            self._values = session.run(self._final_ops, feed_dict=self._feed_dict)


class FeedFnHook(SessionRunHook):
    """Feeds the result of a function."""

    def __init__(self, feed_fn):
        self.feed_fn = feed_fn

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(fetches=None, feed_dict=self.feed_fn())


class GlobalStepWaiterHook(SessionRunHook):
    """Does nothing, because a single process has nothing to wait for."""

    def __init__(self, wait_until_step):
        self._wait_until_step = wait_until_step
