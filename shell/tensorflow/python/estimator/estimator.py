"""tf.estimator: models as functions of features, labels and a mode, which are trained with checkpoints."""
import collections
import inspect
import os
import shutil
import tempfile
import time
from _library.estimator_config import RunConfig


class ModeKeys(object):
    """The modes of a model_fn."""
    TRAIN, EVAL, PREDICT = 'train', 'eval', 'infer'


class EstimatorSpec(collections.namedtuple('EstimatorSpec', [
        'mode', 'predictions', 'loss', 'train_op', 'eval_metric_ops', 'export_outputs', 'training_chief_hooks',
        'training_hooks', 'scaffold', 'evaluation_hooks', 'prediction_hooks'])):
    """The operations that a model_fn returns."""

    def __new__(cls, mode, predictions=None, loss=None, train_op=None, eval_metric_ops=None, export_outputs=None,
                training_chief_hooks=None, training_hooks=None, scaffold=None, evaluation_hooks=None,
                prediction_hooks=None):
        if mode == ModeKeys.TRAIN and train_op is None:
            raise ValueError('Missing train_op. The model_fn must return EstimatorSpec(mode, loss=..., train_op=...) in the '
                             'mode TRAIN.')
        if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
            if loss is None:
                raise ValueError('Missing loss. The model_fn must return EstimatorSpec(mode, loss=...) in the mode %s.' % mode)
            loss = tf.convert_to_tensor(loss)
            if loss.get_shape().ndims not in (0, None):
                loss = tf.reshape(loss, [])
        if mode == ModeKeys.PREDICT and predictions is None:
            raise ValueError('Missing predictions. The model_fn must return EstimatorSpec(mode, predictions=...) in the mode '
                             'PREDICT.')
        for key, value in (eval_metric_ops or {}).items():
            if not (isinstance(value, tuple) and len(value) == 2) and not hasattr(value, 'update_state'):
                raise TypeError('Values of eval_metric_ops must be (metric_value, update_op) tuples, given: %s for key: %s' %
                                (value, key))
        return super(EstimatorSpec, cls).__new__(
            cls, mode, {} if predictions is None else predictions, loss, train_op, dict(eval_metric_ops or {}),
            export_outputs, tuple(training_chief_hooks or ()), tuple(training_hooks or ()), scaffold or tf.train.Scaffold(),
            tuple(evaluation_hooks or ()), tuple(prediction_hooks or ()))


def _call_input(input_fn, mode, config, params):
    accepts = _arguments(input_fn)
    options = {'mode': mode, 'config': config, 'params': params}
    made = input_fn(**{k: v for k, v in options.items() if k in accepts})
    if isinstance(made, tf.data.Dataset):
        iterator = tf.data.make_initializable_iterator(made)
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
        made = iterator.get_next()
    if isinstance(made, (list, tuple)) and not hasattr(made, '_fields'):
        if len(made) != 2:
            raise ValueError('input_fn should return (features, labels) as a len 2 tuple. It returned %d values.' % len(made))
        return made[0], made[1]
    return made, None


def _copies(structure):
    if isinstance(structure, dict):
        return type(structure)((k, _copies(v)) for k, v in structure.items())
    return tf.identity(structure) if isinstance(structure, tf.Tensor) else structure


def _arguments(fn):
    while hasattr(fn, 'func') and hasattr(fn, 'keywords'):
        fn = fn.func
    target = fn if inspect.isfunction(fn) or inspect.ismethod(fn) else getattr(fn, '__call__', fn)
    try:
        spec = inspect.getfullargspec(target)
    except TypeError:
        return ()
    return list(spec.args) + list(spec.kwonlyargs)


class _LossLogger(tf.train.SessionRunHook):
    """Keeps the loss of the last step."""

    def __init__(self, loss):
        self._loss, self.last = loss, None

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self._loss)

    def after_run(self, run_context, run_values):
        self.last = run_values.results


class _StopAfter(tf.train.SessionRunHook):
    """Stops an evaluation after a number of batches."""

    def __init__(self, steps):
        self._steps, self._done = steps, 0

    def after_run(self, run_context, run_values):
        self._done += 1
        if self._steps is not None and self._done >= self._steps:
            run_context.request_stop()


class Estimator(object):
    """A model that is trained, evaluated and used through checkpoints in a folder."""

    def __init__(self, model_fn, model_dir=None, config=None, params=None, warm_start_from=None):
        self._model_fn, self._config = model_fn, config or RunConfig()
        if isinstance(self._config, dict):
            raise ValueError('config must be an instance of `RunConfig`, but provided %s.' % (config,))
        if model_dir is not None and self._config.model_dir is not None and model_dir != self._config.model_dir:
            raise ValueError('`model_dir` are set both in constructor and `RunConfig`, but with different values. In '
                             "constructor: '%s', in `RunConfig`: '%s' " % (model_dir, self._config.model_dir))
        self._model_dir = model_dir or self._config.model_dir
        if self._model_dir is None:
            self._model_dir = tempfile.mkdtemp()
            tf.logging.warning('Using temporary folder as model directory: %s' % self._model_dir)
        self._config = self._config.replace(model_dir=self._model_dir)
        accepts = _arguments(model_fn)
        if 'features' not in accepts:
            raise ValueError('model_fn (%s) must include features argument.' % (model_fn,))
        if params is not None and 'params' not in accepts:
            raise ValueError('model_fn (%s) does not include params argument, but params (%s) is passed to Estimator.' %
                             (model_fn, params))
        self._params = params if params is not None else {}
        self._warm_start_from = warm_start_from

    model_dir = property(lambda self: self._model_dir)
    config = property(lambda self: self._config)
    params = property(lambda self: self._params.copy() if hasattr(self._params, 'copy') else self._params)
    model_fn = property(lambda self: lambda features, labels, mode, config: self._call_model(features, labels, mode))

    def _call_model(self, features, labels, mode):
        accepts = _arguments(self._model_fn)
        if 'labels' not in accepts and labels is not None:
            raise ValueError('model_fn does not take labels, but input_fn returns labels.')
        options = {'labels': labels, 'mode': mode, 'params': self._params, 'config': self._config}
        tf.logging.info('Calling model_fn.')
        spec = self._model_fn(features=features, **{k: v for k, v in options.items() if k in accepts})
        tf.logging.info('Done calling model_fn.')
        if not isinstance(spec, EstimatorSpec):
            raise ValueError('model_fn should return an EstimatorSpec. It returned %r.' % (spec,))
        return spec

    def _in_graph(self, mode, input_fn):
        """Adds the input and the model to the default graph."""
        tf.set_random_seed(self._config.tf_random_seed if self._config.tf_random_seed is not None else 1)
        step = tf.train.create_global_step()
        features, labels = _call_input(input_fn, mode, self._config, self._params)
        if mode == ModeKeys.EVAL:
            # A step that feeds the outputs of IteratorGetNext would still run it for a metric that waits for it.
            features, labels = [_copies(x) for x in (features, labels)]
        return step, self._call_model(features, None if mode == ModeKeys.PREDICT else labels, mode)

    def train(self, input_fn, hooks=None, steps=None, max_steps=None, saving_listeners=None):
        """Trains the model, beginning with its last checkpoint."""
        if steps is not None and max_steps is not None:
            raise ValueError('Can not provide both steps and max_steps.')
        for name, n in (('steps', steps), ('max_steps', max_steps)):
            if n is not None and n <= 0:
                raise ValueError('Must specify %s > 0, given: %s' % (name, n))
        if max_steps is not None:
            start = _checkpoint_step(self._model_dir)
            if start >= max_steps:
                tf.logging.info('Skipping training since max_steps has already saved.')
                return self
        with tf.Graph().as_default(), tf.device(self._config._device()):
            step, spec = self._in_graph(ModeKeys.TRAIN, input_fn)
            self._train(step, spec, list(hooks or []), steps, max_steps, saving_listeners)
        return self

    def _warm_start(self):
        start = self._warm_start_from
        path = getattr(start, 'ckpt_to_initialize_from', start)
        if path and tf.train.latest_checkpoint(self._model_dir) is None:
            path = tf.train.latest_checkpoint(path) if os.path.isdir(path) else path
            known = dict(tf.train.list_variables(path))
            tf.train.init_from_checkpoint(path, {v.op.name: v for v in tf.trainable_variables() if v.op.name in known})

    def _train(self, step, spec, hooks, steps, max_steps, listeners):
        config = self._config
        self._warm_start()
        names = [s.name for s in tf.get_collection(tf.GraphKeys.SUMMARIES)]
        if not any(n == 'loss:0' for n in names):
            tf.summary.scalar('loss', spec.loss)
        last = _LossLogger(spec.loss)
        own = [tf.train.NanTensorHook(spec.loss), last]
        if config.log_step_count_steps:
            own.append(tf.train.LoggingTensorHook(collections.OrderedDict([('loss', spec.loss), ('step', step)]),
                                                  every_n_iter=config.log_step_count_steps))
        own = hooks + own
        if steps is not None or max_steps is not None:
            own.append(tf.train.StopAtStepHook(num_steps=steps, last_step=max_steps))
        chief = list(spec.training_chief_hooks)
        if spec.scaffold.saver is None and not tf.get_collection(tf.GraphKeys.SAVERS):
            tf.add_to_collection(tf.GraphKeys.SAVERS, tf.train.Saver(
                max_to_keep=config.keep_checkpoint_max, keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours))
        has_saver = any(isinstance(h, tf.train.CheckpointSaverHook) for h in own + chief + list(spec.training_hooks))
        if not has_saver and (config.save_checkpoints_steps or config.save_checkpoints_secs):
            chief.append(tf.train.CheckpointSaverHook(
                self._model_dir, save_secs=config.save_checkpoints_secs, save_steps=config.save_checkpoints_steps,
                scaffold=spec.scaffold, listeners=listeners))
        with tf.train.MonitoredTrainingSession(
                master=config.master, is_chief=config.is_chief, max_wait_secs=config.session_creation_timeout_secs,
                checkpoint_dir=self._model_dir, scaffold=spec.scaffold, hooks=own + list(spec.training_hooks),
                chief_only_hooks=chief, save_checkpoint_secs=0, save_checkpoint_steps=None,
                save_summaries_steps=config.save_summary_steps, config=config.session_config,
                log_step_count_steps=config.log_step_count_steps) as sess:
            while not sess.should_stop():
                sess.run(spec.train_op)
        if last.last is None:
            tf.logging.warning('Training with estimator made no steps. Perhaps input is empty or misspecified.')
        else:
            tf.logging.info('Loss for final step: %s.' % last.last)

    def latest_checkpoint(self):
        """Returns the path of the last checkpoint, or None."""
        return tf.train.latest_checkpoint(self._model_dir)

    def _checkpoint(self, path):
        path = path or tf.train.latest_checkpoint(self._model_dir)
        if not path:
            raise ValueError('Could not find trained model in model_dir: %s. Type: estimator.train(input_fn, steps=100)' %
                             self._model_dir)
        return path

    def _checkpoint_if_any(self, path, purpose):
        path = path or tf.train.latest_checkpoint(self._model_dir)
        if not path:
            tf.logging.info('Could not find trained model in model_dir: %s, running initialization to %s.' %
                            (self._model_dir, purpose))
        return path

    def evaluate(self, input_fn, steps=None, hooks=None, checkpoint_path=None, name=None):
        """Returns the metrics of the model."""
        path = self._checkpoint_if_any(checkpoint_path, 'evaluate')
        with tf.Graph().as_default():
            step, spec = self._in_graph(ModeKeys.EVAL, input_fn)
            metrics = dict(spec.eval_metric_ops)
            if 'loss' in metrics:
                raise ValueError('Metric with name "loss" is not allowed, because Estimator already defines a default metric '
                                 'with the same name.')
            metrics['loss'] = tf.metrics.mean(spec.loss)
            values, updates = {}, []
            for key in sorted(metrics):
                metric = metrics[key]
                if hasattr(metric, 'update_state'):
                    values[key], update = metric.result(), list(metric.updates_made)
                    updates += update
                else:
                    values[key] = metric[0]
                    updates.append(metric[1])
            values['global_step'] = step
            update = tf.group(*updates)
            final = tf.train.FinalOpsHook(values)
            creator = tf.train.ChiefSessionCreator(scaffold=spec.scaffold, checkpoint_filename_with_path=path,
                                                   config=self._config.session_config)
            all_hooks = list(hooks or []) + list(spec.evaluation_hooks) + [_StopAfter(steps), final]
            with tf.train.MonitoredSession(session_creator=creator, hooks=all_hooks) as sess:
                while not sess.should_stop():
                    sess.run(update)
        results = final.final_ops_values
        folder = os.path.join(self._model_dir, 'eval' + ('_' + name if name else ''))
        writer = tf.summary.FileWriter(folder)
        summary = tf.Summary(value=[tf.Summary.Value(tag=k, simple_value=float(v)) for k, v in results.items()
                                    if k != 'global_step' and np.ndim(v) == 0])
        writer.add_summary(summary, int(results['global_step']))
        writer.close()
        tf.logging.info('Saving dict for global step %d: %s' % (results['global_step'], ', '.join(
            '%s = %s' % (k, results[k]) for k in sorted(results))))
        return results

    def predict(self, input_fn, predict_keys=None, hooks=None, checkpoint_path=None, yield_single_examples=True):
        """Yields the predictions for each example."""
        path = self._checkpoint_if_any(checkpoint_path, 'predict')
        with tf.Graph().as_default():
            step, spec = self._in_graph(ModeKeys.PREDICT, input_fn)
            predictions = spec.predictions
            if predict_keys is not None:
                if not isinstance(predictions, dict):
                    raise ValueError('predict_keys argument is not valid in case of non-dict predictions.')
                keys = [predict_keys] if isinstance(predict_keys, str) else list(predict_keys)
                predictions = {k: v for k, v in predictions.items() if k in keys}
                if not predictions:
                    raise ValueError('Expected to run at least one output from %s, provided %s.' %
                                     (list(spec.predictions), predict_keys))
            creator = tf.train.ChiefSessionCreator(scaffold=spec.scaffold, checkpoint_filename_with_path=path,
                                                   config=self._config.session_config)
            sess = tf.train.MonitoredSession(session_creator=creator,
                                             hooks=list(hooks or []) + list(spec.prediction_hooks))
        return self._yield(sess, predictions, yield_single_examples)

    def _yield(self, sess, predictions, single):
        with sess:
            while not sess.should_stop():
                batch = sess.run(predictions)
                if not single:
                    yield batch
                elif not isinstance(batch, dict):
                    for row in batch:
                        yield row
                else:
                    sizes = set(len(v) for v in batch.values())
                    if len(sizes) > 1:
                        raise ValueError('Batch length of predictions should be same. Got the lengths %s' % sorted(sizes))
                    for i in range(sizes.pop()):
                        yield {k: v[i] for k, v in batch.items()}

    def get_variable_names(self):
        """Returns the names of the variables of the last checkpoint."""
        return [name for name, _ in tf.train.list_variables(self._checkpoint(None))]

    def get_variable_value(self, name):
        """Returns the value of a variable in the last checkpoint."""
        return tf.train.load_variable(self._checkpoint(None), name)

    def eval_dir(self, name=None):
        """Returns the folder of the events of evaluations."""
        return os.path.join(self._model_dir, 'eval' if not name else 'eval_' + name)

    def export_saved_model(self, export_dir_base, serving_input_receiver_fn, assets_extra=None, as_text=False,
                           checkpoint_path=None, **kwargs):
        """Writes a SavedModel into a new folder, and returns its path."""
        path = self._checkpoint(checkpoint_path)
        folder = os.path.join(export_dir_base, str(int(time.time())))
        while os.path.exists(folder):
            folder = os.path.join(export_dir_base, str(int(os.path.basename(folder)) + 1))
        with tf.Graph().as_default():
            tf.train.create_global_step()
            receiver = serving_input_receiver_fn()
            spec = self._call_model(receiver.features, None, ModeKeys.PREDICT)
            signatures = _signatures(spec, receiver)
            with tf.Session(config=self._config.session_config) as sess:
                (spec.scaffold.saver or tf.train.Saver()).restore(sess, path)
                sess.run(tf.tables_initializer())
                builder = tf.saved_model.Builder(folder)
                builder.add_meta_graph_and_variables(sess, [tf.saved_model.tag_constants.SERVING],
                                                     signature_def_map=signatures, legacy_init_op=tf.tables_initializer())
                builder.save(as_text)
        for target, source in (assets_extra or {}).items():
            target = os.path.join(folder, 'assets.extra', target)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(source, target)
        return folder.encode()

    def export_savedmodel(self, export_dir_base, serving_input_receiver_fn, assets_extra=None, as_text=False,
                          checkpoint_path=None, strip_default_attrs=False):
        """Writes a SavedModel into a new folder, and returns its path."""
        return self.export_saved_model(export_dir_base, serving_input_receiver_fn, assets_extra, as_text, checkpoint_path)


def _signatures(spec, receiver):
    inputs = receiver.receiver_tensors
    inputs = inputs if isinstance(inputs, dict) else {'input': inputs}
    outputs = spec.export_outputs
    if outputs is None:
        outputs = {tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: PredictOutput(spec.predictions)}
    made = {name: output.signature(inputs) for name, output in outputs.items()}
    default = tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    if default not in made and len(made) == 1:
        made[default] = list(made.values())[0]
    return made


def _checkpoint_step(folder):
    path = tf.train.latest_checkpoint(folder)
    if path is None:
        return 0
    try:
        return int(tf.train.load_variable(path, tf.GraphKeys.GLOBAL_STEP))
    except (ValueError, tf.errors.OpError):
        return 0


# ---- exports ----

class ServingInputReceiver(collections.namedtuple('ServingInputReceiver', ['features', 'receiver_tensors',
                                                                            'receiver_tensors_alternatives'])):
    """The features of a served model, and the tensors that are fed."""

    def __new__(cls, features, receiver_tensors, receiver_tensors_alternatives=None):
        return super(ServingInputReceiver, cls).__new__(cls, features, receiver_tensors, receiver_tensors_alternatives)


TensorServingInputReceiver = ServingInputReceiver


def build_raw_serving_input_receiver_fn(features, default_batch_size=None):
    """Returns a function that makes a placeholder for each feature."""
    def receiver():
        made = {}
        for name, t in features.items():
            shape = t.get_shape().as_list() if t.get_shape().ndims is not None else None
            if shape:
                shape[0] = default_batch_size
            made[name] = tf.placeholder(t.dtype, shape, name=t.op.name)
        return ServingInputReceiver(made, dict(made))
    return receiver


def build_parsing_serving_input_receiver_fn(feature_spec, default_batch_size=None):
    """Returns a function that parses messages tf.Example."""
    def receiver():
        serialized = tf.placeholder(tf.string, [default_batch_size], name='input_example_tensor')
        return ServingInputReceiver(tf.parse_example(serialized, feature_spec), {'examples': serialized})
    return receiver


class PredictOutput(object):
    """Outputs by name."""

    def __init__(self, outputs):
        self.outputs = outputs if isinstance(outputs, dict) else {'output': outputs}

    def signature(self, inputs):
        return tf.saved_model.predict_signature_def(inputs, self.outputs)


class ClassificationOutput(object):
    """The scores and names of classes."""

    def __init__(self, scores=None, classes=None):
        if scores is None and classes is None:
            raise ValueError('At least one of scores and classes must be set.')
        self.scores, self.classes = scores, classes

    def signature(self, inputs):
        return tf.saved_model.classification_signature_def(list(inputs.values())[0], self.classes, self.scores)


class RegressionOutput(object):
    """The value of a regression."""

    def __init__(self, value):
        self.value = value

    def signature(self, inputs):
        return tf.saved_model.regression_signature_def(list(inputs.values())[0], self.value)


class FinalExporter(object):
    """Writes a SavedModel at the end of training."""
    _only_final = True

    def __init__(self, name, serving_input_receiver_fn, assets_extra=None, as_text=False, **kwargs):
        self.name, self._receiver, self._assets, self._as_text = name, serving_input_receiver_fn, assets_extra, as_text

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        if self._only_final and not is_the_final_export:
            return None
        return estimator.export_saved_model(export_path, self._receiver, self._assets, self._as_text, checkpoint_path)


class LatestExporter(FinalExporter):
    """Writes a SavedModel after each evaluation."""
    _only_final = False


class BestExporter(FinalExporter):
    """Writes a SavedModel when the loss is lower than before."""
    _only_final = False

    def __init__(self, name='best_exporter', serving_input_receiver_fn=None, event_file_pattern=None, compare_fn=None,
                 assets_extra=None, as_text=False, **kwargs):
        super(BestExporter, self).__init__(name, serving_input_receiver_fn, assets_extra, as_text)
        self._best, self._better = None, compare_fn or (
            lambda best_eval_result, current_eval_result: current_eval_result['loss'] < best_eval_result['loss'])

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        if self._best is not None and not self._better(self._best, eval_result):
            return None
        self._best = eval_result
        return super(BestExporter, self).export(estimator, export_path, checkpoint_path, eval_result, is_the_final_export)
