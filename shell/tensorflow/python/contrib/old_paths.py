"""Functions of modules inside TensorFlow that scripts import by their paths."""


def freeze_graph(input_graph, input_saver, input_binary, input_checkpoint, output_node_names, restore_op_name,
                 filename_tensor_name, output_graph, clear_devices, initializer_nodes, variable_names_whitelist='',
                 variable_names_blacklist='', input_meta_graph=None, input_saved_model_dir=None,
                 saved_model_tags='serve', checkpoint_version=2):
    """Writes the graph of a file with its variables as constants. Returns the GraphDef."""
    if not output_node_names:
        print('You need to supply the name of a node to --output_node_names.')
        return -1
    if not input_saved_model_dir and not tf.train.checkpoint_exists(input_checkpoint):
        print("Input checkpoint '" + input_checkpoint + "' doesn't exist!")
        return -1
    with tf.Graph().as_default() as graph:
        session = tf.Session(graph=graph)
        if input_saved_model_dir:
            tf.saved_model.loader.load(session, saved_model_tags.split(','), input_saved_model_dir)
        elif input_meta_graph:
            saver = tf.train.import_meta_graph(input_meta_graph, clear_devices=clear_devices)
            saver.restore(session, input_checkpoint)
        else:
            definition = tf.GraphDef()
            with tf.gfile.GFile(input_graph, 'rb') as f:
                data = f.read()
            if input_binary:
                definition.ParseFromString(data)
            else:
                from google.protobuf import text_format
                text_format.Merge(data.decode() if isinstance(data, bytes) else data, definition)
            if clear_devices:
                for node in definition.node:
                    node.device = ''
            tf.import_graph_def(definition, name='')
            session.run(restore_op_name, {filename_tensor_name: input_checkpoint})
        if initializer_nodes:
            session.run(initializer_nodes.replace(' ', '').split(','))
        frozen = tf.graph_util.convert_variables_to_constants(
            session, graph.as_graph_def(), output_node_names.replace(' ', '').split(','),
            variable_names_whitelist=variable_names_whitelist.replace(' ', '').split(',')
            if variable_names_whitelist else None,
            variable_names_blacklist=variable_names_blacklist.replace(' ', '').split(',')
            if variable_names_blacklist else None)
    if output_graph:
        with tf.gfile.GFile(output_graph, 'wb') as f:
            f.write(frozen.SerializeToString())
    return frozen


def get_matching_files_v1(filename):
    return tf.gfile.Glob(filename)


class LocalCLIDebugWrapperSession(object):
    """A session that runs as usual. The verb `step` goes through a run node by node."""

    def __init__(self, sess, dump_root=None, log_usage=True, ui_type='curses', thread_name_filter=None):
        self._sess = sess
        print('tensh steps through a run in its shell: tensh -i SCRIPT, then: step FETCH')

    def add_tensor_filter(self, name, tensor_filter):
        pass

    def __enter__(self):
        self._sess.__enter__()
        return self

    def __exit__(self, *args):
        return self._sess.__exit__(*args)

    def __getattr__(self, name):
        return getattr(self._sess, name)


def has_inf_or_nan(datum, tensor):
    """True if an array holds an infinity or a NaN."""
    array = np.asarray(tensor)
    return array.dtype.kind in 'fc' and bool(np.any(np.isnan(array)) or np.any(np.isinf(array)))


def list_local_devices(session_config=None):
    """Returns the devices of a session: objects with name, device_type and memory_limit."""
    with tf.Session(graph=tf.Graph(), config=session_config) as session:
        return [_Device(d.name, d.device_type, d.memory_limit_bytes) for d in session.list_devices()]


class _Device(object):
    def __init__(self, name, device_type, memory_limit):
        self.name, self.device_type, self.memory_limit = name.replace('/job:localhost/replica:0/task:0', ''), device_type, memory_limit
        self.incarnation, self.physical_device_desc = 1, ''

    def __repr__(self):
        return 'name: "%s"\ndevice_type: "%s"\nmemory_limit: %d\nlocality {\n}\nincarnation: %d\n' % (
            self.name, self.device_type, self.memory_limit, self.incarnation)


class Timeline(object):
    """The times of a traced step, in the format of chrome://tracing."""
    def __init__(self, step_stats, graph=None):
        self._stats = step_stats

    def generate_chrome_trace_format(self, show_dataflow=True, show_memory=False):
        import json
        events = []
        for pid, device in enumerate(self._stats.dev_stats):
            events.append({'name': 'process_name', 'ph': 'M', 'pid': pid, 'args': {'name': device.device + ' Compute'}})
            for node in device.node_stats:
                events.append({'name': node.timeline_label.split(' = ')[-1].split('(')[0] or node.node_name, 'cat': 'Op',
                               'ph': 'X', 'pid': pid, 'tid': 0, 'ts': node.all_start_micros,
                               'dur': node.all_end_rel_micros, 'args': {'name': node.node_name}})
        return json.dumps({'traceEvents': events}, indent=4, separators=(',', ': '))
