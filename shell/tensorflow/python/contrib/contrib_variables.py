"""The variables of tf.contrib.framework: model variables, lists of variables by scope and suffix, and values from
checkpoints."""
import functools
import re
from tensorflow.contrib.framework import add_arg_scope

assert_global_step = tf.train.assert_global_step
create_global_step = tf.train.create_global_step
get_global_step = tf.train.get_global_step
get_or_create_global_step = tf.train.get_or_create_global_step


def assert_or_get_global_step(graph=None, global_step_tensor=None):
    """Checks that a tensor is a valid global step, or returns that of the graph."""
    if global_step_tensor is None:
        return get_global_step(graph)
    assert_global_step(global_step_tensor)
    return global_step_tensor


# ---- creation ----

def local_variable(initial_value, validate_shape=True, name=None, use_resource=None):
    """Creates a variable that is not saved in checkpoints."""
    return tf.Variable(initial_value, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES],
                       validate_shape=validate_shape, name=name, use_resource=use_resource)


def global_variable(initial_value, validate_shape=True, name=None, use_resource=None):
    """Creates a variable that is not trained."""
    return tf.Variable(initial_value, trainable=False, collections=[tf.GraphKeys.GLOBAL_VARIABLES],
                       validate_shape=validate_shape, name=name, use_resource=use_resource)


@add_arg_scope
def variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=True, collections=None,
             caching_device=None, device=None, partitioner=None, custom_getter=None, use_resource=None,
             synchronization=None, aggregation=None):
    """Like tf.get_variable, but on a device."""
    getter = tf.get_variable
    if custom_getter is not None:
        getter = functools.partial(custom_getter, reuse=tf.get_variable_scope().reuse)
    keys = [tf.GraphKeys.GLOBAL_VARIABLES] if collections is None else collections
    with tf.device(device or ''):
        return getter(name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer,
                      trainable=trainable, collections=list(dict.fromkeys(keys)), caching_device=caching_device,
                      partitioner=partitioner, use_resource=use_resource)


@add_arg_scope
def model_variable(name, shape=None, dtype=tf.float32, initializer=None, regularizer=None, trainable=True,
                   collections=None, caching_device=None, device=None, partitioner=None, custom_getter=None,
                   use_resource=None, synchronization=None, aggregation=None):
    """Creates a model variable."""
    return variable(name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer,
                    trainable=trainable, caching_device=caching_device, device=device, partitioner=partitioner,
                    collections=list(collections or []) + [tf.GraphKeys.GLOBAL_VARIABLES,
                                                           tf.GraphKeys.MODEL_VARIABLES],
                    custom_getter=custom_getter, use_resource=use_resource)


def add_model_variable(var):
    """Adds a variable to the model variables."""
    if var not in tf.get_collection(tf.GraphKeys.MODEL_VARIABLES):
        tf.add_to_collection(tf.GraphKeys.MODEL_VARIABLES, var)


# ---- lookup ----

def get_variables(scope=None, suffix=None, collection=tf.GraphKeys.GLOBAL_VARIABLES):
    """Returns the variables whose names begin with scope and end with suffix."""
    if isinstance(scope, tf.VariableScope):
        scope = scope.name
    if suffix is not None:
        scope = (scope or '') + '.*' + suffix + ('' if ':' in suffix else ':')
    return tf.get_collection(collection, scope)


def get_model_variables(scope=None, suffix=None):
    """Returns the model variables."""
    return get_variables(scope, suffix, tf.GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope=None, suffix=None):
    """Returns the local variables, which are not saved in checkpoints."""
    return get_variables(scope, suffix, tf.GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope=None, suffix=None):
    """Returns the variables that optimizers train."""
    return get_variables(scope, suffix, tf.GraphKeys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(suffix, scope=None):
    """Returns the variables whose names end with a suffix."""
    return get_variables(scope=scope, suffix=suffix)


def get_variables_by_name(given_name, scope=None):
    """Returns the variables with this name in any scope."""
    return get_variables(scope=scope, suffix='/' + given_name + ':|^' + given_name + ':')


def get_unique_variable(var_op_name):
    """Returns the variable with this full name."""
    candidates = get_variables(scope=var_op_name)
    if not candidates:
        raise ValueError("Couldn't find variable %s" % var_op_name)
    for candidate in candidates:
        if candidate.op.name == var_op_name:
            return candidate
    raise ValueError('Variable %s does not uniquely identify a variable' % var_op_name)


def get_variable_full_name(var):
    """Returns the name of a variable in a checkpoint."""
    return var.op.name


def get_variables_to_restore(include=None, exclude=None):
    """Returns all variables, or those in the scopes `include`, except for those in the scopes `exclude`."""
    for what, scopes in (('include', include), ('exclude', exclude)):
        if scopes is not None and not isinstance(scopes, (list, tuple)):
            raise TypeError('%s is provided but is not a list or a tuple.' % what)
    found = get_variables() if include is None else [v for scope in include for v in get_variables(scope)]
    left_out = [v for scope in exclude or [] for v in get_variables(scope)]
    return [v for v in found if v not in left_out]


def filter_variables(var_list, include_patterns=None, exclude_patterns=None, reg_search=True):
    """Returns the variables that match a pattern of `include` and none of `exclude`."""
    match = re.search if reg_search else re.match

    def fits(var, patterns):
        return any(match(pattern, var.name) for pattern in patterns)
    return [v for v in var_list if (include_patterns is None or fits(v, include_patterns))
            and not fits(v, exclude_patterns or [])]


# ---- assignment ----

def _assign_all(pairs):
    """Returns an operation that assigns fed values, and the feeds."""
    feeds, assigns = {}, []
    for var, value in pairs:
        holder = tf.placeholder(var.dtype.base_dtype, var.get_shape(), name='placeholder/' + var.op.name)
        assigns.append(var.assign(holder))
        feeds[holder] = value
    return tf.group(*assigns), feeds


def assign_from_values(var_names_to_values):
    """Returns an operation that assigns variables by name, and its feeds."""
    def named(name):
        found = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, name)
        if not found:
            raise ValueError("Variable %s wasn't found" % name)
        exact = found if len(found) == 1 else [v for v in found if v.op.name == name]
        if not exact:
            raise ValueError("Variable %s doesn't uniquely identify a variable" % name)
        return exact[0]
    found = [(named(name), value) for name, value in var_names_to_values.items()]
    return _assign_all([(var, value.reshape(var.get_shape().as_list())) for var, value in found])


def assign_from_values_fn(var_names_to_values):
    """Returns a function that takes a session and assigns variables by name."""
    assign, feeds = assign_from_values(var_names_to_values)
    return lambda session: session.run(assign, feeds)


def assign_from_checkpoint(model_path, var_list, ignore_missing_vars=False):
    """Returns an operation that assigns variables (a list or {name: variable}) from a checkpoint, and its feeds."""
    reader = tf.train.NewCheckpointReader(model_path)
    pairs = []
    for name, given in (var_list.items() if isinstance(var_list, dict) else [(v.op.name, v) for v in var_list]):
        if not reader.has_tensor(name):
            if not ignore_missing_vars:
                raise ValueError('Checkpoint is missing variable [%s]' % name)
            tf.logging.warning('Checkpoint is missing variable [%s]', name)
            continue
        value = reader.get_tensor(name)
        for var in given if isinstance(given, (list, tuple)) else [given]:
            if var.get_shape() != value.shape:
                raise ValueError('Total size of new array must be unchanged for %s lh_shape: [%s], rh_shape: [%s]'
                                 % (name, str(value.shape), str(var.get_shape())))
            pairs.append((var, value))
    return _assign_all(pairs)


def assign_from_checkpoint_fn(model_path, var_list, ignore_missing_vars=False, reshape_variables=False):
    """Returns a function that takes a session and restores variables (a list or {name: variable}) from a checkpoint."""
    if not var_list:
        raise ValueError('var_list cannot be empty')
    if ignore_missing_vars:
        reader = tf.train.NewCheckpointReader(model_path)
        named = var_list if isinstance(var_list, dict) else {v.op.name: v for v in var_list}
        for name in named:
            if not reader.has_tensor(name):
                tf.logging.warning('Variable %s missing in checkpoint %s', name, model_path)
        var_list = {name: v for name, v in named.items() if reader.has_tensor(name)}
        if not var_list:
            tf.logging.warning('No Variables to restore')
            return None
    saver = tf.train.Saver(var_list, reshape=reshape_variables)
    return lambda session: saver.restore(session, model_path)
