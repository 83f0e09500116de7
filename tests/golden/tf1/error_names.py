import tensorflow as tf

for name in ('ABORTED', 'ALREADY_EXISTS', 'DEADLINE_EXCEEDED', 'INTERNAL', 'PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'UNAUTHENTICATED', 'UNAVAILABLE'):
    print(name, getattr(tf.errors, name))
for kind in (tf.errors.AbortedError, tf.errors.AlreadyExistsError, tf.errors.DataLossError, tf.errors.DeadlineExceededError, tf.errors.InternalError,
             tf.errors.PermissionDeniedError, tf.errors.ResourceExhaustedError, tf.errors.UnauthenticatedError, tf.errors.UnavailableError):
    error = kind(None, None, 'what happened')
    print(kind.__name__, error.error_code, error.message, error.op, issubclass(kind, tf.errors.OpError))
