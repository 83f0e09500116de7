"""matplotlib.pyplot: figures as plain data, drawn by shell/plot in the terminal, as SVG or as PNG."""
import _tensh_plot
import numpy as np

Axes, _Part = _tensh_plot.Axes, _tensh_plot.Part


def _pdf(image, dpi):
    """Returns a PDF of one page, which the picture fills."""
    import zlib
    (width, height), pixels = image.size, zlib.compress(np.asarray(image).tobytes())
    place = b'%.2f 0 0 %.2f 0 0 cm /P Do' % (width * 72 / dpi, height * 72 / dpi)
    objects = [b'<</Type/Catalog/Pages 2 0 R>>', b'<</Type/Pages/Kids[3 0 R]/Count 1>>',
               b'<</Type/Page/Parent 2 0 R/MediaBox[0 0 %.2f %.2f]/Contents 4 0 R/Resources<</XObject<</P 5 0 R>>>>>>' % (
                   width * 72 / dpi, height * 72 / dpi),
               b'<</Length %d>>stream\n%s\nendstream' % (len(place), place),
               b'<</Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode'
               b'/Length %d>>stream\n%s\nendstream' % (width, height, len(pixels), pixels)]
    text, starts = b'%PDF-1.4\n', []
    for i, each in enumerate(objects):
        starts.append(len(text))
        text += b'%d 0 obj%s endobj\n' % (i + 1, each)
    table = b'xref\n0 6\n0000000000 65535 f \n' + b''.join([b'%010d 00000 n \n' % at for at in starts])
    return text + table + b'trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n' % len(text)


class SubplotSpec(object):
    """Some cells of a GridSpec."""
    def __init__(self, grid, rows, cols):
        self._grid = grid
        self._place = grid.nrows, grid.ncols, rows[0], cols[0], rows[1], cols[1]

    def get_gridspec(self):
        return self._grid


class GridSpec(object):
    def __init__(self, nrows, ncols, figure=None, **kwargs):
        self.nrows, self.ncols, self.figure = int(nrows), int(ncols), figure

    def get_geometry(self):
        return self.nrows, self.ncols

    def update(self, **kwargs):
        pass

    tight_layout = set_width_ratios = set_height_ratios = update

    def __getitem__(self, key):
        def cells(part, count):
            first, stop, _ = part.indices(count) if isinstance(part, slice) else (part, part + 1, 1)
            if not isinstance(part, slice):
                first, stop = (first + count, stop + count) if first < 0 else (first, stop)
            if not 0 <= first < stop <= count:
                raise IndexError('GridSpec slice would result in no space allocated for subplot')
            return first, stop - first
        if isinstance(key, tuple):
            return SubplotSpec(self, cells(key[0], self.nrows), cells(key[1], self.ncols))
        first, count = cells(key, self.nrows * self.ncols)
        last = first + count - 1
        row, col, end_row, end_col = first // self.ncols, first % self.ncols, last // self.ncols, last % self.ncols
        return SubplotSpec(self, (row, end_row - row + 1), (min(col, end_col), abs(end_col - col) + 1))


class GridSpecFromSubplotSpec(GridSpec):
    """A grid within a cell. It divides the whole grid as finely as needed."""
    def __init__(self, nrows, ncols, subplot_spec, **kwargs):
        GridSpec.__init__(self, nrows, ncols)
        self._outer = subplot_spec._place

    def __getitem__(self, key):
        inner = GridSpec.__getitem__(self, key)
        rows, cols, row, col, high, wide = self._outer
        _, _, r, c, h, w = inner._place
        inner._place = (rows * self.nrows, cols * self.ncols, row * self.nrows + r * high, col * self.ncols + c * wide,
                        h * high, w * wide)
        return inner


def _place_of(*args):
    if len(args) == 1 and args[0] > 99:
        rows, cols, index = args[0] // 100, args[0] // 10 % 10, args[0] % 10
    else:
        rows, cols, index = args if len(args) == 3 else (1, 1, 1)
    rows, cols = int(rows), int(cols)
    first, last = index if np.ndim(index) else (index, index)
    if not 1 <= first <= last <= rows * cols:
        raise ValueError('num must be an integer with 1 <= num <= %d, not %r' % (rows * cols, index))
    row, col = (first - 1) // cols, (first - 1) % cols
    return rows, cols, row, col, (last - 1) // cols - row + 1, max((last - 1) % cols - col, 0) + 1


class Figure(object):
    def __init__(self, number, figsize=None, dpi=None):
        self.number, self._title, self._axes, self._current = number, '', [], None
        self._size, self._dpi = figsize or (6.4, 4.8), dpi or 100
        self.canvas = self.patch = _Part()

    @property
    def axes(self):
        return list(self._axes)

    def add_subplot(self, *args, **kwargs):
        kind = Axes
        if kwargs.get('projection') == '3d':
            from _library.pyplot_3d import Axes3D as kind
        elif kwargs.get('projection') not in (None, 'rectilinear'):
            raise NotImplementedError("tensh has no projection=%r. Use: '3d', or none" % (kwargs['projection'],))
        if len(args) == 1 and isinstance(args[0], (SubplotSpec, GridSpec)):
            place = (args[0] if isinstance(args[0], SubplotSpec) else args[0][:, :])._place
        else:
            place = _place_of(*args)
        for axes in self._axes:
            if axes._place == place:
                self._current = axes
                return axes
        self._current = kind(self, *place)
        self._axes.append(self._current)
        return self._current

    def add_axes(self, rect, **kwargs):
        self._current = Axes(self)
        self._axes.append(self._current)
        return self._current

    def gca(self, **kwargs):
        return self._current or self.add_subplot(111, **kwargs)

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
        name = '' if hasattr(fname, 'write') else str(fname)
        kind = format or (name.rsplit('.', 1)[1].lower() if '.' in name else 'png')
        if name and '.' not in name:
            name += '.' + kind
        dpi = self._dpi if dpi in (None, 'figure') else dpi
        if kind in ('jpg', 'jpeg', 'pdf'):
            from PIL import Image
            data, height, width = _tensh_plot.pixels(self._spec(dpi))
            image = Image.fromarray(np.frombuffer(data, np.uint8).reshape(height, width, 3))
            if kind == 'pdf' and name:
                with open(name, 'wb') as file:
                    file.write(_pdf(image, float(dpi)))
            elif kind == 'pdf':
                fname.write(_pdf(image, float(dpi)))
            else:
                image.save(name or fname, format='JPEG')
            return
        if kind not in ('png', 'svg'):
            raise ValueError("Format '%s' is not supported (supported formats: jpg, pdf, png, svg)" % kind)
        if name:
            _tensh_plot.save(self._spec(dpi), kind, name)
        else:
            fname.write(_tensh_plot.draw(self._spec(dpi), kind))

    def clf(self):
        self._axes, self._current, self._title = [], None, ''

    clear = clf

    def show(self, **kwargs):
        if _tensh_plot.seen():
            _tensh_plot.show(self._spec(self._dpi))

    def add_gridspec(self, nrows=1, ncols=1, **kwargs):
        return GridSpec(nrows, ncols, self)

    def delaxes(self, ax):
        self._axes.remove(ax)
        self._current = None

    def waitforbuttonpress(self, timeout=-1):
        return None

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
    return gcf().add_subplot(*args, **kwargs)


def subplots(nrows=1, ncols=1, figsize=None, squeeze=True, dpi=None, **kwargs):
    made = figure(figsize=figsize, dpi=dpi)
    return made, made.subplots(nrows, ncols, squeeze=squeeze)


def subplot2grid(shape, loc, rowspan=1, colspan=1, **kwargs):
    grid = GridSpec(shape[0], shape[1])
    return gcf().add_subplot(grid[loc[0]:loc[0] + rowspan, loc[1]:loc[1] + colspan])


def delaxes(ax=None):
    gcf().delaxes(ax or gca())


def waitforbuttonpress(timeout=-1):
    """Returns at once, because nobody can press a button."""
    return None


ginput = waitforbuttonpress


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
clim = rc = tick_params = margins = box = minorticks_on = tight_layout


class _Map(str):
    """A color map: its name, which gives the colors of numbers from 0 to 1."""
    def __call__(self, x, alpha=1., bytes=False):
        x = np.asarray(x)
        parts = x.astype(float) / (255. if x.dtype.kind in 'iu' else 1.)
        made = np.array(_tensh_plot.colors(str(self), parts.ravel().tolist())).reshape(x.shape + (3,)) / 255.
        made = np.concatenate([made, np.full(x.shape + (1,), alpha)], -1)
        if bytes:
            return (made * 255).astype(np.uint8)
        return made if x.ndim else tuple(made.tolist())

    @property
    def name(self):
        return str(self)


def get_cmap(name=None, lut=None):
    return _Map(name or 'viridis')


def isinteractive():
    return False


def get_fignums():
    return sorted(_figures)


def imread(fname, format=None):
    """Reads an image: PNG as floats from 0 to 1, other formats as bytes."""
    from PIL import Image
    pixels = np.array(Image.open(fname))
    png = format == 'png' or format is None and str(getattr(fname, 'name', fname)).lower().endswith('.png')
    return (pixels / 255.).astype(np.float32) if png else pixels


def imsave(fname, arr, cmap=None, vmin=None, vmax=None, format=None, **kwargs):
    """Writes an array as an image with as many pixels."""
    from PIL import Image
    arr = np.asarray(arr)
    if arr.ndim == 2:
        low, high = arr.min() if vmin is None else vmin, arr.max() if vmax is None else vmax
        arr = get_cmap(cmap)(np.clip((arr - low) / (float(high - low) or 1.), 0, 1), bytes=True)
    if arr.dtype != np.uint8:
        arr = (np.clip(arr, 0, 1) * 255).astype(np.uint8)
    made = Image.fromarray(arr)
    (made.convert('RGB') if str(fname).lower().endswith(('.jpg', '.jpeg')) else made).save(fname, format=format)


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
barh, hlines, vlines, pie = _on_axes('barh'), _on_axes('hlines'), _on_axes('vlines'), _on_axes('pie')
stem, boxplot, twinx = _on_axes('stem'), _on_axes('boxplot'), _on_axes('twinx')


class _Animation(object):
    """An animation. A figure shows its last drawing; files of moving pictures are refused."""
    def __init__(self, fig=None, *args, **kwargs):
        self._fig = fig

    def save(self, filename, *args, **kwargs):
        raise NotImplementedError('tensh writes no moving pictures. Write single ones: plt.savefig("%s.png")'
                                  % str(filename).rsplit('.', 1)[0])

    to_html5_video = to_jshtml = save


class animation(object):
    FuncAnimation = ArtistAnimation = Animation = _Animation


class image(object):
    imread, imsave = staticmethod(imread), staticmethod(imsave)


class gridspec(object):
    GridSpec, GridSpecFromSubplotSpec, SubplotSpec = GridSpec, GridSpecFromSubplotSpec, SubplotSpec


class _Styles(object):
    available = ['default', 'ggplot']

    def use(self, name):
        pass


class _Maps(object):
    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return _Map(name)

    def get_cmap(self, name=None, lut=None):
        return get_cmap(name)


style, cm, rcParams = _Styles(), _Maps(), {}
