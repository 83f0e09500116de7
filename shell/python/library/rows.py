"""The rows of a table as a value: what `rows = nodes where …` and `sql(…)` give."""

_SHOWN = 20


class Record:
    """A row: its fields by name, as attributes, and by position."""

    def __init__(self, columns, fields):
        self.__dict__['_columns'] = columns
        self.__dict__['_fields'] = fields

    def __getattr__(self, name):
        try:
            return self._fields[self._columns.index(name)]
        except ValueError:
            raise AttributeError("the row has no column '%s'; it has %s" % (name, ', '.join(self._columns))) from None

    def __setattr__(self, name, value):
        raise AttributeError('a row of a table cannot be changed')

    def __getitem__(self, key):
        if isinstance(key, str):
            if key not in self._columns:
                raise KeyError(key)
            return self._fields[self._columns.index(key)]
        return self._fields[key]

    def __len__(self):
        return len(self._fields)

    def __iter__(self):
        return iter(self._fields)

    def __eq__(self, other):
        return tuple(self) == tuple(other) if isinstance(other, (Record, tuple)) else NotImplemented

    def __hash__(self):
        return hash(self._fields)

    def keys(self):
        return list(self._columns)

    def values(self):
        return list(self._fields)

    def items(self):
        return list(zip(self._columns, self._fields))

    def __dir__(self):
        return list(self._columns) + ['keys', 'values', 'items']

    def __repr__(self):
        return 'Record(%s)' % ', '.join('%s=%r' % item for item in self.items())


class Rows:
    """A list of records. A column is an attribute or a key: rows.bytes, rows['bytes']."""

    def __init__(self, columns, fields):
        self.columns = columns
        self._rows = fields

    def __len__(self):
        return len(self._rows)

    def __iter__(self):
        for fields in self._rows:
            yield Record(self.columns, fields)

    def __getitem__(self, key):
        if isinstance(key, str):
            return self._column(key, KeyError)
        if isinstance(key, slice):
            return Rows(self.columns, self._rows[key])
        return Record(self.columns, self._rows[key])

    def __getattr__(self, name):
        return self._column(name, AttributeError)

    def _column(self, name, error):
        if name not in self.columns:
            raise error("no column '%s'; the rows have %s" % (name, ', '.join(self.columns)))
        at = self.columns.index(name)
        return [fields[at] for fields in self._rows]

    def __eq__(self, other):
        if not isinstance(other, Rows):
            return NotImplemented
        return self.columns == other.columns and self._rows == other._rows

    def __dir__(self):
        return list(self.columns) + ['columns', 'tolist']

    def tolist(self):
        """Returns the rows as tuples."""
        return list(self._rows)

    def _numbers(self):
        """Returns the columns of numbers side by side, or one alone, for plot."""
        chosen = [c for c, name in enumerate(self.columns)
                  if self._rows and all(isinstance(fields[c], (int, float)) for fields in self._rows)]
        if not chosen:
            raise TypeError('no column is all numbers; the rows have %s' % ', '.join(self.columns))
        if len(chosen) == 1:
            return [fields[chosen[0]] for fields in self._rows]
        return [[fields[c] for c in chosen] for fields in self._rows]

    def __repr__(self):
        shown = [[str(name) for name in self.columns]]
        for fields in self._rows[:_SHOWN]:
            shown.append(['' if field is None else str(field) for field in fields])
        widths = [max(len(line[c]) for line in shown) for c in range(len(self.columns))]
        numeric = [all(isinstance(fields[c], (int, float, type(None))) for fields in self._rows[:_SHOWN])
                   for c in range(len(self.columns))]
        lines = []
        for line in shown:
            cells = [cell.rjust(width) if right else cell.ljust(width)
                     for cell, width, right in zip(line, widths, numeric)]
            lines.append('  '.join(cells).rstrip())
        more = len(self._rows) - _SHOWN
        count = '%d row%s' % (len(self._rows), '' if len(self._rows) == 1 else 's')
        lines.append('(%s%s)' % (count, ', of which %d are not shown' % more if more > 0 else ''))
        return '\n'.join(lines)
