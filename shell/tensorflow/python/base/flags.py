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


class ValidationError(Error):
    """Raised by a validator to reject a value, with the reason as its message."""


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


class FlagHolder(object):
    """The result of DEFINE_…: a flag, whose value can be read once the command line is parsed."""

    def __init__(self, flag):
        self._flag = flag

    name = property(lambda self: self._flag.name)
    default = property(lambda self: self._flag.default)
    present = property(lambda self: bool(self._flag.present))
    value = property(lambda self: getattr(FLAGS, self._flag.name))


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
        return FlagHolder(flag)

    def __getattr__(self, name):
        if name == '__flags':  # absl's own field, which programs list
            return self._flags
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
        for flag in self._flags.values():
            flag.value, flag.present, flag.given = flag.default, 0, False
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
        for validator in _validators:
            validator.check()
        return rest


FLAGS = _FlagValues()


def _define(name, default, help, convert, short_name=None, required=False, module_name=None, flag_class=_Flag):
    holder = FLAGS._define(flag_class(name, default if default is None else convert(default), help, convert, short_name))
    if required:
        mark_flag_as_required(name)
    return holder


def DEFINE_string(name, default, help, flag_values=None, **args):
    """Defines a string flag."""
    return _define(name, default, help, str, **args)


def _bounds_text(kind, lower, upper):
    """Names the numbers between the bounds, as absl does."""
    noun, article = ('integer', 'an') if kind is int else ('number', 'a')
    if lower is not None and upper is not None:
        return '%s %s in the range [%s, %s]' % (article, noun, lower, upper)
    signs = {(0, None): 'non-negative', (None, 0): 'non-positive'}
    if kind is int:
        signs.update({(1, None): 'positive', (None, -1): 'negative'})
    if (lower, upper) in signs:
        return 'a %s %s' % (signs[lower, upper], noun)
    return '%s %s %s than or equal to %s' % (article, noun, 'less' if lower is None else 'greater',
                                             upper if lower is None else lower)


def _number(kind, lower_bound, upper_bound):
    """Parses a number and checks its bounds."""
    def convert(text):
        value = int(text, 0) if kind is int and isinstance(text, str) else kind(text)
        if (lower_bound is not None and value < lower_bound) or (upper_bound is not None and value > upper_bound):
            raise ValueError('%s is not %s' % (value, _bounds_text(kind, lower_bound, upper_bound)))
        return value
    return convert


def DEFINE_integer(name, default, help, lower_bound=None, upper_bound=None, flag_values=None, **args):
    """Defines an integer flag."""
    return _define(name, default, help, _number(int, lower_bound, upper_bound), **args)


def DEFINE_float(name, default, help, lower_bound=None, upper_bound=None, flag_values=None, **args):
    """Defines a floating-point flag."""
    return _define(name, default, help, _number(float, lower_bound, upper_bound), **args)


def DEFINE_boolean(name, default, help, flag_values=None, **args):
    """Defines a boolean flag: --flag, --noflag."""
    return _define(name, default, help, _to_bool, **args)


DEFINE_bool = DEFINE_boolean


def _one_of(enum_values):
    """Accepts only these strings."""
    def convert(text):
        if text not in enum_values:
            raise ValueError('value should be one of <%s>' % '|'.join(enum_values))
        return text
    return convert


def DEFINE_enum(name, default, enum_values, help, flag_values=None, **args):
    """Defines a flag whose value is one of several strings."""
    args.pop('case_sensitive', None)
    return _define(name, default, help, _one_of(enum_values), **args)


def DEFINE_list(name, default, help, flag_values=None, **args):
    """Defines a flag with a comma-separated list."""
    return _define(name, default, help,
            lambda text: list(text) if isinstance(text, list) else [t.strip() for t in text.split(',')] if text else [],
            **args)


def DEFINE_spaceseplist(name, default, help, comma_compat=False, flag_values=None, **args):
    """Defines a flag with a space-separated list."""
    def convert(text):
        return list(text) if isinstance(text, list) else (text.replace(',', ' ') if comma_compat else text).split()
    return _define(name, default, help, convert, **args)


class _MultiFlag(_Flag):
    """Defines a flag that may be repeated. Its values replace the default."""
    given = False

    def parse(self, text):
        before = self.value if self.given else []
        super(_MultiFlag, self).parse(text)
        self.value, self.given = before + self.value, True


def _define_multi(name, default, help, convert, **args):
    def all_of(values):
        return [convert(v) for v in (values if isinstance(values, (list, tuple)) else [values])]
    return _define(name, default, help, all_of, flag_class=_MultiFlag, **args)


def DEFINE_multi_string(name, default, help, flag_values=None, **args):
    """Defines a string flag that may be repeated."""
    return _define_multi(name, default, help, str, **args)


def DEFINE_multi_integer(name, default, help, lower_bound=None, upper_bound=None, flag_values=None, **args):
    """Defines an integer flag that may be repeated."""
    return _define_multi(name, default, help, _number(int, lower_bound, upper_bound), **args)


def DEFINE_multi_float(name, default, help, lower_bound=None, upper_bound=None, flag_values=None, **args):
    """Defines a floating-point flag that may be repeated."""
    return _define_multi(name, default, help, _number(float, lower_bound, upper_bound), **args)


def DEFINE_multi_enum(name, default, enum_values, help, flag_values=None, **args):
    """Defines a flag that may be repeated, with values from a list of strings."""
    return _define_multi(name, default, help, _one_of(enum_values), **args)


def DEFINE_enum_class(name, default, enum_class, help, flag_values=None, **args):
    """Defines a flag whose value is a member of an enum.Enum, given by its name."""
    args.pop('case_sensitive', None)
    by_name = {member.name.lower(): member for member in enum_class}

    def convert(text):
        if isinstance(text, enum_class):
            return text
        if text.lower() not in by_name:
            raise ValueError('value should be one of <%s>' % '|'.join(by_name))
        return by_name[text.lower()]
    return _define(name, default, help, convert, **args)


class _Validator(object):
    """A check of one flag or of several, which receives a dict of their values."""

    def __init__(self, names, several, checker, message):
        self.names, self.several, self.checker, self.message = names, several, checker, message

    def check(self):
        values = {name: FLAGS[name].value for name in self.names if name in FLAGS}
        message = self.message
        try:
            if not values or self.checker(values if self.several else values[self.names[0]]):
                return
        except ValidationError as e:
            message = str(e)
        shown = ', '.join(('%s=%s' if self.several else '--%s=%s') % item for item in values.items())
        raise IllegalFlagValueError('flag%s %s: %s' % ('s' if self.several else '', shown, message))


_validators = []


def register_validator(flag_name, checker, message='Flag validation failed', flag_values=None):
    """Makes checker(value) a condition for the value of the flag."""
    _validators.append(_Validator([flag_name], False, checker, message))


def validator(flag_name, message='Flag validation failed', flag_values=None):
    """The decorator form of register_validator."""
    def decorate(checker):
        register_validator(flag_name, checker, message)
        return checker
    return decorate


def register_multi_flags_validator(flag_names, multi_flags_checker, message='Flags validation failed', flag_values=None):
    """Makes multi_flags_checker({name: value}) a condition for the values of several flags."""
    _validators.append(_Validator(list(flag_names), True, multi_flags_checker, message))


def multi_flags_validator(flag_names, message='Flag validation failed', flag_values=None):
    """The decorator form of register_multi_flags_validator."""
    def decorate(checker):
        register_multi_flags_validator(flag_names, checker, message)
        return checker
    return decorate


def mark_flag_as_required(flag_name, flag_values=None):
    """Marks a flag as required, which is checked when the command line is parsed."""
    register_validator(flag_name, lambda value: value is not None,
                       'Flag --%s must have a value other than None.' % flag_name)


def mark_flags_as_required(flag_names, flag_values=None):
    """Marks flags as required."""
    for name in flag_names:
        mark_flag_as_required(name)


def mark_flags_as_mutual_exclusive(flag_names, required=False, flag_values=None):
    """Allows at most one of the flags to have a value; with `required`, exactly one."""
    def at_most_one(values):
        return sum(value is not None for value in values.values()) in ((1,) if required else (0, 1))
    register_multi_flags_validator(
        flag_names, at_most_one, '%s one of (%s) must have a value other than None.' % (
            'Exactly' if required else 'At most', ', '.join(flag_names)))


def _leftover(argv):
    """Returns the arguments that tf.app.run passes to main."""
    return FLAGS(argv, known_only=True)
