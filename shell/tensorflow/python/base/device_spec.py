"""tf.DeviceSpec, the parts of a device name."""


class DeviceSpec(object):
    """The parts of a device's name."""

    def __init__(self, job=None, replica=None, task=None, device_type=None, device_index=None):
        self.job, self.replica, self.task = job, replica, task
        if device_type in ('cpu', 'gpu'):
            device_type = device_type.upper()
        self.device_type, self.device_index = device_type, device_index

    @staticmethod
    def from_string(spec):
        """Parses a device name."""
        return DeviceSpec().parse_from_string(spec)

    def parse_from_string(self, spec):
        """Sets the parts from a device name."""
        self.__init__()
        for part in (spec or '').split('/'):
            words = part.split(':')
            if not part:
                continue
            if words[0] in ('job', 'replica', 'task') and len(words) == 2:
                setattr(self, words[0], words[1] if words[0] == 'job' else int(words[1]))
                continue
            words = words[1:] if words[0] == 'device' else words
            if len(words) not in (1, 2) or words[0].lower() not in ('cpu', 'gpu', 'tpu') or (
                    self.device_type is not None):
                raise ValueError("Unknown attribute: '%s' in '%s'" % (part.split(':')[0], spec))
            self.device_type = words[0].upper()
            self.device_index = int(words[1]) if len(words) == 2 and words[1] != '*' else None
        return self

    def merge_from(self, dev):
        """Takes the parts that dev specifies."""
        for name in ('job', 'replica', 'task', 'device_type', 'device_index'):
            if getattr(dev, name) is not None:
                setattr(self, name, getattr(dev, name))

    def to_string(self):
        """Returns the device name."""
        parts = ['/%s:%s' % (name, getattr(self, name)) for name in ('job', 'replica', 'task')
                 if getattr(self, name) is not None]
        if self.device_type is not None:
            index = '*' if self.device_index is None else str(self.device_index)
            parts.append('/device:%s:%s' % (self.device_type, index))
        return ''.join(parts)

    def __eq__(self, other):
        return isinstance(other, DeviceSpec) and self.to_string() == other.to_string()

    def __hash__(self):
        return hash(self.to_string())
