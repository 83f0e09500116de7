"""The state that tf.keras keeps of a graph: names, the learning phase, the session, and the history of tensors."""


class _State(object):
    def __init__(self):
        self.uids = {}          # a base name -> how many layers have it
        self.history = {}       # the name of a tensor -> the Node that made it and its position
        self.masks = {}         # the name of a tensor -> its mask
        self.phase = None       # the learning phase: a placeholder, or 0 or 1


_states = {}
_session = [None, None]      # the session, and the names of the variables that are initialized in it
_training = []               # the training= arguments of the calls that are running
_floatx = ['float32', 1e-7, 'channels_last']


def state(graph=None):
    """Returns the state of a graph."""
    graph = graph or tf.get_default_graph()
    found = _states.get(graph)
    if found is None:
        found = _states[graph] = _State()
    return found


def unique_name(base, zero_based=False):
    """Returns a name for a layer that no other layer of the graph got."""
    uids = state().uids
    uids[base] = number = uids.get(base, -1 if zero_based else 0) + 1
    return base + '_' + str(number) if number or not zero_based else base


def get_uid(prefix=''):
    """Returns the next number of a prefix."""
    uids = state().uids
    uids[prefix] = uids.get(prefix, 0) + 1
    return uids[prefix]


def reset_uids():
    """Starts the numbers of layer names again."""
    state().uids = {}


def learning_phase():
    """Returns the placeholder that is True in training, or the value of set_learning_phase."""
    own = state()
    if own.phase is None:
        with tf.control_dependencies(None), tf.name_scope(None):
            own.phase = tf.placeholder_with_default(False, shape=(), name='keras_learning_phase')
    return own.phase


def set_learning_phase(value):
    """Fixes the learning phase: 0 for prediction, 1 for training."""
    if value not in (0, 1):
        raise ValueError('Expected learning phase to be 0 or 1, got %r. Type: tf.keras.backend.set_learning_phase(0)' % (value,))
    state().phase = int(value)


class learning_phase_scope(object):
    """Within this block, the learning phase is fixed."""

    def __init__(self, value):
        self._value = value

    def __enter__(self):
        self._before = state().phase
        set_learning_phase(self._value)

    def __exit__(self, *args):
        state().phase = self._before


def set_session(session):
    """Makes Keras use a session."""
    _session[0], _session[1] = session, set()


def get_session(op_input_list=()):
    """Returns the session of Keras, in which all variables are initialized."""
    session, graph = tf.get_default_session(), tf.get_default_graph()
    if session is None or session.graph is not graph:
        session = _session[0]
        if session is None or session.graph is not graph:
            session = tf.Session(graph=graph)
    if session is not _session[0]:
        set_session(session)
    _initialize(session, _session[1])
    return session


def _initialize(session, known):
    fresh = [v for v in tf.global_variables() if v.name not in known]
    if not fresh:
        return
    done = session.run([tf.is_variable_initialized(v) for v in fresh])
    missing = [v for v, have in zip(fresh, done) if not have]
    if missing:
        session.run(tf.variables_initializer(missing))
    known.update([v.name for v in fresh])


def clear_session():
    """Starts with an empty graph and a new session."""
    graph = tf.get_default_graph()
    _states.pop(graph, None)
    tf.reset_default_graph()
    _states.pop(tf.get_default_graph(), None)
    _session[0], _session[1] = None, None


def floatx():
    """Returns the default type of floats."""
    return _floatx[0]


def set_floatx(value):
    """Sets the default type of floats: float16, float32 or float64."""
    if value not in ('float16', 'float32', 'float64'):
        raise ValueError('Unknown floatx type: %s. Type: tf.keras.backend.set_floatx("float32")' % (value,))
    _floatx[0] = value


def epsilon():
    """Returns the small number that keeps divisions and logarithms finite."""
    return _floatx[1]


def set_epsilon(value):
    """Sets the small number that keeps divisions and logarithms finite."""
    _floatx[1] = float(value)


def image_data_format():
    """Returns the default order of the dimensions of images."""
    return _floatx[2]


def set_image_data_format(data_format):
    """Sets the default order of the dimensions of images."""
    if data_format not in ('channels_last', 'channels_first'):
        raise ValueError('Unknown data_format: %s. Type: tf.keras.backend.set_image_data_format("channels_last")' % (data_format,))
    _floatx[2] = data_format


def is_keras_tensor(x):
    """Returns True if a layer of Keras made the tensor."""
    if not isinstance(x, (tf.Tensor, tf.Variable)):
        raise ValueError('Unexpectedly found an instance of type `%s`. Expected a symbolic tensor instance.' % type(x))
    return x.name in state(x.graph).history


class Function(object):
    """A function that runs the graph with the values of its inputs."""

    def __init__(self, inputs, outputs, updates=None, name=None, session_kwargs=None):
        self.inputs, self.outputs = list(tf.nest.flatten(inputs)), outputs
        self._flat = list(tf.nest.flatten(outputs))
        self._phase = None
        with tf.control_dependencies(self._flat[:1]):
            made = [tf.assign(*u) if isinstance(u, tuple) else u for u in updates or []]
        self._fetches = self._flat
        if made:
            with tf.control_dependencies(self._flat[:1]):
                self._fetches = self._flat + [tf.group(*made)]
        self._count = len(self._flat)

    def __call__(self, inputs):
        values = inputs if isinstance(inputs, (list, tuple)) else [inputs]
        values = list(values)
        if len(values) != len(self.inputs):
            raise ValueError('A function of %d inputs got %d values.' % (len(self.inputs), len(values)))
        feeds = {}
        for tensor, value in zip(self.inputs, values):
            if isinstance(tensor, tf.Tensor) and value is not None:
                feeds[tensor] = value
        results = get_session().run(self._fetches, feeds)[:self._count]
        return tf.nest.pack_sequence_as(self.outputs, results)


def function(inputs, outputs, updates=None, name=None, **kwargs):
    """Returns a function that runs the graph with the values of its inputs."""
    return Function(inputs, outputs, updates, name)
