"""tf.keras.Model: compile, fit, evaluate and predict."""
import _library
from _library.tfk_base import as_list, shapes_of
from _library.tfk_network import Network
from _library.tfk_state import state, get_session, floatx, learning_phase
from _library import tfk_losses, tfk_metrics, tfk_optimizers, tfk_data, tfk_callbacks, tfk_backend


class _Step(object):
    """What a run of a training or test step feeds and fetches."""

    def __init__(self, feeds, fetches, phase, training):
        self.feeds, self.fetches = feeds, fetches
        self.extra = [(phase, training)] if isinstance(phase, tf.Tensor) else []

    def run(self, session, columns):
        return session.run(self.fetches, dict(zip(self.feeds, columns) if not self.extra else
                                              list(zip(self.feeds, columns)) + self.extra))


def _of_inputs(items, fed):
    """Returns the tensors and operations that need no placeholders except those that are fed. A layer that several models
    share has losses and updates for the inputs of each."""
    allowed, kept = set(t.op.name for t in fed), []
    for item in items:
        todo, seen = [getattr(item, 'op', item)], set()
        while todo:
            op = todo.pop()
            if op.name in seen or op.name in allowed:
                continue
            if op.type == 'Placeholder':
                break
            seen.add(op.name)
            todo.extend([t.op for t in op.inputs] + list(op.control_inputs))
        else:
            kept.append(item)
    return kept


def _by_name(given, names, what):
    """Returns the setting of each output."""
    if isinstance(given, dict):
        for key in given:
            if key not in names:
                raise ValueError('Unknown entries in %s dictionary: [%r]. Only expected following keys: %s' %
                                 (what, key, list(names)))
        return [given.get(name) for name in names]
    if isinstance(given, (list, tuple)):
        if len(given) != len(names):
            raise ValueError('When passing a list as %s, it should have one entry per model output. The model has %d '
                             'outputs, but you passed %s=%s' % (what, len(names), what, given))
        return list(given)
    return [given] * len(names)


class Model(Network):
    """A model: a graph of layers, or a class with a method call(), that can be trained."""

    def __init__(self, *args, **kwargs):
        super(Model, self).__init__(*args, **kwargs)

    def _start_network(self):
        super(Model, self)._start_network()
        own = self.__dict__
        own['optimizer'], own['loss'], own['_compiled'], own['_steps'] = None, None, None, {}
        own['stop_training'], own['history'], own['_metric_objects'] = False, None, None

    def compile(self, optimizer='rmsprop', loss=None, metrics=None, loss_weights=None, sample_weight_mode=None,
                weighted_metrics=None, target_tensors=None, **kwargs):
        """Chooses the optimizer, the losses and the metrics of training."""
        own = self.__dict__
        # What is trained is decided here: a GAN compiles a model, and freezes it for a second one afterwards.
        own['_trained'] = self.trainable_weights if self.built else []
        own['optimizer'] = tfk_optimizers.get(optimizer)
        own['loss'] = loss if loss is not None else {}
        own['_compiled'] = {'metrics': metrics, 'loss_weights': loss_weights, 'weighted_metrics': weighted_metrics,
                            'sample_weight_mode': sample_weight_mode}
        own['_steps'], own['_metric_objects'] = {}, None
        if self.outputs is not None:
            self._set_losses()

    def _set_losses(self):
        own, settings = self.__dict__, self._compiled
        names = self.output_names
        losses = _by_name(None if self.loss == {} else self.loss, names, 'loss')
        own['_loss_objects'] = [None if loss is None else tfk_losses.loss_object(loss) for loss in losses]
        weights = _by_name(settings['loss_weights'], names, 'loss_weights')
        own['_loss_weights'] = [1. if w is None else w for w in weights]
        own['_targets'] = []
        for loss, name, output in zip(self._loss_objects, names, self.outputs):
            if loss is None:
                continue
            shape = [None] * output.get_shape().ndims
            if tfk_losses.is_sparse(loss):
                shape = shape[:-1] + [1]
            with tf.name_scope(None):
                own['_targets'].append(tf.placeholder(tf.as_dtype(floatx()), shape, name=name + '_target'))
        own['_target_names'] = [n for n, loss in zip(names, self._loss_objects) if loss is not None]

    def _need_compiled(self):
        if self._compiled is None:
            raise RuntimeError('You must compile your model before training/testing. Use `model.compile(optimizer, loss)`.')

    def _metrics_of(self, key):
        """Returns lists of (metric, output, target), one list for each output."""
        given = self._compiled[key]
        names, many = self.output_names, len(self.outputs) > 1
        if not given:
            return [[] for _ in names]
        if isinstance(given, dict):
            lists = [as_list(m) if m is not None else [] for m in _by_name(given, names, 'metrics')]
        elif many and all(isinstance(m, (list, tuple)) for m in given):
            lists = [list(m) for m in given]
        else:
            lists = [as_list(given) for _ in names]
        return [[tfk_metrics.metric_object(m, loss, output, name + '_' if many else '') for m in ms]
                for ms, loss, output, name in zip(lists, self._loss_objects, self.outputs, names)]

    def _make_metrics(self):
        if self._metric_objects is None:
            object.__setattr__(self, '_metric_objects', (self._metrics_of('metrics'), self._metrics_of('weighted_metrics')))
            seen = {}
            for m in self.metrics:
                seen[m.name] = seen.get(m.name, 0) + 1
                if seen[m.name] > 1:
                    m._name = m.name + '_' + str(seen[m.name] - 1)
        return self._metric_objects

    @property
    def metrics(self):
        if self._metric_objects is None:
            if self._compiled is None or self.outputs is None:
                return []
            self._make_metrics()
        return [m for group in self._metric_objects for ms in group for m in ms]

    @property
    def metrics_names(self):
        """The names of the numbers that evaluate() returns."""
        names = ['loss']
        if len(self.output_names) > 1:
            names += [n + '_loss' for n, loss in zip(self.output_names, self._loss_objects) if loss is not None]
        return names + [m.name for m in self.metrics] + [name for name, _, _ in self._layer_metrics()]

    def _layer_metrics(self):
        return [m for layer in [self] + list(self._layers) for m in layer._metrics if isinstance(m, tuple)]

    def _losses_and_metrics(self, weighted):
        """Adds the losses and metrics to the graph. Returns the placeholders of weights, the loss and the others."""
        masks, weight_feeds, parts, results, targets = state().masks, [], [], [], iter(self._targets)
        plain, with_weights = self._make_metrics()
        total = None
        with tf.name_scope('loss'):
            pairs = []
            for i, (loss, name, output) in enumerate(zip(self._loss_objects, self.output_names, self.outputs)):
                if loss is None:
                    pairs.append(None)
                    continue
                target, weights, mask = next(targets), None, masks.get(output.name)
                if weighted:
                    rank = 2 if self._compiled['sample_weight_mode'] == 'temporal' else 1
                    with tf.name_scope(None):
                        weights = tf.placeholder(tf.as_dtype(floatx()), [None] * rank, name=name + '_sample_weights')
                    weight_feeds.append(weights)
                if mask is not None:
                    mask = tf.cast(mask, output.dtype)
                    weights = mask if weights is None else mask * tfk_losses._aligned(mask, weights)
                pairs.append((target, output, weights, mask))
                with tf.name_scope(name + '_loss'):
                    value = loss(target, output, sample_weight=weights)
                parts.append(value)
                value = value if self._loss_weights[i] == 1. else self._loss_weights[i] * value
                total = value if total is None else total + value
            extra = _of_inputs(self.losses, self.inputs + self._targets + weight_feeds)
            if extra:
                added = tf.add_n([tf.cast(x, tf.float32) for x in extra]) if len(extra) > 1 else extra[0]
                total = added if total is None else total + added
            if total is None:
                raise ValueError('The model cannot be compiled because it has no loss to optimize. Type: '
                                 "model.compile('adam', loss='mse')")
            if total.get_shape().ndims:
                total = tf.reduce_mean(total)
        for group, use_weights in ((plain, False), (with_weights, True)):
            for pair, ms in zip(pairs, group):
                for m in ms:
                    if pair is not None:
                        target, output, weights, mask = pair
                        results.append(m(target, output, sample_weight=weights if use_weights else mask))
        results += [tf.reduce_mean(value) for _, value, _ in self._layer_metrics()]
        return weight_feeds, total, (parts if len(self.outputs) > 1 else []) + results

    def _step(self, training, weighted):
        """Returns the training or test step, which is added to the graph when it is first needed."""
        key = (training, weighted)
        if key not in self._steps:
            shared = self._steps.get(weighted)
            if shared is None:
                shared = self._steps[weighted] = self._losses_and_metrics(weighted)
            weight_feeds, total, others = shared
            fetches = [total] + others
            if training:
                with tf.name_scope('training'), tf.name_scope(type(self.optimizer).__name__):
                    params = self._trained or self.trainable_weights
                    if not params:
                        raise ValueError('The model has no weights that can be trained.')
                    updates = self.optimizer.get_updates(total, params)
                    with tf.control_dependencies([total]):
                        fetches = fetches + [tf.group(*(updates + _of_inputs(self.updates, self.inputs)))]
            elif self.state_updates:
                fetches = fetches + [tf.group(*self.state_updates)]
            feeds = self.inputs + self._targets + weight_feeds
            self._steps[key] = _Step(feeds, fetches, state().phase, bool(training))
        return self._steps[key]

    def _make_train_function(self):
        return self._step(True, False)

    def _set_inputs(self, x):
        """Builds a model of a class for the shape of its inputs."""
        if self.outputs is not None:
            return
        own = self.__dict__

        def placeholder(value, i):
            if isinstance(value, tf.Tensor):
                shape, dtype = value.get_shape().as_list()[1:], value.dtype.base_dtype
            else:
                value = np.asarray(value)
                shape, dtype = list(value.shape[1:]), tf.as_dtype(value.dtype)
            if dtype == tf.float64:
                dtype = tf.as_dtype(floatx())
            if not shape:
                shape = [1]
            with tf.name_scope(None):
                return tf.placeholder(dtype, [None] + shape, name='input_%d' % (i + 1))
        if isinstance(x, dict):
            made = {k: placeholder(v, i) for i, (k, v) in enumerate(x.items())}
            own['input_names'] = list(made)
            own['inputs'] = list(made.values())
        else:
            many = isinstance(x, (list, tuple))
            made = [placeholder(v, i) for i, v in enumerate(x if many else [x])]
            own['input_names'], own['inputs'] = ['input_%d' % (i + 1) for i in range(len(made))], made
            made = made if many else made[0]
        outputs = self(made)
        if isinstance(outputs, dict):
            own['output_names'], own['outputs'] = list(outputs), list(outputs.values())
        else:
            own['outputs'] = list(tf.nest.flatten(outputs))
            own['output_names'] = ['output_%d' % (i + 1) for i in range(len(self.outputs))]
        if self._compiled is not None:
            self._set_losses()

    def _columns(self, x, y, weights=None, class_weight=None, has_labels=True):
        """Returns the arrays of a batch in the order of the placeholders."""
        if self.outputs is None:
            self._set_inputs(x)
        columns = tfk_data.standardize(x, self.input_names, self.inputs, 'input')
        if not has_labels or not self._targets:
            return columns
        if y is None:
            raise ValueError('The model has the loss %s, so training needs labels. Type: model.fit(x, y)' % (self.loss,))
        if isinstance(y, (list, tuple)) and len(self._targets) > 1 and len(self._targets) < len(self.outputs):
            y = [v for v, loss in zip(y, self._loss_objects) if loss is not None]
        labels = tfk_data.standardize(y, self._target_names, self._targets, 'target', exact=False)
        objects = [(loss, o) for loss, o in zip(self._loss_objects, self.outputs) if loss is not None]
        for (loss, output), name, v in zip(objects, self._target_names, labels):
            wanted = output.get_shape().as_list()[1:]
            fn = getattr(loss, 'fn', None)
            if tfk_losses.is_sparse(loss):
                wanted = wanted[:-1] + [1]
            elif fn is None or fn not in tfk_losses.known.values():
                continue
            if any(w is not None and w != have for w, have in zip(wanted, v.shape[1:])):
                raise ValueError('Error when checking target: expected %s to have shape %s but got array with shape %s%s' %
                                 (name, tuple(wanted), v.shape[1:], _class_hint(fn, v, wanted)))
        own = tfk_data.standardize_weights(weights, class_weight, self._target_names, labels)
        return columns + labels + (own or [])

    def _source(self, x, y, weights, batch_size, shuffle, steps, class_weight=None, has_labels=True):
        """Returns the batches of any kind of data."""
        if tfk_data.is_dataset(x):
            session = get_session()
            if self.outputs is None:
                element = tfk_data._of_dataset(x, session)[1]
                self._set_inputs(element[0] if isinstance(element, tuple) else element)
            return tfk_data.dataset_steps(self, x, steps, has_labels, session, class_weight)
        if tfk_data.is_generator(x):
            return tfk_data.generator_steps(self, x, steps, has_labels, class_weight, shuffle)
        flat = tf.nest.flatten(x)
        if any(isinstance(v, tf.Tensor) for v in flat):
            self._set_inputs(x)
            tensors = [x, y] if y is not None else [x]
            return tfk_data.tensor_steps(self, tensors, steps, has_labels, get_session())
        if self.outputs is None:
            self._set_inputs(x)
        columns = self._columns(x, y, weights, class_weight, has_labels)
        if steps and not batch_size:
            return tfk_data.Repeated(columns, steps)
        return tfk_data.Arrays(columns, batch_size, shuffle)

    def _weighted(self, columns):
        return len(columns) > len(self.inputs) + len(self._targets)

    def _reset_metrics(self):
        for m in self.metrics:
            m.reset_states()

    reset_metrics = _reset_metrics

    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose=1, callbacks=None, validation_split=0.,
            validation_data=None, shuffle=True, class_weight=None, sample_weight=None, initial_epoch=0,
            steps_per_epoch=None, validation_steps=None, validation_freq=1, **kwargs):
        """Trains the model for a number of epochs. Returns a History."""
        kwargs.pop('max_queue_size', None), kwargs.pop('workers', None), kwargs.pop('use_multiprocessing', None)
        epochs = kwargs.pop('nb_epoch', epochs)
        for unknown in kwargs:
            raise TypeError('Unrecognized keyword arguments: ' + unknown)
        self._need_compiled()
        source = self._source(x, y, sample_weight, batch_size, shuffle, steps_per_epoch, class_weight)
        validation = None
        if validation_data is not None:
            validation = self._validation(validation_data, batch_size, validation_steps)
        elif validation_split:
            source, validation = self._split(source, validation_split)
        quiet = tfk_data.is_generator(x)
        return self._fit(source, validation, epochs, verbose, callbacks, initial_epoch, validation_freq, quiet)

    def _validation(self, data, batch_size, steps):
        if isinstance(data, (tuple, list)):
            if len(data) not in (2, 3):
                raise ValueError('validation_data must be (x, y) or (x, y, weights), got %d parts.' % len(data))
            weights = data[2] if len(data) > 2 else None
            return self._source(data[0], data[1], weights, batch_size, False, steps)
        return self._source(data, None, None, batch_size, False, steps)

    def _split(self, source, fraction):
        if not isinstance(source, tfk_data.Arrays):
            raise ValueError('`validation_split` is only supported for arrays. Pass validation_data=dataset')
        at = int(source.size * (1. - fraction))
        if not 0 < at < source.size:
            raise ValueError('validation_split=%s leaves no data for training or for validation: there are %d samples.' %
                             (fraction, source.size))
        columns = [c[:at] for c in source.columns]
        if isinstance(source, tfk_data.Repeated):
            first = tfk_data.Repeated(columns, source.steps)
        else:
            first = tfk_data.Arrays(columns, source.batch_size, source.shuffle)
        return first, tfk_data.Arrays([c[at:] for c in source.columns], source.batch_size, False)

    def _fit(self, source, validation, epochs, verbose, callbacks, initial_epoch, validation_freq, quiet):
        by_steps = source.unit == 'step'
        names = self.metrics_names
        stateful = [m.name for m in self.metrics]
        history = tfk_callbacks.History()
        object.__setattr__(self, 'history', history)
        all_callbacks = list(callbacks or []) + [history]
        if verbose:
            all_callbacks.append(tfk_callbacks.ProgbarLogger('steps' if by_steps else 'samples', stateful))
        shown = names + (['val_' + n for n in names] if validation is not None else [])
        params = {'batch_size': None if by_steps else source.batch_size, 'epochs': epochs, 'steps': source.steps if
                  by_steps else None, 'samples': source.total, 'verbose': verbose, 'do_validation': validation is not None,
                  'metrics': shown}
        callbacks = tfk_callbacks.CallbackList(all_callbacks, self, params)
        if verbose and not quiet and source.total is not None:
            text = 'Train on %d %ss' % (source.total, source.unit)
            if validation is not None and validation.total is not None:
                text += ', validate on %d %ss' % (validation.total, validation.unit)
            print(text)
        self.stop_training = False
        callbacks.call('on_train_begin', {})
        for epoch in range(initial_epoch, epochs):
            self._reset_metrics()
            logs = {}
            callbacks.call('on_epoch_begin', epoch, logs)
            logs.update(self._train_epoch(source, callbacks, names))
            if by_steps:
                params['steps'] = source.steps
            if validation is not None and _is_due(epoch, validation_freq):
                for name, value in zip(names, self._test(validation, callbacks)):
                    logs['val_' + name] = value
            callbacks.call('on_epoch_end', epoch, logs)
            if self.stop_training:
                break
        callbacks.call('on_train_end', {})
        return history

    def _train_epoch(self, source, callbacks, names):
        """Returns the averages of the losses and the results of the metrics."""
        session, seen, results = None, 0, []
        losses = len(names) - len(self.metrics) - len(self._layer_metrics())
        sums = [0.] * losses
        for i, (columns, size) in enumerate(source.epoch()):
            logs = {'batch': i, 'size': size}
            callbacks.batch('train', 'begin', i, logs)
            if session is None:
                step = self._step(True, self._weighted(columns))
                session = get_session()
            results = step.run(session, columns)
            weight = size if source.unit == 'sample' else 1
            for j in range(losses):
                sums[j] += results[j] * weight
            seen += weight
            logs.update(zip(names, results))
            callbacks.batch('train', 'end', i, logs)
            if self.stop_training:
                break
        return dict(zip(names, [s / max(seen, 1) for s in sums] + results[losses:]))

    def _test(self, source, callbacks=None, progress=None):
        """Returns the averages of the losses and the results of the metrics."""
        self._reset_metrics()
        names = self.metrics_names
        losses = len(names) - len(self.metrics) - len(self._layer_metrics())
        sums, seen, session, results, done = [0.] * losses, 0, None, [], 0
        for i, (columns, size) in enumerate(source.epoch()):
            if session is None:
                step = self._step(False, self._weighted(columns))
                session = get_session()
            if callbacks is not None:
                callbacks.batch('test', 'begin', i, {'batch': i, 'size': size})
            results = step.run(session, columns)[:len(names)]
            weight = size if source.unit == 'sample' else 1
            sums = [s + r * weight for s, r in zip(sums, results)]
            seen += weight
            if callbacks is not None:
                callbacks.batch('test', 'end', i, dict(zip(names, results), batch=i, size=size))
            if progress is not None:
                done += size if source.unit == 'sample' else 1
                progress.update(done, list(zip(names, results)))
        return [s / max(seen, 1) for s in sums] + results[losses:]

    def evaluate(self, x=None, y=None, batch_size=None, verbose=1, sample_weight=None, steps=None, callbacks=None, **kwargs):
        """Returns the loss and the metrics of data."""
        self._need_compiled()
        source = self._source(x, y, sample_weight, batch_size, False, steps)
        progress, hooks = None, None
        if verbose == 1:
            progress = tfk_callbacks.Progbar(source.total, stateful_metrics=[m.name for m in self.metrics],
                                             unit_name=source.unit)
        if callbacks:
            hooks = tfk_callbacks.CallbackList(callbacks, self, {'verbose': verbose, 'metrics': self.metrics_names})
            hooks.call('on_test_begin', {})
        results = self._test(source, hooks, progress)
        if progress is not None and source.total is None:
            print()
        if hooks:
            hooks.call('on_test_end', {})
        return results[0] if len(results) == 1 else results

    def predict(self, x, batch_size=None, verbose=0, steps=None, callbacks=None, **kwargs):
        """Returns the outputs for data."""
        source = self._source(x, None, None, batch_size, False, steps, has_labels=False)
        progress = tfk_callbacks.Progbar(source.total, unit_name=source.unit) if verbose == 1 else None
        step, session, parts, done = None, None, [], 0
        for columns, size in source.epoch():
            if step is None:
                step = self._predict_step()
                session = get_session()
            parts.append(step.run(session, columns)[:len(self.outputs)])
            done += size if source.unit == 'sample' else 1
            if progress is not None:
                progress.update(done)
        if not parts:
            raise ValueError('predict() got no data.')
        joined = [np.concatenate(p) if len(p) > 1 else p[0] for p in zip(*parts)]
        return joined[0] if len(joined) == 1 else joined

    def _predict_step(self):
        if 'predict' not in self._steps:
            updates = self.state_updates
            fetches = list(self.outputs) + ([tf.group(*updates)] if updates else [])
            self._steps['predict'] = _Step(list(self.inputs), fetches, state().phase, False)
        return self._steps['predict']

    def train_on_batch(self, x, y=None, sample_weight=None, class_weight=None, reset_metrics=True):
        """Trains the model with one batch. Returns the loss and the metrics."""
        return self._on_batch(True, x, y, sample_weight, class_weight, reset_metrics)

    def test_on_batch(self, x, y=None, sample_weight=None, reset_metrics=True):
        """Returns the loss and the metrics of one batch."""
        return self._on_batch(False, x, y, sample_weight, None, reset_metrics)

    def _on_batch(self, training, x, y, sample_weight, class_weight, reset):
        self._need_compiled()
        columns = self._columns(x, y, sample_weight, class_weight)
        step = self._step(training, self._weighted(columns))
        results = step.run(get_session(), columns)[:len(self.metrics_names)]
        if reset:
            self._reset_metrics()
        return results[0] if len(results) == 1 else results

    def predict_on_batch(self, x):
        """Returns the outputs for one batch."""
        columns = self._columns(x, None, has_labels=False)
        results = self._predict_step().run(get_session(), columns)[:len(self.outputs)]
        return results[0] if len(results) == 1 else results

    def fit_generator(self, generator, steps_per_epoch=None, epochs=1, verbose=1, callbacks=None, validation_data=None,
                      validation_steps=None, validation_freq=1, class_weight=None, max_queue_size=10, workers=1,
                      use_multiprocessing=False, shuffle=True, initial_epoch=0):
        """Trains the model with the batches of a generator."""
        return self.fit(generator, None, None, epochs, verbose, callbacks, 0., validation_data, shuffle, class_weight,
                        None, initial_epoch, steps_per_epoch, validation_steps, validation_freq)

    def evaluate_generator(self, generator, steps=None, callbacks=None, max_queue_size=10, workers=1,
                           use_multiprocessing=False, verbose=0):
        """Returns the loss and the metrics of the batches of a generator."""
        return self.evaluate(generator, steps=steps, verbose=verbose)

    def predict_generator(self, generator, steps=None, callbacks=None, max_queue_size=10, workers=1,
                          use_multiprocessing=False, verbose=0):
        """Returns the outputs for the batches of a generator."""
        return self.predict(generator, steps=steps, verbose=verbose)


def _class_hint(fn, labels, wanted):
    if fn is tfk_losses.categorical_crossentropy and labels.shape[1:] == (1,):
        return ". The labels look like class numbers. Use loss='sparse_categorical_crossentropy', or " \
               'tf.keras.utils.to_categorical(y, %s)' % wanted[-1]
    return ''


def _is_due(epoch, frequency):
    return (epoch + 1) % frequency == 0 if isinstance(frequency, int) else epoch + 1 in frequency
