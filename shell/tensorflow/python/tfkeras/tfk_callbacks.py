"""tf.keras.callbacks: functions that training calls around batches and epochs."""
import collections
import csv
import os
import sys
import time
from _library import tfk_backend


class Callback(object):
    """The base class of callbacks."""

    def __init__(self):
        self.validation_data, self.model, self.params = None, None, None

    def set_params(self, params):
        self.params = params

    def set_model(self, model):
        self.model = model

    def on_batch_begin(self, batch, logs=None):
        pass

    def on_batch_end(self, batch, logs=None):
        pass

    def on_epoch_begin(self, epoch, logs=None):
        pass

    def on_epoch_end(self, epoch, logs=None):
        pass

    def on_train_batch_begin(self, batch, logs=None):
        self.on_batch_begin(batch, logs=logs)

    def on_train_batch_end(self, batch, logs=None):
        self.on_batch_end(batch, logs=logs)

    def on_test_batch_begin(self, batch, logs=None):
        pass

    def on_test_batch_end(self, batch, logs=None):
        pass

    def on_predict_batch_begin(self, batch, logs=None):
        pass

    def on_predict_batch_end(self, batch, logs=None):
        pass

    def on_train_begin(self, logs=None):
        pass

    def on_train_end(self, logs=None):
        pass

    def on_test_begin(self, logs=None):
        pass

    def on_test_end(self, logs=None):
        pass

    def on_predict_begin(self, logs=None):
        pass

    def on_predict_end(self, logs=None):
        pass


_BATCH = ('begin', 'end')


class CallbackList(object):
    """Callbacks that are called together. Callbacks without a method for batches are not called for batches."""

    def __init__(self, callbacks, model, params):
        self.callbacks, self.model = list(callbacks), model
        for c in self.callbacks:
            c.set_model(model)
            c.set_params(params)
        self._hooks = {}

    def _listeners(self, mode, hook):
        found = self._hooks.get((mode, hook))
        if found is None:
            name, plain = 'on_%s_batch_%s' % (mode, hook), 'on_batch_%s' % hook
            found = self._hooks[mode, hook] = [
                getattr(c, name) for c in self.callbacks
                if not isinstance(c, Callback) or getattr(type(c), name) is not getattr(Callback, name) or
                (mode == 'train' and getattr(type(c), plain) is not getattr(Callback, plain))]
        return found

    def batch(self, mode, hook, batch, logs):
        for call in self._listeners(mode, hook):
            call(batch, logs)

    def call(self, method, *args):
        for c in self.callbacks:
            getattr(c, method)(*args)


class BaseLogger(Callback):
    """Averages the numbers of the batches of an epoch."""

    def __init__(self, stateful_metrics=None):
        super(BaseLogger, self).__init__()
        self.stateful_metrics = set(stateful_metrics or [])

    def on_epoch_begin(self, epoch, logs=None):
        self.seen, self.totals = 0, {}

    def on_batch_end(self, batch, logs=None):
        size = logs.get('size', 0)
        self.seen += size
        for k, v in logs.items():
            if k in self.stateful_metrics:
                self.totals[k] = v
            else:
                self.totals[k] = self.totals.get(k, 0) + v * size

    def on_epoch_end(self, epoch, logs=None):
        for k in self.params['metrics']:
            if k in self.totals:
                logs[k] = self.totals[k] if k in self.stateful_metrics else self.totals[k] / self.seen


class History(Callback):
    """Keeps the numbers of each epoch."""

    def on_train_begin(self, logs=None):
        self.epoch, self.history = [], {}

    def on_epoch_end(self, epoch, logs=None):
        self.epoch.append(epoch)
        for k, v in (logs or {}).items():
            self.history.setdefault(k, []).append(v)


def _number(value):
    return '%.4f' % value if abs(value) > 1e-3 else '%.4e' % value


def _unit_time(seconds, unit):
    if seconds >= 1 or seconds == 0:
        return ' %.0fs/%s' % (seconds, unit)
    return ' %.0fms/%s' % (seconds * 1e3, unit) if seconds >= 1e-3 else ' %.0fus/%s' % (seconds * 1e6, unit)


def _eta(seconds):
    if seconds > 3600:
        return '%d:%02d:%02d' % (seconds // 3600, seconds % 3600 // 60, seconds % 60)
    return '%d:%02d' % (seconds // 60, seconds % 60) if seconds > 60 else '%ds' % seconds


class Progbar(object):
    """A progress bar with the averages of numbers."""

    def __init__(self, target, width=30, verbose=1, interval=0.05, stateful_metrics=None, unit_name='step'):
        self.target, self.width, self.verbose, self.interval = target, width, verbose, interval
        self.stateful_metrics, self.unit_name = set(stateful_metrics or []), unit_name
        self._sums, self._order, self._seen, self._total_width = {}, [], 0, 0
        self._start, self._last = time.time(), 0.

    def update(self, current, values=None):
        """Shows how many units are done. values: pairs of a name and the number of the last units."""
        for k, v in values or []:
            if k not in self._sums:
                self._order.append(k)
                self._sums[k] = [0., 0]
            if k in self.stateful_metrics:
                self._sums[k] = [v, 1]
            else:
                self._sums[k][0] += v * (current - self._seen)
                self._sums[k][1] += current - self._seen
        self._seen = current
        now = time.time()
        finished = self.target is not None and current >= self.target
        if self.verbose == 1 and (finished or now - self._last >= self.interval):
            self._draw(current, now, finished)
            self._last = now
        elif self.verbose == 2 and finished:
            head = ('%' + str(len(str(self.target))) + 'd/%d') % (current, self.target)
            print(head + ' - %.0fs' % (now - self._start) + self._numbers())

    def add(self, n, values=None):
        self.update(self._seen + n, values)

    def _numbers(self):
        text = ''
        for k in self._order:
            total, count = self._sums[k]
            text += ' - %s: %s' % (k, _number(float(total) / max(1, count)))
        return text

    def _bar(self, current):
        if self.target is None:
            return '%7d/Unknown' % current
        done = int(self.width * float(current) / self.target)
        bar = '=' * (done - 1) + ('>' if current < self.target else '=') if done > 0 else ''
        head = ('%' + str(len(str(self.target))) + 'd/%d [') % (current, self.target)
        return head + bar + '.' * (self.width - len(bar)) + ']'

    def _draw(self, current, now, finished):
        before, each = self._total_width, (now - self._start) / current if current else 0
        text = self._bar(current)
        if self.target is not None and not finished:
            text += ' - ETA: ' + _eta(each * (self.target - current))
        else:
            text += ' - %.0fs' % (now - self._start) + _unit_time(each, self.unit_name)
        text += self._numbers()
        self._total_width = len(text)
        sys.stdout.write('\b' * before + '\r' + text + ' ' * (before - len(text)) + ('\n' if finished else ''))
        sys.stdout.flush()


class ProgbarLogger(Callback):
    """Shows the progress of each epoch."""

    def __init__(self, count_mode='samples', stateful_metrics=None):
        super(ProgbarLogger, self).__init__()
        self.by_steps, self.stateful_metrics = count_mode == 'steps', set(stateful_metrics or [])

    def on_train_begin(self, logs=None):
        self.verbose, self.epochs = self.params['verbose'], self.params['epochs']

    def on_epoch_begin(self, epoch, logs=None):
        self.seen, self.logs = 0, []
        self.target = self.params['steps'] if self.by_steps else self.params['samples']
        if self.verbose:
            if self.epochs > 1:
                print('Epoch %d/%d' % (epoch + 1, self.epochs))
            self.progbar = Progbar(self.target, verbose=self.verbose, stateful_metrics=self.stateful_metrics,
                                   unit_name='step' if self.by_steps else 'sample')

    def on_batch_begin(self, batch, logs=None):
        self.logs = []

    def on_batch_end(self, batch, logs=None):
        self.seen += 1 if self.by_steps else logs.get('size', 0)
        self.logs = [(k, logs[k]) for k in self.params['metrics'] if k in logs]
        if self.verbose and (self.target is None or self.seen < self.target):
            self.progbar.update(self.seen, self.logs)

    def on_epoch_end(self, epoch, logs=None):
        pairs = [(k, logs[k]) for k in self.params['metrics'] if k in logs]
        if self.verbose:
            if self.progbar.target is None:
                self.progbar.target = self.seen
            self.progbar._order += [k for k, _ in pairs if k not in self.progbar._order]
            self.progbar._sums.update((k, [v, 1]) for k, v in pairs)
            self.progbar._seen = self.progbar.target
            self.progbar.update(self.progbar.target)


class LambdaCallback(Callback):
    """A callback that is made of functions."""

    def __init__(self, on_epoch_begin=None, on_epoch_end=None, on_batch_begin=None, on_batch_end=None,
                 on_train_begin=None, on_train_end=None, **kwargs):
        super(LambdaCallback, self).__init__()
        given = dict(kwargs, on_epoch_begin=on_epoch_begin, on_epoch_end=on_epoch_end, on_train_begin=on_train_begin,
                     on_train_end=on_train_end)
        for name, fn in given.items():
            if fn is not None:
                setattr(self, name, fn)
        self._batch_begin, self._batch_end = on_batch_begin, on_batch_end

    def on_batch_begin(self, batch, logs=None):
        if self._batch_begin is not None:
            self._batch_begin(batch, logs)

    def on_batch_end(self, batch, logs=None):
        if self._batch_end is not None:
            self._batch_end(batch, logs)


class _Monitor(Callback):
    """A callback that watches whether a number becomes better."""

    def _watch(self, monitor, mode, min_delta=0):
        if mode not in ('auto', 'min', 'max'):
            print('WARNING:tensorflow:%s mode %s is unknown, fallback to auto mode.' % (type(self).__name__, mode))
            mode = 'auto'
        self.monitor = monitor
        grows = mode == 'max' or (mode == 'auto' and ('acc' in monitor or monitor.startswith('fmeasure')))
        self._sign, self.min_delta = (1 if grows else -1), abs(min_delta)
        self.monitor_op = np.greater if grows else np.less
        self.best = -np.inf if grows else np.inf

    def _better(self, value):
        return self._sign * (value - self.best) > self.min_delta if np.isfinite(self.best) else \
            not np.isnan(value) and value != self.best

    def _value(self, logs, missing):
        if self.monitor not in logs:
            print('WARNING:tensorflow:%s `%s` which is not available. Available metrics are: %s' %
                  (missing, self.monitor, ','.join(list(logs))))
            return None
        return logs[self.monitor]


class EarlyStopping(_Monitor):
    """Stops training when a number no longer becomes better."""

    def __init__(self, monitor='val_loss', min_delta=0, patience=0, verbose=0, mode='auto', baseline=None,
                 restore_best_weights=False):
        super(EarlyStopping, self).__init__()
        self.patience, self.verbose, self.baseline = patience, verbose, baseline
        self.restore_best_weights, self._mode, self._delta = restore_best_weights, mode, min_delta
        self.wait = self.stopped_epoch = 0
        self._watch(monitor, mode, min_delta)

    def on_train_begin(self, logs=None):
        self.wait = self.stopped_epoch = 0
        self.best_weights = None
        self._watch(self.monitor, self._mode, self._delta)
        if self.baseline is not None:
            self.best = self.baseline

    def on_epoch_end(self, epoch, logs=None):
        current = self._value(logs, 'Early stopping conditioned on metric')
        if current is None:
            return
        if self._better(current):
            self.best, self.wait = current, 0
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            return
        self.wait += 1
        if self.wait >= self.patience:
            self.stopped_epoch, self.model.stop_training = epoch, True
            if self.restore_best_weights and self.best_weights is not None:
                if self.verbose > 0:
                    print('Restoring model weights from the end of the best epoch.')
                self.model.set_weights(self.best_weights)

    def on_train_end(self, logs=None):
        if self.stopped_epoch > 0 and self.verbose > 0:
            print('Epoch %05d: early stopping' % (self.stopped_epoch + 1))


class ModelCheckpoint(_Monitor):
    """Writes the model after each epoch."""

    def __init__(self, filepath, monitor='val_loss', verbose=0, save_best_only=False, save_weights_only=False,
                 mode='auto', save_freq='epoch', **kwargs):
        super(ModelCheckpoint, self).__init__()
        self.filepath, self.verbose, self.save_best_only = filepath, verbose, save_best_only
        self.save_weights_only, self.period, self.epochs_since_last_save = save_weights_only, kwargs.get('period', 1), 0
        self._watch(monitor, mode)

    def _save(self, path):
        if self.save_weights_only:
            self.model.save_weights(path, overwrite=True)
        else:
            self.model.save(path, overwrite=True)

    def on_epoch_end(self, epoch, logs=None):
        self.epochs_since_last_save += 1
        if self.epochs_since_last_save < self.period:
            return
        self.epochs_since_last_save = 0
        path = self.filepath.format(epoch=epoch + 1, **logs)
        number = '\nEpoch %05d: ' % (epoch + 1)
        if not self.save_best_only:
            if self.verbose > 0:
                print(number + 'saving model to %s' % path)
            self._save(path)
            return
        current = self._value(logs, 'Can save best model only with')
        if current is None:
            return
        if self._better(current):
            if self.verbose > 0:
                print(number + '%s improved from %0.5f to %0.5f, saving model to %s' %
                      (self.monitor, self.best, current, path))
            self.best = current
            self._save(path)
        elif self.verbose > 0:
            print(number + '%s did not improve from %0.5f' % (self.monitor, self.best))


class LearningRateScheduler(Callback):
    """Sets the learning rate before each epoch."""

    def __init__(self, schedule, verbose=0):
        super(LearningRateScheduler, self).__init__()
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch, logs=None):
        try:
            rate = self.schedule(epoch, float(tfk_backend.get_value(self.model.optimizer.lr)))
        except TypeError:
            rate = self.schedule(epoch)
        if not isinstance(rate, (float, np.float32, np.float64)):
            raise ValueError('The output of the "schedule" function should be float.')
        tfk_backend.set_value(self.model.optimizer.lr, rate)
        if self.verbose > 0:
            print('\nEpoch %05d: LearningRateScheduler reducing learning rate to %s.' % (epoch + 1, rate))

    def on_epoch_end(self, epoch, logs=None):
        logs['lr'] = tfk_backend.get_value(self.model.optimizer.lr)


class ReduceLROnPlateau(_Monitor):
    """Reduces the learning rate when a number no longer becomes better."""

    def __init__(self, monitor='val_loss', factor=0.1, patience=10, verbose=0, mode='auto', min_delta=1e-4, cooldown=0,
                 min_lr=0, **kwargs):
        super(ReduceLROnPlateau, self).__init__()
        if factor >= 1.0:
            raise ValueError('ReduceLROnPlateau does not support a factor >= 1.0.')
        self.factor, self.patience, self.verbose, self.cooldown, self.min_lr = factor, patience, verbose, cooldown, min_lr
        self._mode, self._delta = mode, kwargs.get('epsilon', min_delta)
        self.wait = self.cooldown_counter = 0
        self._watch(monitor, mode, self._delta)

    def on_train_begin(self, logs=None):
        self.wait = self.cooldown_counter = 0
        self._watch(self.monitor, self._mode, self._delta)

    def on_epoch_end(self, epoch, logs=None):
        rate = tfk_backend.get_value(self.model.optimizer.lr)
        logs['lr'] = rate
        current = self._value(logs, 'Reduce LR on plateau conditioned on metric')
        if current is None:
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self._better(current):
            self.best, self.wait = current, 0
        elif self.cooldown_counter <= 0:
            self.wait += 1
            if self.wait >= self.patience and float(rate) > self.min_lr:
                new = max(float(rate) * self.factor, self.min_lr)
                tfk_backend.set_value(self.model.optimizer.lr, new)
                if self.verbose > 0:
                    print('\nEpoch %05d: ReduceLROnPlateau reducing learning rate to %s.' % (epoch + 1, new))
                self.cooldown_counter, self.wait = self.cooldown, 0


class TerminateOnNaN(Callback):
    """Stops training when the loss is not a number."""

    def on_batch_end(self, batch, logs=None):
        loss = (logs or {}).get('loss')
        if loss is not None and not np.isfinite(loss):
            print('Batch %d: Invalid loss, terminating training' % batch)
            self.model.stop_training = True


class CSVLogger(Callback):
    """Writes the numbers of each epoch to a file."""

    def __init__(self, filename, separator=',', append=False):
        super(CSVLogger, self).__init__()
        self.filename, self.sep, self.append, self.keys = filename, separator, append, None

    def on_train_begin(self, logs=None):
        old = self.append and os.path.exists(self.filename)
        self._header = not old
        self._file = open(self.filename, 'a' if self.append else 'w')

    def on_epoch_end(self, epoch, logs=None):
        if self.keys is None:
            self.keys = sorted((logs or {}).keys())
            if self._header:
                self._file.write(self.sep.join(['epoch'] + self.keys) + '\n')
        values = [str(epoch)] + [str(logs[k]) if k in logs else 'NA' for k in self.keys]
        self._file.write(self.sep.join(values) + '\n')
        self._file.flush()

    def on_train_end(self, logs=None):
        self._file.close()


class TensorBoard(Callback):
    """Writes the numbers of each epoch to an event file."""

    def __init__(self, log_dir='logs', histogram_freq=0, batch_size=32, write_graph=True, write_grads=False,
                 write_images=False, update_freq='epoch', **kwargs):
        super(TensorBoard, self).__init__()
        self.log_dir, self.write_graph, self._writer = log_dir, write_graph, None

    def on_train_begin(self, logs=None):
        self._writer = tf.summary.FileWriter(self.log_dir, tf.get_default_graph() if self.write_graph else None)

    def on_epoch_end(self, epoch, logs=None):
        for k, v in (logs or {}).items():
            summary = tf.Summary(value=[tf.Summary.Value(tag='epoch_' + k, simple_value=float(v))])
            self._writer.add_summary(summary, epoch)
        self._writer.flush()

    def on_train_end(self, logs=None):
        self._writer.close()


class RemoteMonitor(Callback):
    """Refused, because a script cannot open connections."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError('tf.keras.callbacks.RemoteMonitor: a script cannot open connections. Use '
                                  'tf.keras.callbacks.CSVLogger("log.csv")')
