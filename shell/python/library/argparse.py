"""argparse: parsing of command-line options."""
import sys


class ArgumentTypeError(Exception):
    pass


class HelpFormatter(object):
    def __init__(self, prog=None, indent_increment=2, max_help_position=24, width=None):
        self._prog = prog


class ArgumentDefaultsHelpFormatter(HelpFormatter):
    pass


class RawDescriptionHelpFormatter(HelpFormatter):
    pass


class RawTextHelpFormatter(RawDescriptionHelpFormatter):
    pass


class MetavarTypeHelpFormatter(HelpFormatter):
    pass


class Namespace(object):
    def __init__(self, **kwargs):
        for name in kwargs:
            setattr(self, name, kwargs[name])

    def __contains__(self, name):
        return name in self.__dict__

    def __repr__(self):
        return 'Namespace(%s)' % ', '.join('%s=%r' % item for item in self.__dict__.items())


class Action(object):
    """The base class of actions of programs, which are called with the values of an argument."""

    def __init__(self, option_strings, dest, nargs=None, const=None, default=None, type=None, choices=None, required=False,
                 help=None, metavar=None):
        self.option_strings, self.dest, self.nargs, self.const, self.default = option_strings, dest, nargs, const, default
        self.type, self.choices, self.required, self.help, self.metavar = type, choices, required, help, metavar

    def __call__(self, parser, namespace, values, option_string=None):
        raise NotImplementedError('.__call__() not defined')


class _Argument(object):
    def __init__(self, names, action='store', nargs=None, const=None, default=None, type=None, choices=None,
                 required=False, help=None, metavar=None, dest=None, version=None):
        self.names, self.action, self.nargs, self.const = names, action, nargs, const
        self.type, self.choices, self.required, self.help, self.version = type, choices, required, help, version
        self.optional = names[0].startswith('-')
        long = [n for n in names if n.startswith('--')] or list(names)
        self.dest = dest or long[0].lstrip('-').replace('-', '_')
        self.default = default
        if default is None and action in ('store_true', 'store_false'):
            self.default = action == 'store_false'

    @classmethod
    def of_class(cls, names, action, **options):
        """Returns an argument whose action is an object of the class `action`."""
        made = cls(names, **{k: v for k, v in options.items() if k in (
            'nargs', 'const', 'default', 'type', 'choices', 'required', 'help', 'metavar', 'dest')})
        options.pop('dest', None)
        made.action = action(list(names) if made.optional else [], made.dest, **options)
        for name in ('nargs', 'const', 'default', 'type', 'choices', 'required', 'help'):
            setattr(made, name, getattr(made.action, name, getattr(made, name)))
        return made


def _is_option(text):
    """Returns true for an argument that begins with a minus and is not a number."""
    if len(text) < 2 or text[0] != '-':
        return False
    try:
        float(text)
        return False
    except ValueError:
        return True


class ArgumentParser(object):
    def __init__(self, prog=None, usage=None, description=None, epilog=None, **kwargs):
        self.prog = prog or (sys.argv[0].split('/')[-1] if sys.argv else '')
        self.description, self._arguments, self._defaults = description, [], {}

    def add_argument(self, *names, **options):
        made = _Argument.of_class if isinstance(options.get('action'), type) else _Argument
        self._arguments.append(made(names, **options))
        return self._arguments[-1]

    def add_argument_group(self, *args, **kwargs):
        return self

    add_mutually_exclusive_group = add_argument_group

    def set_defaults(self, **kwargs):
        self._defaults.update(kwargs)

    def register(self, *args):
        pass

    def error(self, message):
        sys.stderr.write('usage: %s [-h]\n%s: error: %s\n' % (self.prog, self.prog, message))
        sys.exit(2)

    def print_help(self):
        print('usage: %s [-h] %s' % (self.prog, ' '.join('[%s]' % a.names[0] if a.optional else a.dest
                                                         for a in self._arguments)))
        if self.description:
            print('\n' + self.description)
        print('\noptions:')
        for a in self._arguments:
            print('  %-22s%s' % (', '.join(a.names), '' if a.help is None else ' ' + a.help))

    def _convert(self, argument, text):
        try:
            value = text if argument.type is None else argument.type(text)
        except (TypeError, ValueError, ArgumentTypeError):
            kind = getattr(argument.type, '__name__', repr(argument.type))
            self.error('argument %s: invalid %s value: %r' % ('/'.join(argument.names), kind, text))
        if argument.choices is not None and value not in argument.choices:
            self.error('argument %s: invalid choice: %r (choose from %s)'
                       % ('/'.join(argument.names), value, ', '.join(repr(c) for c in argument.choices)))
        return value

    def _values(self, argument, args):
        """Removes the values of an argument from args and returns them."""
        if argument.nargs is None:
            if not args:
                self.error('argument %s: expected one argument' % '/'.join(argument.names))
            return self._convert(argument, args.pop(0))
        taken = []
        limit = argument.nargs if isinstance(argument.nargs, int) else 1 if argument.nargs == '?' else len(args)
        while args and len(taken) < limit and not _is_option(args[0]):
            taken.append(self._convert(argument, args.pop(0)))
        if argument.nargs == '?':
            return taken[0] if taken else argument.const
        return taken

    def _apply(self, argument, args, found):
        if argument.action in ('store_true', 'store_false'):
            value = argument.action == 'store_true'
        elif argument.action == 'store_const':
            value = argument.const
        elif argument.action == 'count':
            value = (getattr(found, argument.dest) or 0) + 1
        else:
            value = self._values(argument, args)
        if isinstance(argument.action, Action):
            argument.action(self, found, value, argument.names[0] if argument.optional else None)
            return
        if argument.action == 'append':
            value = (getattr(found, argument.dest) or []) + [value]
        setattr(found, argument.dest, value)

    def parse_known_args(self, args=None, namespace=None):
        args = list(sys.argv[1:] if args is None else args)
        found, rest, seen = namespace or Namespace(), [], []
        for a in self._arguments:
            default = self._defaults.get(a.dest, a.default)
            text = isinstance(default, str) and a.type is not None
            setattr(found, a.dest, self._convert(a, default) if text else default)
        for name in self._defaults:
            if not hasattr(found, name):
                setattr(found, name, self._defaults[name])
        positional = [a for a in self._arguments if not a.optional]
        while args:
            arg = args.pop(0)
            if arg in ('-h', '--help'):
                self.print_help()
                sys.exit(0)
            name, equals, value = arg.partition('=')
            match = [a for a in self._arguments if a.optional and name in a.names]
            if match:
                if equals:
                    args.insert(0, value)
                self._apply(match[0], args, found)
                seen.append(match[0])
            elif not arg.startswith('-') and positional:
                args.insert(0, arg)
                seen.append(positional[0])
                self._apply(positional.pop(0), args, found)
            else:
                rest.append(arg)
        missing = [a for a in self._arguments if a not in seen and
                   (a.required or (not a.optional and a.nargs not in ('?', '*')))]
        if missing:
            self.error('the following arguments are required: ' + ', '.join('/'.join(a.names) for a in missing))
        return found, rest

    def parse_args(self, args=None, namespace=None):
        found, rest = self.parse_known_args(args, namespace)
        if rest:
            self.error('unrecognized arguments: ' + ' '.join(rest))
        return found
