"""matplotlib.pyplot: figures as plain data, drawn by shell/plot in the terminal, as SVG or as PNG."""
import _tensh_plot
import numpy as np

Axes, _Part = _tensh_plot.Axes, _tensh_plot.Part


class Figure(object):
    def __init__(self, number, figsize=None, dpi=None):
        self.number, self._title, self._axes, self._current = number, '', [], None
        self._size, self._dpi = figsize or (6.4, 4.8), dpi or 100
        self.canvas = self.patch = _Part()

    @property
    def axes(self):
        return list(self._axes)

    def add_subplot(self, *args, **kwargs):
        if len(args) == 1 and args[0] > 99:
            rows, cols, index = args[0] // 100, args[0] // 10 % 10, args[0] % 10
        else:
            rows, cols, index = args if len(args) == 3 else (1, 1, 1)
        if np.ndim(index):
            index = index[0]
        place = rows, cols, (index - 1) // cols, (index - 1) % cols
        for axes in self._axes:
            if axes._place == place:
                self._current = axes
                return axes
        self._current = Axes(self, *place)
        self._axes.append(self._current)
        return self._current

    def add_axes(self, rect, **kwargs):
        self._current = Axes(self)
        self._axes.append(self._current)
        return self._current

    def gca(self, **kwargs):
        return self._current or self.add_subplot(111)

    def subplots(self, nrows=1, ncols=1, squeeze=True, **kwargs):
        made = [[self.add_subplot(nrows, ncols, r * ncols + c + 1) for c in range(ncols)] for r in range(nrows)]
        if not squeeze:
            return np.array(made, dtype=object)
        if nrows == 1 and ncols == 1:
            return made[0][0]
        if nrows == 1 or ncols == 1:
            return np.array([axes for row in made for axes in row], dtype=object)
        return np.array(made, dtype=object)

    def colorbar(self, mappable=None, ax=None, **kwargs):
        (ax or (mappable.axes if mappable is not None else self.gca()))._flags['colorbar'] = True
        return _Part()

    def suptitle(self, t, **kwargs):
        self._title = str(t)

    def savefig(self, fname, dpi=None, format=None, **kwargs):
        name = str(fname)
        kind = format or (name.rsplit('.', 1)[1].lower() if '.' in name else 'png')
        if '.' not in name:
            name += '.' + kind
        if kind not in ('png', 'svg'):
            raise ValueError("Format '%s' is not supported (supported formats: png, svg)" % kind)
        _tensh_plot.save(self._spec(dpi or self._dpi), kind, name)

    def clf(self):
        self._axes, self._current, self._title = [], None, ''

    clear = clf

    def show(self, **kwargs):
        _tensh_plot.show(self._spec(self._dpi))

    def set_size_inches(self, w, h=None, **kwargs):
        self._size = tuple(w) if h is None else (w, h)

    def tight_layout(self, *args, **kwargs):
        pass

    subplots_adjust = autofmt_xdate = tight_layout

    def _spec(self, dpi):
        return {'title': self._title, 'width': self._size[0] * dpi, 'height': self._size[1] * dpi,
                'axes': [axes._spec() for axes in self._axes]}


_figures, _order = {}, []


def figure(num=None, figsize=None, dpi=None, **kwargs):
    if isinstance(num, Figure):
        num = num.number
    if num is None:
        num = max([n for n in _figures if isinstance(n, int)] + [0]) + 1
    if num not in _figures:
        _figures[num] = Figure(num, figsize, dpi)
    if num in _order:
        _order.remove(num)
    _order.append(num)
    return _figures[num]


def gcf():
    return _figures[_order[-1]] if _order else figure()


def gca(**kwargs):
    return gcf().gca()


def sca(ax):
    ax.figure._current = ax


def axes(*args, **kwargs):
    return gca()


def subplot(*args, **kwargs):
    return gcf().add_subplot(*args)


def subplots(nrows=1, ncols=1, figsize=None, squeeze=True, dpi=None, **kwargs):
    made = figure(figsize=figsize, dpi=dpi)
    return made, made.subplots(nrows, ncols, squeeze=squeeze)


def subplot2grid(shape, loc, rowspan=1, colspan=1, **kwargs):
    return gcf().add_subplot(shape[0], shape[1], loc[0] * shape[1] + loc[1] + 1)


def close(fig=None):
    if fig == 'all':
        _figures.clear()
        del _order[:]
        return
    number = fig.number if isinstance(fig, Figure) else fig if fig is not None else (_order[-1] if _order else None)
    if number in _figures:
        del _figures[number]
        _order.remove(number)


def show(*args, **kwargs):
    for number in sorted(_order, key=str):
        _figures[number].show()
    close('all')


def savefig(fname, *args, **kwargs):
    gcf().savefig(fname, *args, **kwargs)


def clf():
    gcf().clf()


def cla():
    gca().cla()


def title(label, *args, **kwargs):
    gca().set_title(label)


def suptitle(t, **kwargs):
    gcf().suptitle(t)


def xlabel(label, *args, **kwargs):
    gca().set_xlabel(label)


def ylabel(label, *args, **kwargs):
    gca().set_ylabel(label)


def xlim(*args, **kwargs):
    if args or kwargs:
        gca().set_xlim(*args, **kwargs)
    return gca().get_xlim()


def ylim(*args, **kwargs):
    if args or kwargs:
        gca().set_ylim(*args, **kwargs)
    return gca().get_ylim()


def xticks(ticks=None, labels=None, **kwargs):
    if ticks is not None:
        gca().set_xticks(ticks, labels)


def yticks(ticks=None, labels=None, **kwargs):
    if ticks is not None:
        gca().set_yticks(ticks, labels)


def xscale(scale, **kwargs):
    gca().set_xscale(scale)


def yscale(scale, **kwargs):
    gca().set_yscale(scale)


def colorbar(mappable=None, cax=None, ax=None, **kwargs):
    return gcf().colorbar(mappable, ax)


def figtext(x, y, s, **kwargs):
    pass


def tight_layout(*args, **kwargs):
    pass


subplots_adjust = ion = ioff = draw = pause = set_cmap = switch_backend = tight_layout
clim = rc = tick_params = margins = box = tight_layout


def get_cmap(name=None, lut=None):
    return name or 'viridis'


def isinteractive():
    return False


def get_fignums():
    return sorted(_figures)


def imread(fname, **kwargs):
    raise NotImplementedError('plt.imread: read images with tf.image.decode_png(tf.read_file(name))')


def _on_axes(name):
    def call(*args, **kwargs):
        return getattr(gca(), name)(*args, **kwargs)
    return call


plot, scatter, bar, hist = _on_axes('plot'), _on_axes('scatter'), _on_axes('bar'), _on_axes('hist')
imshow, matshow, pcolormesh, pcolor = _on_axes('imshow'), _on_axes('matshow'), _on_axes('pcolormesh'), _on_axes('pcolor')
contour, contourf, step, errorbar = _on_axes('contour'), _on_axes('contourf'), _on_axes('step'), _on_axes('errorbar')
fill_between, axhline, axvline, text = _on_axes('fill_between'), _on_axes('axhline'), _on_axes('axvline'), _on_axes('text')
annotate, semilogx, semilogy, loglog = _on_axes('annotate'), _on_axes('semilogx'), _on_axes('semilogy'), _on_axes('loglog')
legend, grid, axis = _on_axes('legend'), _on_axes('grid'), _on_axes('axis')


class _Styles(object):
    available = ['default', 'ggplot']

    def use(self, name):
        pass


class _Maps(object):
    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return name

    def get_cmap(self, name=None, lut=None):
        return name or 'viridis'


style, cm, rcParams = _Styles(), _Maps(), {}
