"""datetime: dates, times of day and time differences, without time zones."""
import time as _time

MINYEAR, MAXYEAR = 1, 9999
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_MONTHS = ('January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October',
           'November', 'December')
_WEEKDAYS = ('Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday')


def _leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _month_days(year, month):
    return 29 if month == 2 and _leap(year) else _DAYS[month - 1]


def _ordinal(year, month, day):
    before = year - 1
    days = before * 365 + before // 4 - before // 100 + before // 400 + day
    return days + sum(_month_days(year, m) for m in range(1, month))


def _from_ordinal(n):
    year = max(1, n // 366)
    while _ordinal(year + 1, 1, 1) <= n:
        year += 1
    month = 1
    n -= _ordinal(year, 1, 1) - 1
    while n > _month_days(year, month):
        n -= _month_days(year, month)
        month += 1
    return year, month, n


def _check(value, low, high, name, message=None):
    if not isinstance(value, int):
        raise TypeError("'%s' object cannot be interpreted as an integer" % type(value).__name__)
    if not low <= value <= high:
        raise ValueError(message or '%s must be in %d..%d' % (name, low, high))


class timedelta(object):
    def __init__(self, days=0, seconds=0, microseconds=0, milliseconds=0, minutes=0, hours=0, weeks=0):
        whole = days + 7 * weeks
        rest = seconds + 60 * minutes + 3600 * hours
        micro = microseconds + 1000 * milliseconds
        if isinstance(whole, float) or isinstance(rest, float) or isinstance(micro, float):
            day, part = int(whole // 1), whole % 1
            second = part * 86400 + rest
            whole, rest = day, int(second // 1)
            micro = round(micro + (second % 1) * 1e6)
        rest += micro // 1000000
        self.microseconds = micro % 1000000
        self.days, self.seconds = whole + rest // 86400, rest % 86400
        if abs(self.days) > 999999999:
            raise OverflowError('days=%d; must have magnitude <= 999999999' % self.days)

    def _micro(self):
        return (self.days * 86400 + self.seconds) * 1000000 + self.microseconds

    def total_seconds(self):
        return self._micro() / 1000000

    def __add__(self, other):
        return timedelta(0, 0, self._micro() + other._micro()) if hasattr(other, '_micro') and isinstance(other, timedelta) else NotImplemented

    def __sub__(self, other):
        return timedelta(0, 0, self._micro() - other._micro()) if hasattr(other, '_micro') and isinstance(other, timedelta) else NotImplemented

    def __mul__(self, n):
        return timedelta(0, 0, round(self._micro() * n))

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, timedelta):
            return self._micro() / other._micro()
        return timedelta(0, 0, round(self._micro() / other))

    def __floordiv__(self, other):
        if isinstance(other, timedelta):
            return self._micro() // other._micro()
        return timedelta(0, 0, self._micro() // other)

    def __mod__(self, other):
        return timedelta(0, 0, self._micro() % other._micro())

    def __neg__(self):
        return timedelta(0, 0, -self._micro())

    def __abs__(self):
        return timedelta(0, 0, abs(self._micro()))

    def __bool__(self):
        return self._micro() != 0

    def __eq__(self, other):
        return isinstance(other, timedelta) and self._micro() == other._micro()

    def __lt__(self, other):
        return self._micro() < other._micro()

    def __le__(self, other):
        return self._micro() <= other._micro()

    def __gt__(self, other):
        return self._micro() > other._micro()

    def __ge__(self, other):
        return self._micro() >= other._micro()

    def __hash__(self):
        return hash(self._micro())

    def __str__(self):
        text = '%d:%02d:%02d' % (self.seconds // 3600, self.seconds // 60 % 60, self.seconds % 60)
        if self.days:
            text = '%d day%s, ' % (self.days, '' if abs(self.days) == 1 else 's') + text
        return text + ('.%06d' % self.microseconds if self.microseconds else '')

    def __repr__(self):
        parts = ['%s=%d' % (n, v) for n, v in (('days', self.days), ('seconds', self.seconds),
                                               ('microseconds', self.microseconds)) if v]
        return 'datetime.timedelta(%s)' % (', '.join(parts) or '0')


class date(object):
    def __init__(self, year, month, day):
        _check(year, MINYEAR, MAXYEAR, 'year', 'year %s is out of range' % year)
        _check(month, 1, 12, 'month')
        _check(day, 1, _month_days(year, month), 'day', 'day is out of range for month')
        self.year, self.month, self.day = year, month, day

    @classmethod
    def today(cls):
        return cls.fromtimestamp(_time.time())

    @classmethod
    def fromtimestamp(cls, timestamp):
        t = _time.localtime(timestamp)
        return cls(t[0], t[1], t[2])

    @classmethod
    def fromordinal(cls, n):
        return cls(*_from_ordinal(n))

    def toordinal(self):
        return _ordinal(self.year, self.month, self.day)

    def weekday(self):
        return (self.toordinal() + 6) % 7

    def isoweekday(self):
        return self.weekday() + 1

    def isoformat(self):
        return '%04d-%02d-%02d' % (self.year, self.month, self.day)

    def replace(self, year=None, month=None, day=None):
        return date(year or self.year, month or self.month, day or self.day)

    def strftime(self, format):
        return _format(self, format)

    def _key(self):
        return (self.year, self.month, self.day)

    def __add__(self, delta):
        return date.fromordinal(self.toordinal() + delta.days)

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return date.fromordinal(self.toordinal() - other.days)
        return timedelta(self.toordinal() - other.toordinal())

    def __eq__(self, other):
        return isinstance(other, date) and hasattr(other, '_key') and self._key() == other._key()

    def __lt__(self, other):
        return self._key() < other._key() if hasattr(other, '_key') else NotImplemented

    def __le__(self, other):
        return self._key() <= other._key() if hasattr(other, '_key') else NotImplemented

    def __gt__(self, other):
        return self._key() > other._key() if hasattr(other, '_key') else NotImplemented

    def __ge__(self, other):
        return self._key() >= other._key() if hasattr(other, '_key') else NotImplemented

    def __hash__(self):
        return hash(self._key())

    def __str__(self):
        return self.isoformat()

    def __format__(self, spec):
        return self.strftime(spec) if spec else str(self)

    def __repr__(self):
        return 'datetime.date(%d, %d, %d)' % self._key()


class time(object):
    def __init__(self, hour=0, minute=0, second=0, microsecond=0):
        for value, high, name in ((hour, 23, 'hour'), (minute, 59, 'minute'), (second, 59, 'second'),
                                  (microsecond, 999999, 'microsecond')):
            _check(value, 0, high, name)
        self.hour, self.minute, self.second, self.microsecond = hour, minute, second, microsecond

    def isoformat(self):
        text = '%02d:%02d:%02d' % (self.hour, self.minute, self.second)
        return text + ('.%06d' % self.microsecond if self.microsecond else '')

    def _key(self):
        return (self.hour, self.minute, self.second, self.microsecond)

    def __eq__(self, other):
        return isinstance(other, time) and self._key() == other._key()

    def __lt__(self, other):
        return self._key() < other._key() if hasattr(other, '_key') else NotImplemented

    def __hash__(self):
        return hash(self._key())

    def __str__(self):
        return self.isoformat()

    def __repr__(self):
        return 'datetime.time(%s)' % ', '.join(str(v) for v in _shown(self._key(), 2))


def _shown(fields, least):
    """Returns the fields without the trailing zeros that repr omits."""
    n = len(fields)
    while n > least and fields[n - 1] == 0 and n > len(fields) - 2:
        n -= 1
    return fields[:n]


class datetime(date):
    def __init__(self, year, month, day, hour=0, minute=0, second=0, microsecond=0):
        date.__init__(self, year, month, day)
        t = time(hour, minute, second, microsecond)
        self.hour, self.minute, self.second, self.microsecond = t.hour, t.minute, t.second, t.microsecond

    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(_time.time())

    @classmethod
    def utcnow(cls):
        return cls.utcfromtimestamp(_time.time())

    @classmethod
    def today(cls):
        return cls.now()

    @classmethod
    def fromtimestamp(cls, timestamp, tz=None):
        return cls._from(_time.localtime, timestamp)

    @classmethod
    def utcfromtimestamp(cls, timestamp):
        return cls._from(_time.gmtime, timestamp)

    @classmethod
    def _from(cls, broken, timestamp):
        micro = round(timestamp * 1e6)
        t = broken(micro // 1000000)
        return cls(t[0], t[1], t[2], t[3], t[4], t[5], micro % 1000000)

    @classmethod
    def _of_micro(cls, micro):
        days, micro = micro // 86400000000, micro % 86400000000
        if not 1 <= days <= 3652059:
            raise OverflowError('date value out of range')
        year, month, day = _from_ordinal(days)
        second = micro // 1000000
        return cls(year, month, day, second // 3600, second // 60 % 60, second % 60, micro % 1000000)

    @classmethod
    def fromordinal(cls, n):
        return cls(*_from_ordinal(n))

    @classmethod
    def combine(cls, date, time):
        return cls(date.year, date.month, date.day, time.hour, time.minute, time.second, time.microsecond)

    @classmethod
    def strptime(cls, text, format):
        return _read(cls, text, format)

    def _micro(self):
        seconds = ((self.toordinal() * 24 + self.hour) * 60 + self.minute) * 60 + self.second
        return seconds * 1000000 + self.microsecond

    def timestamp(self):
        guess = (self._micro() - datetime(1970, 1, 1)._micro()) / 1000000
        return guess - (datetime.fromtimestamp(guess)._micro() - self._micro()) / 1000000

    def date(self):
        return date(self.year, self.month, self.day)

    def time(self):
        return time(self.hour, self.minute, self.second, self.microsecond)

    def timetuple(self):
        return (self.year, self.month, self.day, self.hour, self.minute, self.second, self.weekday(),
                self.toordinal() - _ordinal(self.year, 1, 1) + 1, -1)

    def isoformat(self, sep='T'):
        return date.isoformat(self) + sep + self.time().isoformat()

    def ctime(self):
        return '%s %s %2d %02d:%02d:%02d %d' % (_WEEKDAYS[self.weekday()][:3], _MONTHS[self.month - 1][:3], self.day,
                                                self.hour, self.minute, self.second, self.year)

    def replace(self, year=None, month=None, day=None, hour=None, minute=None, second=None, microsecond=None):
        new = (year, month, day, hour, minute, second, microsecond)
        return datetime(*[old if v is None else v for old, v in zip(self._key(), new)])

    def _key(self):
        return (self.year, self.month, self.day, self.hour, self.minute, self.second, self.microsecond)

    def __add__(self, delta):
        return datetime._of_micro(self._micro() + delta._micro()) if hasattr(delta, '_micro') else NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        if not hasattr(other, '_micro'):
            return NotImplemented  # an object of CPython
        if isinstance(other, timedelta):
            return datetime._of_micro(self._micro() - other._micro())
        return timedelta(0, 0, self._micro() - other._micro())

    def __str__(self):
        return self.isoformat(' ')

    def __repr__(self):
        return 'datetime.datetime(%s)' % ', '.join(str(v) for v in _shown(self._key(), 5))


def _format(when, format):
    hour, minute = getattr(when, 'hour', 0), getattr(when, 'minute', 0)
    second, micro = getattr(when, 'second', 0), getattr(when, 'microsecond', 0)
    weekday, month = _WEEKDAYS[when.weekday()], _MONTHS[when.month - 1]
    day_of_year = when.toordinal() - _ordinal(when.year, 1, 1) + 1
    monday_week = (day_of_year + 6 - when.weekday()) // 7
    sunday_week = (day_of_year + 6 - (when.weekday() + 1) % 7) // 7
    date_text = '%02d/%02d/%02d' % (when.month, when.day, when.year % 100)
    time_text = '%02d:%02d:%02d' % (hour, minute, second)
    values = {
        'Y': str(when.year), 'm': '%02d' % when.month, 'd': '%02d' % when.day, 'H': '%02d' % hour,
        'M': '%02d' % minute, 'S': '%02d' % second, 'f': '%06d' % micro, 'y': '%02d' % (when.year % 100),
        'j': '%03d' % day_of_year, 'I': '%02d' % (hour % 12 or 12), 'p': 'AM' if hour < 12 else 'PM',
        'a': weekday[:3], 'A': weekday, 'b': month[:3], 'B': month, 'h': month[:3], 'w': str((when.weekday() + 1) % 7),
        'u': str(when.weekday() + 1), 'e': '%2d' % when.day, 'D': date_text, 'x': date_text, 'T': time_text,
        'X': time_text, 'F': '%d-%02d-%02d' % (when.year, when.month, when.day), 'R': time_text[:5], 'n': '\n',
        't': '\t', '%': '%', 'z': '', 'Z': '', 'W': '%02d' % monday_week, 'U': '%02d' % sunday_week,
        'c': '%s %s %2d %s %d' % (weekday[:3], month[:3], when.day, time_text, when.year),
        's': str(int(when.timestamp())) if hasattr(when, 'timestamp') else '',
    }
    out, i = [], 0
    while i < len(format):
        if format[i] == '%' and i + 1 < len(format):
            out.append(values.get(format[i + 1], format[i:i + 2]))
            i += 2
        else:
            out.append(format[i])
            i += 1
    return ''.join(out)


def _read(cls, text, format):
    import re
    names = '|'.join
    parts = {
        'Y': r'(?P<Y>\d\d\d\d)', 'm': r'(?P<m>1[0-2]|0[1-9]|[1-9])', 'd': r'(?P<d>3[0-1]|[1-2]\d|0[1-9]|[1-9])',
        'H': r'(?P<H>2[0-3]|[0-1]\d|\d)', 'M': r'(?P<M>[0-5]\d|\d)', 'S': r'(?P<S>6[0-1]|[0-5]\d|\d)',
        'f': r'(?P<f>[0-9]{1,6})', 'y': r'(?P<y>\d\d)', 'I': r'(?P<I>1[0-2]|0[1-9]|[1-9])', 'p': r'(?P<p>am|pm)',
        'b': '(?P<b>' + names(m[:3] for m in _MONTHS) + ')', 'B': '(?P<B>' + names(_MONTHS) + ')',
        'a': '(?P<a>' + names(w[:3] for w in _WEEKDAYS) + ')', 'A': '(?P<A>' + names(_WEEKDAYS) + ')', '%': '%',
    }
    pattern, i = '', 0
    while i < len(format):
        if format[i] == '%':
            if format[i + 1:i + 2] not in parts:
                raise ValueError("'%s' is a bad directive in format '%s'" % (format[i + 1:i + 2], format))
            pattern += parts[format[i + 1]]
            i += 2
        else:
            pattern += r'\s+' if format[i] == ' ' else re.escape(format[i])
            i += 1
    m = re.match(pattern, text, re.IGNORECASE)
    if not m:
        raise ValueError('time data %r does not match format %r' % (text, format))
    if m.end() != len(text):
        raise ValueError('unconverted data remains: ' + text[m.end():])
    got = m.groupdict()
    year = int(got.get('Y') or 1900)
    if got.get('y'):
        year = int(got['y']) + (1900 if int(got['y']) > 68 else 2000)
    month = int(got.get('m') or 1)
    for key, size in (('b', 3), ('B', 99)):
        if got.get(key):
            month = [name[:size].lower() for name in _MONTHS].index(got[key].lower()) + 1
    hour = int(got.get('H') or 0)
    if got.get('I'):
        hour = int(got['I']) % 12 + (12 if (got.get('p') or '').lower() == 'pm' else 0)
    micro = int((got.get('f') or '0').ljust(6, '0'))
    return cls(year, month, int(got.get('d') or 1), hour, int(got.get('M') or 0), int(got.get('S') or 0), micro)


date.min, date.max = date(1, 1, 1), date(9999, 12, 31)
datetime.min, datetime.max = datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999)
