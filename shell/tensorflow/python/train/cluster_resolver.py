"""tf.distribute.cluster_resolver: the cluster that a scheduler started this process in."""
import json
import os
import re


class ClusterResolver(object):
    """Finds the tasks of a cluster, and which of them this process is. Subclasses define cluster_spec()."""

    def __init__(self, task_type=None, task_id=None, rpc_layer=None, environment=None):
        self.task_type, self.task_id = task_type, task_id
        self.rpc_layer, self.environment = rpc_layer, environment

    def cluster_spec(self):
        raise NotImplementedError()

    def _address(self, task_type, task_id, rpc_layer):
        """The target of a session on a task: 'grpc://host:2222'."""
        task_type = self.task_type if task_type is None else task_type
        task_id = self.task_id if task_id is None else task_id
        layer = rpc_layer or self.rpc_layer
        if task_type is None or task_id is None:
            return ''
        address = self.cluster_spec().task_address(task_type, task_id)
        return layer + '://' + address if layer else address

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        return self._address(task_type, task_id, rpc_layer)

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        return {}


class SimpleClusterResolver(ClusterResolver):
    """A cluster that the program knows."""

    def __init__(self, cluster_spec, master='', task_type=None, task_id=None, environment='', num_accelerators=None,
                 rpc_layer=None):
        if not isinstance(cluster_spec, tf.train.ClusterSpec):
            raise TypeError('cluster_spec must be a `tf.train.ClusterSpec`.')
        ClusterResolver.__init__(self, task_type, task_id, rpc_layer, environment)
        self._spec, self._master, self._accelerators = cluster_spec, master, num_accelerators or {}

    def cluster_spec(self):
        return self._spec

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        if task_type is not None and task_id is not None:
            return self._address(task_type, task_id, rpc_layer)
        layer = rpc_layer or self.rpc_layer
        return layer + '://' + self._master if layer else self._master

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        return dict(self._accelerators)


def _tf_config():
    """The environment variable TF_CONFIG as a dict.."""
    return json.loads(os.environ.get('TF_CONFIG', '{}'))


class TFConfigClusterResolver(ClusterResolver):
    """The cluster of the environment variable TF_CONFIG, which is read at every use."""

    def __init__(self, task_type=None, task_id=None, rpc_layer=None, environment=None):
        self._given = (task_type, task_id, rpc_layer)
        self.environment = environment

    @property
    def task_type(self):
        found = _tf_config().get('task', {}).get('type') if self._given[0] is None else self._given[0]
        return None if found is None else str(found)

    @property
    def task_id(self):
        found = _tf_config().get('task', {}).get('index') if self._given[1] is None else self._given[1]
        return None if found is None else int(found)

    @property
    def rpc_layer(self):
        return _tf_config().get('rpc_layer') if self._given[2] is None else self._given[2]

    def cluster_spec(self):
        return tf.train.ClusterSpec(_tf_config().get('cluster', {}))

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        given = _tf_config().get('session_master')
        if given is not None:
            return given
        spec = self.cluster_spec()
        if sum(spec.num_tasks(job) for job in spec.jobs) < 2:
            return ''
        return self._address(task_type, task_id, rpc_layer)


def _expand_hosts(text):
    """The hosts of a list of Slurm: 'n[1,03-05],login' -> ['n1', 'n03', 'n04', 'n05', 'login']"""
    hosts = []
    for word in re.findall(r'(?:[^,\[\]]|\[[^\]]*\])+', text):
        found = ['']
        for piece, numbers in re.findall(r'([^\[\]]+)|\[([^\]]*)\]', word):
            ends = [piece]
            if numbers:
                ends = []
                for part in numbers.split(','):
                    first, _, last = part.partition('-')
                    if len(last or first) > 9:
                        raise ValueError('The list of hosts %r has a number of more than 9 digits.' % text)
                    ends += [str(i).zfill(len(first)) for i in range(int(first), int(last or first) + 1)]
            found = [start + end for start in found for end in ends]
            if len(found) > 100000:
                raise ValueError('The list of hosts %r has more than 100,000 of them.' % text)
        hosts += found
    return hosts


def _expand_counts(text):
    """The tasks of each host in Slurm's form: '2(x3),1' -> [2, 2, 2, 1]"""
    counts = []
    for count, times in re.findall(r'(\d+)(?:\(x(\d+)\))?', text):
        counts += [int(count)] * int(times or 1)
    return counts


def _slurm(name):
    """The value of a variable that Slurm sets for a job step."""
    for full in ('SLURM_STEP_' + name, 'SLURM_' + name):
        if full in os.environ:
            return os.environ[full]
    raise RuntimeError('SLURM_STEP_%s is not set: this process was not started by srun. '
                       'Start it with srun, or use tf.distribute.cluster_resolver.SimpleClusterResolver' % name)


class SlurmClusterResolver(ClusterResolver):
    """The tasks of the Slurm job step that this process belongs to. They get the ports from `port_base` on."""

    def __init__(self, jobs=None, port_base=8888, gpus_per_node=None, gpus_per_task=None, tasks_per_node=None,
                 auto_set_gpu=True, rpc_layer='grpc'):
        ClusterResolver.__init__(self, rpc_layer=rpc_layer, environment='')
        self._rank, self._port = int(os.environ.get('SLURM_PROCID') or _slurm('PROCID')), port_base
        count = int(_slurm('NUM_TASKS'))
        self._jobs = dict(jobs or {'worker': count})
        if sum(self._jobs.values()) != count:
            raise RuntimeError('Requested {} tasks but only {} were assigned.'.format(sum(self._jobs.values()), count))
        hosts = _expand_hosts(_slurm('NODELIST'))
        if tasks_per_node is None:
            tasks_per_node = _expand_counts(_slurm('TASKS_PER_NODE'))
        elif isinstance(tasks_per_node, int):
            tasks_per_node = [tasks_per_node] * len(hosts)
        # Sorted as in TensorFlow, so that the tasks of a mixed cluster agree about their addresses.
        self._addresses = ['%s:%d' % (host, port_base + i)
                           for host, tasks in sorted(dict(zip(hosts, tasks_per_node)).items()) for i in range(tasks)][:count]
        self.cluster_spec()

    def cluster_spec(self):
        cluster, first = {}, 0
        for job, count in self._jobs.items():
            cluster[job] = self._addresses[first:first + count]
            if first <= self._rank < first + count:
                self.task_type, self.task_id = job, self._rank - first
            first += count
        return tf.train.ClusterSpec(cluster)

    def get_task_info(self):
        """Returns the job of this process, and its number in the job."""
        return self.task_type, self.task_id


class UnionClusterResolver(ClusterResolver):
    """The tasks of several clusters, whose jobs have different names. The first one is this process's."""

    def __init__(self, *args, **kwargs):
        if not args:
            raise ValueError('At least one ClusterResolver must be specified.')
        for each in args:
            if not isinstance(each, ClusterResolver):
                raise TypeError('All arguments must be a sub-class of `ClusterResolver.`')
        self._all = args
        ClusterResolver.__init__(self, kwargs.get('task_type', args[0].task_type), kwargs.get('task_id', args[0].task_id),
                                 kwargs.get('rpc_layer', args[0].rpc_layer), args[0].environment)

    def cluster_spec(self):
        jobs = {}
        for each in self._all:
            for job, tasks in each.cluster_spec().as_dict().items():
                if job in jobs:
                    raise KeyError('Overlapping keys detected when merging two ClusterSpecs: job %r' % job)
                jobs[job] = tasks
        return tf.train.ClusterSpec(jobs)

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        if task_type is not None and task_id is not None:
            return self._address(task_type, task_id, rpc_layer)
        return self._all[0].master(rpc_layer=rpc_layer)
