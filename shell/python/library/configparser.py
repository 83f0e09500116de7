"""configparser: files of sections with `key = value` lines."""
import re


class Error(Exception):
    pass


class NoSectionError(Error):
    def __init__(self, section):
        Error.__init__(self, 'No section: %r' % (section,))
        self.section = section


class NoOptionError(Error):
    def __init__(self, option, section):
        Error.__init__(self, 'No option %r in section: %r' % (option, section))
        self.option, self.section = option, section


class DuplicateSectionError(Error):
    def __init__(self, section):
        Error.__init__(self, 'Section %r already exists' % (section,))


class ParsingError(Error):
    pass


class MissingSectionHeaderError(ParsingError):
    pass


class InterpolationError(Error):
    pass


_NONE = object()
_BOOLEANS = {'1': True, 'yes': True, 'true': True, 'on': True, '0': False, 'no': False, 'false': False, 'off': False}


class SectionProxy(object):
    def __init__(self, parser, name):
        self._parser, self.name = parser, name

    def __getitem__(self, key):
        if not self._parser.has_option(self.name, key):
            raise KeyError(key)
        return self._parser.get(self.name, key)

    def __setitem__(self, key, value):
        self._parser.set(self.name, key, value)

    def __delitem__(self, key):
        if not self._parser.remove_option(self.name, key):
            raise KeyError(key)

    def __contains__(self, key):
        return self._parser.has_option(self.name, key)

    def __iter__(self):
        return iter(self._parser.options(self.name))

    def __len__(self):
        return len(self._parser.options(self.name))

    def __repr__(self):
        return '<Section: %s>' % self.name

    def keys(self):
        return self._parser.options(self.name)

    def items(self):
        return self._parser.items(self.name)

    def get(self, key, fallback=None):
        return self._parser.get(self.name, key, fallback=fallback)

    def getint(self, key, fallback=None):
        return self._parser.getint(self.name, key, fallback=fallback)

    def getfloat(self, key, fallback=None):
        return self._parser.getfloat(self.name, key, fallback=fallback)

    def getboolean(self, key, fallback=None):
        return self._parser.getboolean(self.name, key, fallback=fallback)


class RawConfigParser(object):
    _interpolates = False

    def __init__(self, defaults=None, allow_no_value=False, **options):
        self._defaults, self._sections, self._bare = {}, {}, allow_no_value
        for key, value in (defaults or {}).items():
            self._defaults[self.optionxform(key)] = value

    def optionxform(self, key):
        return key.lower()

    def defaults(self):
        return self._defaults

    def sections(self):
        return list(self._sections)

    def add_section(self, section):
        if section in self._sections:
            raise DuplicateSectionError(section)
        self._sections[section] = {}

    def has_section(self, section):
        return section in self._sections

    def _values(self, section):
        if section == 'DEFAULT':
            return dict(self._defaults)
        if section not in self._sections:
            raise NoSectionError(section)
        values = dict(self._defaults)
        values.update(self._sections[section])
        return values

    def options(self, section):
        if section not in self._sections and section != 'DEFAULT':
            raise NoSectionError(section)
        own = list(self._sections.get(section, ()))
        return own + [key for key in self._defaults if key not in own]

    def has_option(self, section, option):
        known = section == 'DEFAULT' or section in self._sections
        return known and self.optionxform(option) in self._values(section)

    def read(self, filenames, encoding=None):
        done = []
        for name in [filenames] if isinstance(filenames, str) else filenames:
            try:
                with open(name, encoding=encoding) as file:
                    self.read_file(file, name)
            except OSError:
                continue
            done.append(name)
        return done

    def read_string(self, string, source='<string>'):
        self.read_file(string.splitlines(), source)

    def read_dict(self, dictionary, source='<dict>'):
        for section, values in dictionary.items():
            if section != 'DEFAULT':
                self._sections.setdefault(section, {})
            for key, value in values.items():
                self.set(section, key, str(value))

    def read_file(self, f, source='<???>'):
        values = key = None
        for number, line in enumerate(f, 1):
            text = line.strip()
            if not text or text[0] in '#;':
                continue
            if line[0].isspace() and key is not None:
                values[key] = (values[key] + '\n' if values[key] else '') + text
                continue
            header = re.match(r'\[(.+)\]', text)
            if header:
                name, key = header.group(1), None
                values = self._defaults if name == 'DEFAULT' else self._sections.setdefault(name, {})
                continue
            if values is None:
                raise MissingSectionHeaderError('File contains no section headers.\nfile: %r, line: %d\n%r'
                                                % (source, number, line))
            pair = re.match(r'(.*?)\s*[=:]\s*(.*)$', text)
            if not pair and not self._bare:
                raise ParsingError('Source contains parsing errors: %r\n\t[line %2d]: %r' % (source, number, line))
            key = self.optionxform(pair.group(1) if pair else text)
            values[key] = pair.group(2) if pair else None

    readfp = read_file

    def _text(self, value, values, depth=0):
        if not self._interpolates or not isinstance(value, str) or '%' not in value:
            return value

        def fill(match):
            name = match.group(1)
            if name is None:
                return '%'
            if depth > 10 or self.optionxform(name) not in values:
                raise InterpolationError('%%(%s)s in a value names no option of its section' % name)
            return str(self._text(values[self.optionxform(name)], values, depth + 1))
        return re.sub(r'%(?:%|\(([^)]*)\)s)', fill, value)

    def get(self, section, option, raw=False, vars=None, fallback=_NONE):
        known = section == 'DEFAULT' or section in self._sections
        if not known and fallback is not _NONE:
            return fallback
        values = self._values(section)
        values.update({self.optionxform(key): value for key, value in (vars or {}).items()})
        if self.optionxform(option) not in values:
            if fallback is not _NONE:
                return fallback
            raise NoOptionError(option, section)
        value = values[self.optionxform(option)]
        return value if raw else self._text(value, values)

    def _as(self, kind, section, option, fallback):
        value = self.get(section, option, fallback=fallback)
        return value if value is fallback else kind(value)

    def getint(self, section, option, fallback=_NONE, **options):
        return self._as(int, section, option, fallback)

    def getfloat(self, section, option, fallback=_NONE, **options):
        return self._as(float, section, option, fallback)

    def getboolean(self, section, option, fallback=_NONE, **options):
        def boolean(text):
            if text.lower() not in _BOOLEANS:
                raise ValueError('Not a boolean: %s' % text)
            return _BOOLEANS[text.lower()]
        return self._as(boolean, section, option, fallback)

    def items(self, section=None, raw=False):
        if section is None:
            return [(name, self[name]) for name in ['DEFAULT'] + self.sections()]
        return [(key, self.get(section, key, raw)) for key in self.options(section)]

    def set(self, section, option, value=None):
        if section != 'DEFAULT' and section not in self._sections:
            raise NoSectionError(section)
        target = self._defaults if section == 'DEFAULT' else self._sections[section]
        target[self.optionxform(option)] = value

    def remove_option(self, section, option):
        return self._sections[section].pop(self.optionxform(option), _NONE) is not _NONE

    def remove_section(self, section):
        return self._sections.pop(section, None) is not None

    def write(self, file, space_around_delimiters=True):
        middle = ' = ' if space_around_delimiters else '='
        sections = [('DEFAULT', self._defaults)] if self._defaults else []
        for name, values in sections + list(self._sections.items()):
            file.write('[%s]\n' % name)
            for key, value in values.items():
                file.write(key + ('' if value is None else middle + str(value).replace('\n', '\n\t')) + '\n')
            file.write('\n')

    def __getitem__(self, section):
        if section != 'DEFAULT' and section not in self._sections:
            raise KeyError(section)
        return SectionProxy(self, section)

    def __setitem__(self, section, values):
        (self._defaults if section == 'DEFAULT' else self._sections.setdefault(section, {})).clear()
        self.read_dict({section: values})

    def __delitem__(self, section):
        if not self.remove_section(section):
            raise KeyError(section)

    def __contains__(self, section):
        return section == 'DEFAULT' or section in self._sections

    def __iter__(self):
        return iter(['DEFAULT'] + self.sections())

    def __len__(self):
        return len(self._sections) + 1


class ConfigParser(RawConfigParser):
    _interpolates = True


SafeConfigParser = ConfigParser
