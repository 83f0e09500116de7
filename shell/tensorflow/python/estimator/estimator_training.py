"""tf.estimator.train_and_evaluate, in one process or as a task of a cluster."""
import collections
import os
import time
from _library.estimator import Estimator, _checkpoint_step

_DELAY, _MAX_DELAY = 5, 60  # seconds for which each further worker waits before it trains
_POLL = 0.5                 # least seconds between two looks for a new checkpoint


class TrainSpec(collections.namedtuple('TrainSpec', ['input_fn', 'max_steps', 'hooks', 'saving_listeners'])):
    """The training of train_and_evaluate."""

    def __new__(cls, input_fn, max_steps=None, hooks=None, saving_listeners=None):
        if max_steps is not None and max_steps <= 0:
            raise ValueError('Must specify max_steps > 0, given: %s' % max_steps)
        return super(TrainSpec, cls).__new__(cls, input_fn, max_steps, tuple(hooks or ()), tuple(saving_listeners or ()))


class EvalSpec(collections.namedtuple('EvalSpec', ['input_fn', 'steps', 'name', 'hooks', 'exporters', 'start_delay_secs',
                                                   'throttle_secs'])):
    """The evaluations of train_and_evaluate."""

    def __new__(cls, input_fn, steps=100, name=None, hooks=None, exporters=None, start_delay_secs=120, throttle_secs=600):
        if steps is not None and steps <= 0:
            raise ValueError('Must specify steps > 0, given: %s' % steps)
        exporters = () if exporters is None else exporters
        exporters = tuple(exporters) if isinstance(exporters, (list, tuple)) else (exporters,)
        return super(EvalSpec, cls).__new__(cls, input_fn, steps, name, tuple(hooks or ()), exporters, start_delay_secs,
                                            throttle_secs)


class _EvaluateListener(tf.train.CheckpointSaverListener):
    """Evaluates the model after each checkpoint, but no more often than throttle_secs."""

    def __init__(self, estimator, spec, max_steps):
        self._estimator, self._spec, self._max_steps = estimator, spec, max_steps
        self._last, self.results, self.exported = None, None, None
        self._first = True

    def after_save(self, session, global_step_value):
        if self._first:
            self._first = False
            self._last = time.time()
            return
        if time.time() - self._last < self._spec.throttle_secs:
            return
        self.evaluate(self._max_steps is not None and global_step_value >= self._max_steps)

    def end(self, session, global_step_value):
        self.evaluate(True)

    def evaluate(self, final):
        spec = self._spec
        self.results = self._estimator.evaluate(spec.input_fn, steps=spec.steps, hooks=list(spec.hooks), name=spec.name)
        self._last = time.time()
        for exporter in spec.exporters:
            folder = os.path.join(self._estimator.model_dir, 'export', exporter.name)
            self.exported = exporter.export(self._estimator, folder, self._estimator.latest_checkpoint(), self.results, final)


def train_and_evaluate(estimator, train_spec, eval_spec):
    """Trains a model, and evaluates it after checkpoints and at the end. In a cluster of TF_CONFIG, does the part of its task."""
    if not isinstance(estimator, Estimator):
        raise TypeError('`estimator` must have type `tf.estimator.Estimator`, given %s' % type(estimator))
    config = estimator.config
    if config.task_type == 'evaluator':
        return _evaluate_checkpoints(estimator, train_spec, eval_spec)
    if config.num_worker_replicas > 1 or config.num_ps_replicas > 0:
        server = tf.train.Server(config.cluster_spec, job_name=config.task_type, task_index=config.task_id)
        if config.task_type == 'ps':
            return server.join()
        if config.task_type != 'master':
            return _train_task(estimator, train_spec)
    listener = _EvaluateListener(estimator, eval_spec, train_spec.max_steps)
    start = _checkpoint_step(estimator.model_dir)
    if train_spec.max_steps is not None and start >= train_spec.max_steps:
        return None, None
    estimator.train(train_spec.input_fn, hooks=list(train_spec.hooks), max_steps=train_spec.max_steps,
                    saving_listeners=list(train_spec.saving_listeners) + [listener])
    if listener.results is None:
        listener.evaluate(True)
    return listener.results, [listener.exported]


def _train_task(estimator, spec):
    config = estimator.config
    if config.task_type == 'worker':  # the chief should find the servers idle
        most = config.experimental_max_worker_delay_secs
        time.sleep(min(_MAX_DELAY if most is None else most, (config.task_id + 1) * _DELAY))
    estimator.train(spec.input_fn, hooks=list(spec.hooks), max_steps=spec.max_steps,
                    saving_listeners=list(spec.saving_listeners) if config.is_chief else None)


def _evaluate_checkpoints(estimator, train_spec, spec):
    """Evaluates each new checkpoint until training has made its steps."""
    listener = _EvaluateListener(estimator, spec, train_spec.max_steps)
    time.sleep(spec.start_delay_secs)
    seen = None
    while True:
        began, path = time.time(), estimator.latest_checkpoint()
        if path is not None and path != seen:
            seen, most = path, train_spec.max_steps
            ended = most is not None and _checkpoint_step(estimator.model_dir) >= most
            listener.evaluate(ended)
            if ended or most is not None and int(listener.results['global_step']) >= most:
                return listener.results, [listener.exported]
        time.sleep(max(_POLL, spec.throttle_secs - (time.time() - began)))
