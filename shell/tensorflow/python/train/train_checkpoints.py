"""tf.train: variables from checkpoints, loops over checkpoints and training steps."""
import re
import time

import numpy as np


def _checkpoint(path):
    found = tf.train.latest_checkpoint(path) if tf.gfile.IsDirectory(path) else path
    if found is None:
        raise ValueError("Couldn't find 'checkpoint' file or checkpoints in given directory %s" % path)
    return found


def _starts_from(variable, reader, path, name):
    """Makes the variable's initializer read its value from a checkpoint."""
    shape = reader.get_variable_to_shape_map()[name]
    if not variable.get_shape().is_compatible_with(shape):
        raise ValueError("Shape of variable %s (%s) doesn't match with shape of tensor %s (%s) from checkpoint reader." % (
            variable.name, variable.get_shape(), name, shape))
    with tf.device('/cpu:0'):
        kind = variable.dtype.base_dtype
        read = tf.raw_ops.RestoreV2(prefix=path, tensor_names=[name], shape_and_slices=[''], dtypes=[kind],
                                    name='checkpoint_initializer')
        read = read[0] if isinstance(read, (list, tuple)) else read
        variable._set_initializer(tf.assign(variable, tf.reshape(read, shape)).op)


def init_from_checkpoint(ckpt_dir_or_file, assignment_map):
    """Initializes variables from a checkpoint. The dict maps names or scopes/ in it to variables, names or scopes/ of the graph."""
    path = _checkpoint(ckpt_dir_or_file)
    reader = tf.train.NewCheckpointReader(path)
    there = reader.get_variable_to_shape_map()
    here = {v.op.name: v for v in tf.global_variables()}
    for source in sorted(assignment_map):
        target = assignment_map[source]
        if not isinstance(target, str):
            pairs = [(source, v) for v in (target if isinstance(target, (list, tuple)) else [target])]
        elif target in here:
            pairs = [(source, here[target])]
        elif target == '/' or target.endswith('/'):
            scope, prefix = target.strip('/'), source.strip('/')
            inside = [name for name in here if not scope or name.startswith(scope + '/')]
            pairs = [((prefix + '/' if prefix else '') + name[len(scope) + 1 if scope else 0:], here[name])
                     for name in sorted(inside)]
        else:
            raise ValueError('Assignment map with scope only name %s should map to scope only %s. Should be '
                             "'scope/': 'other_scope/'." % (target, source))
        for name, variable in pairs:
            if name not in there:
                raise ValueError('Tensor %s is not found in %s checkpoint %s' % (name, path, sorted(there)))
            _starts_from(variable, reader, path, name)


def checkpoints_iterator(checkpoint_dir, min_interval_secs=0, timeout=None, timeout_fn=None):
    """Yields the newest checkpoint of a folder, and each later one."""
    last = None
    while True:
        waited = time.time()
        found = tf.train.latest_checkpoint(checkpoint_dir)
        while found is None or found == last:
            if timeout is not None and time.time() - waited >= timeout:
                if timeout_fn is None or timeout_fn():
                    return
                waited = time.time()
            time.sleep(min(1, 1 if timeout is None else timeout / 10 or .001))
            found = tf.train.latest_checkpoint(checkpoint_dir)
        start, last = time.time(), found
        yield found
        time.sleep(max(0, min_interval_secs - (time.time() - start)))


def get_checkpoint_mtimes(checkpoint_prefixes):
    """Returns the modification times of checkpoints."""
    names = [p + '.index' if tf.gfile.Exists(p + '.index') else p for p in checkpoint_prefixes]
    return [tf.gfile.Stat(name).mtime_nsec / 1e9 for name in names if tf.gfile.Exists(name)]


def assert_global_step(global_step_tensor):
    """Raises TypeError unless the tensor can be a global step."""
    if not (isinstance(global_step_tensor, (tf.Variable, tf.Tensor))):
        raise TypeError('Existing "global_step" must be a Variable or Tensor: %s.' % global_step_tensor)
    if not global_step_tensor.dtype.base_dtype.is_integer:
        raise TypeError('Existing "global_step" does not have integer type: %s' % global_step_tensor.dtype)
    if global_step_tensor.get_shape().ndims not in (0, None):
        raise TypeError('Existing "global_step" is not scalar: %s' % global_step_tensor.get_shape())


def basic_train_loop(supervisor, train_step_fn, args=None, kwargs=None, master=''):
    """Calls train_step_fn(session, …) until the supervisor requests a stop."""
    with supervisor.managed_session(master) as sess:
        while not supervisor.should_stop():
            train_step_fn(sess, *(args or ()), **(kwargs or {}))


def print_tensors_in_checkpoint_file(file_name, tensor_name, all_tensors, all_tensor_names=False, count_exclude_pattern=''):
    """Prints one tensor of a checkpoint, all of them, or their names, and the number of elements."""
    reader = tf.train.NewCheckpointReader(file_name)
    shapes, types = reader.get_variable_to_shape_map(), reader.get_variable_to_dtype_map()
    if tensor_name and not (all_tensors or all_tensor_names):
        if tensor_name not in shapes:
            print('Tensor %s not found in checkpoint' % tensor_name)
            return
        names = [tensor_name]
    else:
        names = sorted(shapes)
    if tensor_name or all_tensors or all_tensor_names:
        for name in names:
            print('tensor: %s (%s) %s' % (name, types[name].name, shapes[name]))
            if all_tensors or not all_tensor_names:
                print(reader.get_tensor(name))
    else:
        print(reader.debug_string().decode('utf-8'))
    excluded = [name for name in shapes if count_exclude_pattern and re.search(count_exclude_pattern, name)]

    def params(names):
        return sum(int(np.prod(shapes[name])) for name in names)
    if count_exclude_pattern:
        print('# Excluding %d tensors (%d params) that match %s when counting.' % (
            len(excluded), params(excluded), count_exclude_pattern))
    print('# Total number of params: %d' % (params(shapes) - params(excluded)))
