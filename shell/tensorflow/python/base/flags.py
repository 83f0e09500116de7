"""tf.flags: command-line options."""
import sys


class Error(Exception):
    """The base class of the errors of flags."""


class IllegalFlagValueError(Error):
    """The value of a flag cannot be parsed or is out of range."""


class UnrecognizedFlagError(Error):
    """The command line contains a flag that is not defined."""


class DuplicateFlagError(Error):
    """A flag is defined twice."""


class _Flag(object):
    def __init__(self, name, default, help, convert, short_name=None):
        self.name, self.help, self.convert, self.short_name = name, help, convert, short_name
        self.default = self.value = default
        self.present = 0
        self.boolean = convert is _to_bool

    def parse(self, text):
        try:
            self.value = self.convert(text)
        except (TypeError, ValueError) as e:
            raise IllegalFlagValueError('flag --%s=%s: %s' % (self.name, text, e))
        self.present += 1


def _to_bool(text):
    if isinstance(text, bool):
        return text
    lower = str(text).lower()
    if lower in ('true', 't', '1'):
        return True
    if lower in ('false', 'f', '0'):
        return False
    raise ValueError('Non-boolean argument to boolean flag', text)


class _FlagValues(object):
    """The class of FLAGS, with the values by name. The command line is parsed when a value is first read."""

    def __init__(self):
        self.__dict__['_flags'] = {}
        self.__dict__['_parsed'] = False

    def _define(self, flag):
        if flag.name in self._flags and self._flags[flag.name].help != flag.help:
            raise DuplicateFlagError("The flag '%s' is defined twice. First from here. Second from here.  Description "
                                     'from first occurrence: %s' % (flag.name, self._flags[flag.name].help))
        self._flags[flag.name] = flag
        if flag.short_name:
            self._flags[flag.short_name] = flag

    def __getattr__(self, name):
        if name not in self._flags:
            raise AttributeError(name)
        if not self._parsed:
            self(sys.argv, known_only=True)
        return self._flags[name].value

    def __setattr__(self, name, value):
        if name not in self._flags:
            raise AttributeError(name)
        if not self._parsed:
            self(sys.argv, known_only=True)
        self._flags[name].value = value

    def __delattr__(self, name):
        if name not in self._flags:
            raise AttributeError(name)
        del self._flags[name]

    def __getitem__(self, name):
        return self._flags[name]

    def __contains__(self, name):
        return name in self._flags

    def __iter__(self):
        return iter(sorted(self._flags))

    def __len__(self):
        return len(self._flags)

    def __dir__(self):
        return sorted(self._flags)

    def is_parsed(self):
        return self._parsed

    def mark_as_parsed(self):
        self.__dict__['_parsed'] = True

    def unparse_flags(self):
        self.__dict__['_parsed'] = False

    def flag_values_dict(self):
        return {name: self._flags[name].value for name in sorted(self._flags)}

    def __call__(self, argv, known_only=False):
        """Parses the command line and returns the arguments that are not flags."""
        self.__dict__['_parsed'] = True
        rest, args = [argv[0]] if argv else [], list(argv[1:])
        while args:
            arg = args.pop(0)
            if arg == '--':
                rest += args
                break
            if not arg.startswith('-') or arg == '-':
                rest.append(arg)
                continue
            name, equals, value = arg.lstrip('-').partition('=')
            if name not in self._flags and name.startswith('no') and name[2:] in self._flags:
                if self._flags[name[2:]].boolean and not equals:
                    self._flags[name[2:]].parse('false')
                    continue
            if name not in self._flags:
                if not known_only:
                    raise UnrecognizedFlagError("Unknown command line flag '%s'" % name)
                rest.append(arg)
                continue
            flag = self._flags[name]
            if not equals:
                if flag.boolean:
                    value = 'true'
                elif not args:
                    raise Error('Missing value for flag --' + name)
                else:
                    value = args.pop(0)
            flag.parse(value)
        return rest


FLAGS = _FlagValues()


def _define(name, default, help, convert, short_name=None):
    FLAGS._define(_Flag(name, default if default is None else convert(default), help, convert, short_name))


def DEFINE_string(name, default, help, flag_values=None, **args):
    """Defines a string flag."""
    _define(name, default, help, str, args.get('short_name'))


def _number(kind, lower_bound, upper_bound):
    """Parses a number and checks its bounds."""
    def convert(text):
        value = int(text, 0) if kind is int and isinstance(text, str) else kind(text)
        if (lower_bound is not None and value < lower_bound) or (upper_bound is not None and value > upper_bound):
            raise ValueError('%s is not in range [%s, %s]' % (value, lower_bound, upper_bound))
        return value
    return convert


def DEFINE_integer(name, default, help, lower_bound=None, upper_bound=None, flag_values=None, **args):
    """Defines an integer flag."""
    _define(name, default, help, _number(int, lower_bound, upper_bound), args.get('short_name'))


def DEFINE_float(name, default, help, lower_bound=None, upper_bound=None, flag_values=None, **args):
    """Defines a floating-point flag."""
    _define(name, default, help, _number(float, lower_bound, upper_bound), args.get('short_name'))


def DEFINE_boolean(name, default, help, flag_values=None, **args):
    """Defines a boolean flag: --flag, --noflag."""
    _define(name, default, help, _to_bool, args.get('short_name'))


DEFINE_bool = DEFINE_boolean


def DEFINE_enum(name, default, enum_values, help, flag_values=None, **args):
    """Defines a flag whose value is one of several strings."""
    def convert(text):
        if text not in enum_values:
            raise ValueError('value should be one of <%s>' % '|'.join(enum_values))
        return text
    _define(name, default, help, convert, args.get('short_name'))


def DEFINE_list(name, default, help, flag_values=None, **args):
    """Defines a flag with a comma-separated list."""
    _define(name, default, help,
            lambda text: list(text) if isinstance(text, list) else [t.strip() for t in text.split(',')] if text else [],
            args.get('short_name'))


def DEFINE_spaceseplist(name, default, help, comma_compat=False, flag_values=None, **args):
    """Defines a flag with a space-separated list."""
    def convert(text):
        return list(text) if isinstance(text, list) else (text.replace(',', ' ') if comma_compat else text).split()
    _define(name, default, help, convert, args.get('short_name'))


class _MultiFlag(_Flag):
    """Defines a flag that may be repeated. Its values replace the default."""
    given = False

    def parse(self, text):
        before = self.value if self.given else []
        super(_MultiFlag, self).parse(text)
        self.value, self.given = before + self.value, True


def _define_multi(name, default, help, convert, short_name):
    def all_of(values):
        return [convert(v) for v in (values if isinstance(values, (list, tuple)) else [values])]
    FLAGS._define(_MultiFlag(name, default if default is None else all_of(default), help, all_of, short_name))


def DEFINE_multi_string(name, default, help, flag_values=None, **args):
    """Defines a string flag that may be repeated."""
    _define_multi(name, default, help, str, args.get('short_name'))


def DEFINE_multi_integer(name, default, help, lower_bound=None, upper_bound=None, flag_values=None, **args):
    """Defines an integer flag that may be repeated."""
    _define_multi(name, default, help, _number(int, lower_bound, upper_bound), args.get('short_name'))


def DEFINE_multi_float(name, default, help, lower_bound=None, upper_bound=None, flag_values=None, **args):
    """Defines a floating-point flag that may be repeated."""
    _define_multi(name, default, help, _number(float, lower_bound, upper_bound), args.get('short_name'))


def mark_flag_as_required(flag_name, flag_values=None):
    """Marks a flag as required, which is checked when the program runs."""
    _required.append(flag_name)


def mark_flags_as_required(flag_names, flag_values=None):
    """Marks flags as required."""
    for name in flag_names:
        mark_flag_as_required(name)


_required = []


def _leftover(argv):
    """Returns the arguments that tf.app.run passes to main."""
    rest = FLAGS(argv, known_only=True)
    for name in _required:
        if FLAGS[name].value is None:
            raise IllegalFlagValueError('flag --%s=None: Flag --%s must have a value other than None.' % (name, name))
    return rest
