"""tf.initializers: those that are compositions, and the operations that initialise."""

orthogonal = tf.orthogonal_initializer
identity = tf.identity_initializer
uniform_unit_scaling = tf.uniform_unit_scaling_initializer
global_variables = tf.global_variables_initializer
local_variables = tf.local_variables_initializer
variables = tf.variables_initializer


def tables_initializer(name='init_all_tables'):
    """The operation that initialises lookup tables."""
    return tf.tables_initializer(name)
