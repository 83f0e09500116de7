"""tqdm: loops with a line of progress on stderr, if that is a terminal."""
import sys
import time


class tqdm(object):
    def __init__(self, iterable=None, desc=None, total=None, leave=True, file=None, disable=False, initial=0, **kwargs):
        self._iterable, self.desc, self.n = iterable, desc, initial
        self.total = len(iterable) if total is None and hasattr(iterable, '__len__') else total
        self._shown, self._leave, self._post = 0, leave, ''
        self.disable = disable or not sys.stderr.isatty()

    def __iter__(self):
        for item in self._iterable:
            yield item
            self.update()
        self.close()

    def __len__(self):
        return self.total

    def update(self, n=1):
        self.n += n
        now = time.time()
        if not self.disable and now - self._shown > 0.1:
            self._shown = now
            self.refresh()

    def refresh(self):
        if not self.disable:
            part = '%3d%%|' % (100 * self.n // self.total) if self.total else ''
            sys.stderr.write('\r%s%s %d/%s %s' % (self.desc + ': ' if self.desc else '', part, self.n,
                                                  self.total or '?', self._post))
            sys.stderr.flush()

    def close(self):
        if not self.disable:
            self.refresh()
            sys.stderr.write('\n' if self._leave else '\r')
            self.disable = True

    def set_description(self, desc=None, refresh=True):
        self.desc = desc

    set_description_str = set_description

    def set_postfix(self, ordered_dict=None, refresh=True, **kwargs):
        self._post = ', '.join(['%s=%s' % pair for pair in dict(ordered_dict or {}, **kwargs).items()])

    def set_postfix_str(self, s='', refresh=True):
        self._post = s

    @classmethod
    def write(cls, s, file=None, end='\n', nolock=False):
        print(s, end=end)

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.close()


tqdm_notebook = auto = tqdm


def trange(*args, **kwargs):
    return tqdm(range(*args), **kwargs)


tnrange = trange
