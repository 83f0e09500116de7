"""csv: reading and writing of rows of comma-separated fields."""
QUOTE_MINIMAL, QUOTE_ALL, QUOTE_NONNUMERIC, QUOTE_NONE = 0, 1, 2, 3


class Error(Exception):
    pass


def reader(csvfile, dialect='excel', delimiter=',', quotechar='"', skipinitialspace=False, **fmtparams):
    row, field, quoted, started = [], '', False, False
    for line in csvfile:
        i = 0
        line = line if quoted else line.rstrip('\r\n')
        while i < len(line):
            c = line[i]
            i += 1
            if quoted:
                if c != quotechar:
                    field += c
                elif line[i:i + 1] == quotechar:
                    field += c
                    i += 1
                else:
                    quoted = False
                    line = line.rstrip('\r\n')
            elif c == quotechar and not field:
                quoted = started = True
            elif c == delimiter:
                row.append(field)
                field, started = '', True
            elif not (skipinitialspace and c == ' ' and not field):
                field += c
        if quoted:
            continue
        if row or field or started:
            row.append(field)
        yield row
        row, field, started = [], '', False
    if quoted:
        row.append(field)
        yield row


class DictReader(object):
    def __init__(self, f, fieldnames=None, restkey=None, restval=None, dialect='excel', **kwds):
        self._rows, self._names = reader(f, dialect, **kwds), fieldnames
        self._restkey, self._restval = restkey, restval

    @property
    def fieldnames(self):
        if self._names is None:
            self._names = next(self._rows, None)
        return self._names

    def __iter__(self):
        return self

    def __next__(self):
        names = self.fieldnames
        row = next(self._rows)
        while row == []:
            row = next(self._rows)
        out = dict(zip(names, row))
        if len(names) < len(row):
            out[self._restkey] = row[len(names):]
        for name in names[len(row):]:
            out[name] = self._restval
        return out


class _Writer(object):
    def __init__(self, f, delimiter, quotechar, lineterminator, quoting):
        self._f, self._delimiter, self._quote, self._end = f, delimiter, quotechar, lineterminator
        self._quoting = quoting

    def _field(self, value, alone):
        text = '' if value is None else repr(value) if isinstance(value, float) else str(value)
        special = any(c in text for c in (self._delimiter, self._quote, '\n', '\r'))
        number = isinstance(value, (int, float))
        if special or self._quoting == 1 or self._quoting == 2 and not number or alone and not text:
            return self._quote + text.replace(self._quote, self._quote * 2) + self._quote
        return text

    def writerow(self, row):
        row = list(row)
        return self._f.write(self._delimiter.join(self._field(v, len(row) == 1) for v in row) + self._end)

    def writerows(self, rows):
        for row in rows:
            self.writerow(row)


def writer(csvfile, dialect='excel', delimiter=',', quotechar='"', lineterminator='\r\n', quoting=0, **fmtparams):
    return _Writer(csvfile, delimiter, quotechar, lineterminator, quoting)


class DictWriter(object):
    def __init__(self, f, fieldnames, restval='', extrasaction='raise', dialect='excel', **kwds):
        self.fieldnames, self._restval, self._extras = fieldnames, restval, extrasaction
        self.writer = writer(f, dialect, **kwds)

    def writeheader(self):
        return self.writer.writerow(self.fieldnames)

    def writerow(self, rowdict):
        wrong = [k for k in rowdict if k not in self.fieldnames]
        if wrong and self._extras == 'raise':
            raise ValueError('dict contains fields not in fieldnames: ' + ', '.join(repr(x) for x in wrong))
        return self.writer.writerow([rowdict.get(k, self._restval) for k in self.fieldnames])

    def writerows(self, rowdicts):
        for row in rowdicts:
            self.writerow(row)
