"""tf.train: the tasks of a cluster, and the placement of replicas."""


class ClusterSpec(object):
    """The jobs of a cluster with the addresses of their tasks: {'ps': ['host:port'], 'worker': {0: 'host:port'}}"""

    def __init__(self, cluster):
        if isinstance(cluster, ClusterSpec):
            cluster = cluster._jobs
        elif not isinstance(cluster, dict):
            raise TypeError('`cluster` must be a dictionary mapping one or more job names to lists of network '
                            'addresses, or a `ClusterDef` protocol buffer')
        self._jobs = {}
        for job, tasks in cluster.items():
            if isinstance(tasks, dict):
                tasks = dict(tasks)
            elif isinstance(tasks, (list, tuple)):
                tasks = dict(enumerate(tasks))
            else:
                raise TypeError('The tasks for job %r must be a list or a dictionary from integers to strings.' % job)
            for address in tasks.values():
                if not isinstance(address, str):
                    raise TypeError('The address of a task of %r must be a string, not %r.' % (job, address))
            self._jobs[job] = tasks

    def __bool__(self):
        return bool(self._jobs)

    def __eq__(self, other):
        return isinstance(other, ClusterSpec) and self._jobs == other._jobs

    def __ne__(self, other):
        return not self == other

    def __repr__(self):
        return 'ClusterSpec({' + ', '.join(repr(k) + ': ' + repr(v) for k, v in sorted(self.as_dict().items())) + '})'

    __str__ = __repr__

    def as_dict(self):
        """Returns the addresses of each job: a list if its tasks are numbered without gaps, otherwise a dict."""
        found = {}
        for job in self.jobs:
            tasks = self._jobs[job]
            dense = sorted(tasks) == list(range(len(tasks)))
            found[job] = [tasks[i] for i in range(len(tasks))] if dense else dict(tasks)
        return found

    @property
    def jobs(self):
        return list(self._jobs)

    def _tasks(self, job_name):
        if job_name not in self._jobs:
            raise ValueError('No such job in cluster: %r' % job_name)
        return self._jobs[job_name]

    def num_tasks(self, job_name):
        return len(self._tasks(job_name))

    def task_indices(self, job_name):
        return list(sorted(self._tasks(job_name)))

    def task_address(self, job_name, task_index):
        tasks = self._tasks(job_name)
        if task_index not in tasks:
            raise ValueError('No task with index %r in job %r' % (task_index, job_name))
        return tasks[task_index]

    def job_tasks(self, job_name):
        tasks = self._tasks(job_name)
        return [tasks.get(i) for i in range(max(tasks) + 1)] if tasks else []


class Server(object):
    """One task of a cluster. It serves from its creation until the end of the program."""

    def __init__(self, server_or_cluster_def, job_name=None, task_index=None, protocol=None, config=None, start=True):
        spec = ClusterSpec(server_or_cluster_def)
        if job_name is None:
            if len(spec.jobs) != 1:
                raise ValueError('Must specify an explicit `job_name`.')
            job_name = spec.jobs[0]
        if task_index is None:
            if len(spec.task_indices(job_name)) != 1:
                raise ValueError('Must specify an explicit `task_index`.')
            task_index = spec.task_indices(job_name)[0]
        if protocol not in (None, '', 'grpc'):
            raise tf.errors.NotFoundError(None, None, 'No server factory registered for the given ServerDef: protocol: '
                                          '"%s"; there is grpc' % protocol)
        spec.task_address(job_name, task_index)
        self._line = ';'.join(job + '=' + ','.join(spec.job_tasks(job)) for job in spec.jobs)
        self._task = (job_name, task_index)
        self._server = None
        if start:
            self.start()

    def start(self):
        if self._server is None:
            self._server = tf.train._serve(self._line, *self._task)

    def join(self):
        self.start()
        self._server.join()

    @property
    def target(self):
        self.start()
        return self._server.target

    @staticmethod
    def create_local_server(config=None, start=True):
        server = Server.__new__(Server)
        server._line, server._task, server._server = '', ('', 0), None
        if start:
            server.start()
        return server


_PS_OPS = ('Variable', 'VariableV2', 'AutoReloadVariable', 'MutableHashTable', 'MutableHashTableV2',
           'MutableHashTableOfTensors', 'MutableHashTableOfTensorsV2', 'MutableDenseHashTable',
           'MutableDenseHashTableV2', 'VarHandleOp', 'BoostedTreesEnsembleResourceHandleOp',
           'BoostedTreesQuantileStreamResourceHandleOp', 'ResourceConditionalAccumulator', 'DecisionTreeResource')


def _parts(device):
    """The parts of a device name: {'job': 'ps', 'task': '0', 'device': 'CPU:0'}"""
    found = {}
    for part in (device or '').split('/'):
        if part:
            key, value = part.split(':', 1)
            if key.lower() in ('cpu', 'gpu'):
                key, value = 'device', key.upper() + ':' + value
            found[key] = value
    return found


def _join(parts):
    return ''.join('/%s:%s' % (key, parts[key]) for key in ('job', 'replica', 'task', 'device') if key in parts)


class _ReplicaDevices(object):
    def __init__(self, ps_tasks, ps_device, worker_device, merge_devices, ps_ops, ps_strategy):
        self._ps_tasks, self._ps, self._worker = ps_tasks, _parts(ps_device), _parts(worker_device)
        self._merge, self._ps_ops, self._strategy = merge_devices, ps_ops, ps_strategy

    def device_function(self, op):
        if not self._merge and op.device:
            return op.device
        asked = _parts(op.device)
        if self._ps_tasks and self._ps and op.type in self._ps_ops:
            found = dict(self._ps)
            if 'job' in found and asked.get('job', found['job']) == found['job']:
                found['task'] = str(self._strategy(op))
        else:
            found = dict(self._worker)
        found.update(asked)
        return _join(found)


def replica_device_setter(ps_tasks=0, ps_device='/job:ps', worker_device='/job:worker', merge_devices=True,
                          cluster=None, ps_ops=None, ps_strategy=None):
    """A device function for tf.device: variables are distributed over the parameter servers, and other nodes go to the
    worker."""
    if cluster is not None:
        jobs = ClusterSpec(cluster).as_dict()
        job = _parts(ps_device).get('job')
        if job not in jobs:
            return None
        ps_tasks = len(jobs[job])
    if ps_tasks == 0:
        return None
    if ps_strategy is None:
        turn = [-1]

        def ps_strategy(op):
            turn[0] = (turn[0] + 1) % ps_tasks
            return turn[0]
    if not callable(ps_strategy):
        raise TypeError('ps_strategy must be callable')
    chosen = _PS_OPS if ps_ops is None else ps_ops
    return _ReplicaDevices(ps_tasks, ps_device, worker_device, merge_devices, chosen, ps_strategy).device_function
