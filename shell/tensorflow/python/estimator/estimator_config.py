"""tf.estimator.RunConfig: the settings of training, and the task of the cluster in TF_CONFIG."""
import json
import os


def _list(jobs, name):
    return jobs.get(name, [])


class RunConfig(object):
    """The settings of training: checkpoints, seeds, sessions, and the task of TF_CONFIG."""
    _DEFAULTS = dict(model_dir=None, tf_random_seed=None, save_summary_steps=100, save_checkpoints_steps=None,
                     save_checkpoints_secs=None, session_config=None, keep_checkpoint_max=5,
                     keep_checkpoint_every_n_hours=10000, log_step_count_steps=100, train_distribute=None, device_fn=None,
                     protocol=None, eval_distribute=None, experimental_distribute=None,
                     experimental_max_worker_delay_secs=None, session_creation_timeout_secs=7200)

    def __init__(self, *args, **kwargs):
        values = dict(self._DEFAULTS)
        values.update(zip(values, args))
        for key in kwargs:
            if key not in values:
                near = [k for k in values if k[:8] == key[:8]]
                raise TypeError("__init__() got an unexpected keyword argument '%s'%s" %
                                (key, '; did you mean %r?' % near[0] if near else ''))
        values.update(kwargs)
        if values['save_checkpoints_steps'] is not None and values['save_checkpoints_secs'] is not None:
            raise ValueError('Can not provide both save_checkpoints_steps and save_checkpoints_secs.')
        if values['save_checkpoints_steps'] is None and 'save_checkpoints_secs' not in kwargs and len(args) < 5:
            values['save_checkpoints_secs'] = 600
        self.__dict__.update(values)
        self._read_tf_config()

    task_type, task_id, master, evaluation_master, is_chief, global_id_in_cluster = 'worker', 0, '', '', True, 0
    num_ps_replicas, num_worker_replicas, service = 0, 1, None
    cluster_spec = property(lambda self: tf.train.ClusterSpec(self._jobs))

    def _read_tf_config(self):
        text = os.environ.get('TF_CONFIG') or '{}'
        try:
            given = json.loads(text)
        except ValueError as e:
            raise ValueError('TF_CONFIG is not JSON (%s): %s' % (e, text))
        task, self._jobs, self.service = given.get('task', {}), given.get('cluster', {}), given.get('service')
        if self._jobs:
            self._join_cluster(task, given)
        elif task.get('type', 'worker') not in ('worker', 'evaluator'):
            raise ValueError('If "cluster" is not set in TF_CONFIG, task type must be WORKER.')
        elif int(task.get('index', 0)) != 0:
            raise ValueError('If "cluster" is not set in TF_CONFIG, task index must be 0.')
        elif task.get('type') == 'evaluator':
            self._leave_cluster()

    def _join_cluster(self, task, given):
        chiefs = [job for job in ('chief', 'master') if job in self._jobs]
        if not chiefs:
            raise ValueError('If "cluster" is set in TF_CONFIG, it must have one "chief" node.')
        if len(self._jobs[chiefs[0]]) != 1:
            raise ValueError('The "cluster" in TF_CONFIG must have only one "chief" node.')
        for key in ('type', 'index'):
            if key not in task:
                raise ValueError('If "cluster" is set in TF_CONFIG, task %s must be set.' % key)
        self.task_type, self.task_id = str(task['type']), int(task['index'])
        if self.task_id < 0:
            raise ValueError('Task index must be non-negative number.')
        if self.task_type == 'evaluator':
            return self._leave_cluster()
        if self.task_type not in self._jobs:
            raise ValueError('%s is not a valid task_type in the cluster_spec: %s' % (self.task_type, self._jobs))
        if self.task_id >= len(self._jobs[self.task_type]):
            raise ValueError('%d is not a valid task_id for task_type %s in the cluster_spec: %s' %
                             (self.task_id, self.task_type, self._jobs))
        master = given.get('session_master')
        self.master = 'grpc://' + self._jobs[self.task_type][self.task_id] if master is None else master
        self.is_chief = self.task_type in chiefs
        self.num_ps_replicas = len(_list(self._jobs, 'ps'))
        self.num_worker_replicas = len(_list(self._jobs, 'worker')) + 1
        before = {'chief': 0, 'master': 0, 'worker': 1, 'ps': self.num_worker_replicas}
        self.global_id_in_cluster = before.get(self.task_type, 0) + self.task_id
        if self.session_config is None:
            mine = '/job:worker/task:%d' % self.task_id if self.task_type == 'worker' else '/job:' + self.task_type
            filters = ['/job:ps', '/job:worker', '/job:' + chiefs[0]] if self.task_type == 'ps' else ['/job:ps', mine]
            self.session_config = tf.ConfigProto(allow_soft_placement=True, device_filters=filters)

    def _leave_cluster(self):
        self.task_type, self._jobs, self.is_chief, self.num_worker_replicas = 'evaluator', {}, False, 0

    def replace(self, **kwargs):
        values = {k: getattr(self, k) for k in self._DEFAULTS}
        if kwargs.get('save_checkpoints_steps') is not None:
            values['save_checkpoints_secs'] = None
        elif kwargs.get('save_checkpoints_secs') is not None:
            values['save_checkpoints_steps'] = None
        values.update(kwargs)
        return RunConfig(**values)

    def _device(self):
        """Returns the device function of the model: variables on parameter servers, the rest on this task."""
        if self.device_fn is not None or self.num_ps_replicas == 0:
            return self.device_fn
        return tf.train.replica_device_setter(worker_device='/job:%s/task:%d' % (self.task_type, self.task_id),
                                              cluster=self.cluster_spec)
