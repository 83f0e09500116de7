"""tf.contrib.tensorboard.plugins.projector: the configuration of TensorBoard's view of embeddings."""
import json
import os


class _List(list):
    def __init__(self, kind=None):
        self._kind = kind

    def add(self, **fields):
        made = self._kind(**fields)
        self.append(made)
        return made


class _Fields(object):
    def __init__(self, **fields):
        for name, value in self._DEFAULTS.items():
            self.__dict__[name] = value() if callable(value) else value
        for name, value in fields.items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        if name not in self._DEFAULTS:
            raise AttributeError('Assignment not allowed (no field "%s" in protocol message object).' % name)
        self.__dict__[name] = value

    def _lines(self, indent):
        out = []
        for name in self._DEFAULTS:
            value = self.__dict__[name]
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, _Fields):
                    inner = item._lines(indent + '  ')
                    out += [indent + name + ' {'] + inner + [indent + '}'] if inner or item in (value or ()) else []
                elif item not in ('', None):
                    out.append('%s%s: %s' % (indent, name, json.dumps(item)))
        return out

    def __str__(self):
        return ''.join([line + '\n' for line in self._lines('')])

    __repr__ = __str__


class SpriteMetadata(_Fields):
    """The image with the pictures of the points of an embedding."""
    _DEFAULTS = {'image_path': '', 'single_image_dim': _List}

    def __contains__(self, item):
        return False

    def __iter__(self):
        return iter(())


class EmbeddingInfo(_Fields):
    """The tensor of an embedding and its files."""
    _DEFAULTS = {'tensor_name': '', 'metadata_path': '', 'bookmarks_path': '', 'tensor_shape': _List,
                 'sprite': SpriteMetadata, 'tensor_path': ''}


class ProjectorConfig(_Fields):
    """The embeddings that TensorBoard shows."""
    _DEFAULTS = {'model_checkpoint_path': '', 'embeddings': lambda: _List(EmbeddingInfo), 'model_checkpoint_dir': ''}


def visualize_embeddings(summary_writer, config):
    """Writes projector_config.pbtxt beside the event file."""
    folder = summary_writer.get_logdir() if hasattr(summary_writer, 'get_logdir') else summary_writer
    with tf.gfile.GFile(os.path.join(folder, 'projector_config.pbtxt'), 'w') as f:
        f.write(str(config))
