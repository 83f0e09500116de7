"""matplotlib's Axes: the contents of a plot as plain data for shell/plot."""
import _tensh_plot
import numpy as np

_DASHES = ('--', '-.', '-', ':')
_MARKS = '.,ov^<>sp*h+xDd'
_COLORS = 'bgrcmykw'

def _flat(x):
    x = np.asarray(x)
    if x.dtype.kind in 'fiub':
        return x.astype(np.float64).ravel().tolist()
    return [float(v) for v in x.ravel().tolist()]


def _color(c):
    if c is None or isinstance(c, str):
        return c
    parts = [float(v) for v in c][:3]
    return '#%02x%02x%02x' % tuple([int(round(255 * min(max(v, 0.), 1.))) for v in parts])


def _format(fmt):
    """Parses 'ro--' as (color, marker, line style). A missing part is None."""
    color = marker = style = None
    if len(fmt) > 1 and fmt[0] == 'C' and fmt[1].isdigit():
        color, fmt = fmt[:2], fmt[2:]
    for dash in _DASHES:
        if dash in fmt:
            style, fmt = dash, fmt.replace(dash, '', 1)
            break
    for c in fmt:
        if c in _COLORS and color is None:
            color = c
        elif c in _MARKS and marker is None:
            marker = c
        else:
            raise ValueError('Unrecognized character %s in format string' % c)
    return color, marker, style


class _Artist(object):
    """The result of a function that draws: its series, which can be changed."""

    def __init__(self, axes, spec):
        self.axes, self._spec = axes, spec

    def set_data(self, x, y=None):
        if y is None:
            self.axes._image(self._spec, x)
        else:
            self._spec['x'], self._spec['y'] = _flat(x), _flat(y)

    def set_ydata(self, y):
        self._spec['y'] = _flat(y)

    def set_xdata(self, x):
        self._spec['x'] = _flat(x)

    def set_label(self, label):
        self._spec['label'] = str(label)

    def set_color(self, color):
        self._spec['color'] = _color(color)

    def get_label(self):
        return self._spec.get('label', '')

    def remove(self):
        self.axes._series.remove(self._spec)

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return lambda *args, **kwargs: None


class _Part(object):
    """An axis, a spine or a patch: accepts all method calls and draws nothing."""

    def __init__(self, axes=None, key=None):
        self._axes, self._key = axes, key

    def set_visible(self, on):
        if self._key in ('x', 'y'):
            self._axes._axis[self._key]['hidden'] = not on

    def __getitem__(self, key):
        return self

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return lambda *args, **kwargs: self


class Axes(object):
    def __init__(self, figure, *place):
        self.figure = figure
        self._place = place or (1, 1, 0, 0, 1, 1)
        self.cla()

    def cla(self):
        self._series, self._index = [], 0
        self._axis = {'x': {}, 'y': {}}
        self._flags = {}
        self._title = ''
        self.xaxis, self.yaxis = _Part(self, 'x'), _Part(self, 'y')
        self.spines = self.patch = _Part()

    clear = cla

    def _add(self, kind, kwargs, **spec):
        spec['kind'] = kind
        color = kwargs.get('color', kwargs.get('c'))
        if color is not None and spec.get('color') is None:
            spec['color'] = _color(color)
        if spec.get('color') is None:
            spec.pop('color', None)
            spec['index'] = self._index
            self._index += 1
        for ours, theirs in (('label', 'label'), ('alpha', 'alpha'), ('width', 'linewidth'), ('width', 'lw')):
            if kwargs.get(theirs) is not None:
                spec[ours] = kwargs[theirs]
        if 'label' in spec:
            spec['label'] = str(spec['label'])
        self._series.append(spec)
        return _Artist(self, spec)

    def plot(self, *args, **kwargs):
        made, args = [], list(args)
        while args:
            x = args.pop(0)
            y = args.pop(0) if args and not isinstance(args[0], str) else None
            fmt = args.pop(0) if args and isinstance(args[0], str) else ''
            color, marker, style = _format(fmt)
            if y is None:
                y, x = x, None
            made.extend(self._lines(x, y, color, kwargs.get('marker', marker), style, kwargs))
        return made

    def _lines(self, x, y, color, marker, style, kwargs):
        y = np.asarray(y)
        columns = [y[:, i] for i in range(y.shape[1])] if y.ndim == 2 else [y]
        x = np.arange(len(columns[0])) if x is None else np.asarray(x)
        if style is None:
            style = 'None' if marker and 'marker' not in kwargs else '-'
        style = kwargs.get('linestyle', kwargs.get('ls', style))
        made = []
        for i, column in enumerate(columns):
            xs = x[:, i if x.shape[1] > 1 else 0] if x.ndim == 2 else x
            xs, ys = _flat(xs), _flat(column)
            if len(xs) != len(ys):
                raise ValueError('x and y must have same first dimension, but have shapes (%d,) and (%d,)'
                                 % (len(xs), len(ys)))
            made.append(self._add('line', kwargs, x=xs, y=ys, color=color, marker=marker or '', style=style or 'None'))
        return made

    def scatter(self, x, y, s=None, c=None, marker='o', cmap=None, **kwargs):
        spec = {'x': _flat(x), 'y': _flat(y), 'marker': marker or 'o'}
        if len(spec['x']) != len(spec['y']):
            raise ValueError('x and y must be the same size')
        if s is not None:
            spec['sizes'] = _flat(s)
        if c is not None and not isinstance(c, str):
            values = c if isinstance(c, (list, tuple)) and c and isinstance(c[0], str) else np.asarray(c)
            if isinstance(values, np.ndarray) and values.dtype.kind == 'U':
                values = values.ravel().tolist()
            if isinstance(values, np.ndarray) and values.ndim == 1 and len(values) == len(spec['x']):
                spec['levels'] = _flat(values)
                spec['color'] = '#1f77b4'
            elif isinstance(values, np.ndarray):
                spec['color'] = _color(values.ravel())
            else:
                spec['color'] = values[0]
        elif c is not None:
            spec['color'] = c
        if cmap is not None:
            spec['map'] = str(cmap)
        return self._add('scatter', kwargs, **spec)

    def bar(self, x, height, width=0.8, bottom=0., align='center', **kwargs):
        names = [v for v in x] if isinstance(x, (list, tuple)) and x and isinstance(x[0], str) else None
        at = [float(i) for i in range(len(names))] if names else _flat(x)
        heights = _flat(height) if np.ndim(height) else [float(height)] * len(at)
        widths = _flat(width) if np.ndim(width) else [float(width)] * len(at)
        low = _flat(bottom) if np.ndim(bottom) else [float(bottom)] * len(at)
        if align == 'center':
            at = [a - w / 2 for a, w in zip(at, widths)]
        if names:
            self.set_xticks(list(range(len(names))), names)
        return self._add('bar', kwargs, x=at, y=[h + b for h, b in zip(heights, low)], low=low, widths=widths)

    def hist(self, x, bins=10, range=None, density=False, normed=False, **kwargs):
        values = _flat(x)
        if range is not None:
            values = [v for v in values if range[0] <= v <= range[1]]
        if np.ndim(bins):
            edges = _flat(bins)
            counts = [float(sum([1 for v in values if a <= v < b or (b == edges[-1] and v == b)]))
                      for a, b in zip(edges[:-1], edges[1:])]
        else:
            counts, edges = _tensh_plot.histogram(values, 10 if isinstance(bins, str) else int(bins))
        widths = [b - a for a, b in zip(edges[:-1], edges[1:])]
        if density or normed:
            total = sum(counts) or 1.
            counts = [c / total / w for c, w in zip(counts, widths)]
        artist = self._add('bar', kwargs, x=edges[:-1], y=counts, low=[0.] * len(counts), widths=widths)
        return np.array(counts), np.array(edges), artist

    def _image(self, spec, x):
        x = np.asarray(x)
        if x.ndim == 3 and x.shape[2] == 1:
            x = x[:, :, 0]
        if x.ndim not in (2, 3) or (x.ndim == 3 and x.shape[2] not in (3, 4)):
            raise TypeError('Invalid shape %s for image data' % (x.shape,))
        if spec.get('lower'):
            x = x[::-1]
        scale = 255. if x.ndim == 3 and x.dtype == np.uint8 else 1.
        spec['rows'], spec['cols'] = x.shape[0], x.shape[1]
        spec['channels'] = x.shape[2] if x.ndim == 3 else 1
        spec['pixels'] = np.array(x), scale  # a list of numbers as soon as somebody looks
        return x.shape[0], x.shape[1]

    def imshow(self, X, cmap=None, vmin=None, vmax=None, origin='upper', extent=None, aspect=None, **kwargs):
        spec = {'lower': origin == 'lower', 'map': str(cmap) if cmap is not None else 'viridis'}
        rows, cols = self._image(spec, X)
        if extent is None:
            extent = [-.5, cols - .5, -.5, rows - .5] if origin == 'lower' else [-.5, cols - .5, rows - .5, -.5]
        spec['extent'] = [float(v) for v in extent]
        if vmin is not None:
            spec['vmin'] = float(vmin)
        if vmax is not None:
            spec['vmax'] = float(vmax)
        self._axis['y']['flipped'] = extent[2] > extent[3]
        self._flags['equal'] = aspect != 'auto'
        return self._add('image', {}, color='k', **spec)

    def matshow(self, Z, **kwargs):
        return self.imshow(Z, **kwargs)

    def pcolormesh(self, *args, **kwargs):
        return self.imshow(args[-1], cmap=kwargs.get('cmap'), origin='lower', aspect='auto')

    pcolor = pcolormesh

    def contourf(self, *args, **kwargs):
        arrays = [np.asarray(a) for a in args if not isinstance(a, int)]
        if len(arrays) < 3:
            return self.imshow(arrays[0], cmap=kwargs.get('cmap'), origin='lower', aspect='auto')
        x, y, z = _flat(arrays[0]), _flat(arrays[1]), arrays[2]
        return self.imshow(z, cmap=kwargs.get('cmap'), origin='lower', aspect='auto',
                           extent=[min(x), max(x), min(y), max(y)])

    contour = contourf

    def step(self, x, y, *args, **kwargs):
        x, y = _flat(x), _flat(y)
        xs, ys = x[:1], y[:1]
        for i in range(1, len(x)):
            xs += [x[i - 1], x[i]]
            ys += [y[i], y[i]]
        return self.plot(xs, ys, *args, **kwargs)

    def errorbar(self, x, y, yerr=None, fmt='', **kwargs):
        x, y = _flat(x), _flat(y)
        made = self.plot(x, y, fmt, **kwargs)
        errors = [] if yerr is None else _flat(yerr) if np.ndim(yerr) else [float(yerr)] * len(x)
        for a, b, e in zip(x, y, errors):
            self.plot([a, a], [b - e, b + e], color='gray', linewidth=1)
        return made

    def fill_between(self, x, y1, y2=0., alpha=.3, **kwargs):
        x, a = _flat(x), _flat(y1)
        b = _flat(y2) if np.ndim(y2) else [float(y2)] * len(x)
        widths = [q - p for p, q in zip(x[:-1], x[1:])]
        return self._add('bar', dict(kwargs, alpha=alpha), x=x[:-1], y=[(p + q) / 2 for p, q in zip(a[:-1], a[1:])],
                         low=[(p + q) / 2 for p, q in zip(b[:-1], b[1:])], widths=widths)

    def axhline(self, y=0., **kwargs):
        low, high = self.get_xlim()
        return self.plot([low, high], [y, y], **kwargs)[0]

    def axvline(self, x=0., **kwargs):
        low, high = self.get_ylim()
        return self.plot([x, x], [low, high], **kwargs)[0]

    def text(self, x, y, s, **kwargs):
        return self._add('text', {}, x=[float(x)], y=[float(y)], text=str(s), color='k')

    def annotate(self, s='', xy=(0, 0), xytext=None, **kwargs):
        at = xy if xytext is None or kwargs.get('textcoords') else xytext
        return self.text(at[0], at[1], kwargs.get('text', s))

    def semilogy(self, *args, **kwargs):
        self._axis['y']['log'] = True
        return self.plot(*args, **kwargs)

    def semilogx(self, *args, **kwargs):
        self._axis['x']['log'] = True
        return self.plot(*args, **kwargs)

    def loglog(self, *args, **kwargs):
        self._axis['x']['log'] = True
        return self.semilogy(*args, **kwargs)

    def set_title(self, label, *args, **kwargs):
        self._title = str(label)

    def set_xlabel(self, label, *args, **kwargs):
        self._axis['x']['label'] = str(label)

    def set_ylabel(self, label, *args, **kwargs):
        self._axis['y']['label'] = str(label)

    def _limit(self, key, low, high):
        if high is None and low is not None and np.ndim(low):
            low, high = low
        axis = self._axis[key]
        if low is not None:
            axis['low'] = float(low)
        if high is not None:
            axis['high'] = float(high)

    def set_xlim(self, left=None, right=None, xmin=None, xmax=None, **kwargs):
        self._limit('x', xmin if left is None else left, xmax if right is None else right)

    def set_ylim(self, bottom=None, top=None, ymin=None, ymax=None, **kwargs):
        self._limit('y', ymin if bottom is None else bottom, ymax if top is None else top)

    def _limits(self, key):
        values = [v for s in self._series for v in s.get(key, []) if v == v] or [0., 1.]
        axis = self._axis[key]
        return axis.get('low', min(values)), axis.get('high', max(values))

    def get_xlim(self):
        return self._limits('x')

    def get_ylim(self):
        return self._limits('y')

    def set_xscale(self, scale, **kwargs):
        self._axis['x']['log'] = scale == 'log'

    def set_yscale(self, scale, **kwargs):
        self._axis['y']['log'] = scale == 'log'

    def set_xticks(self, ticks, labels=None, **kwargs):
        self._axis['x']['ticks'] = _flat(ticks)
        if labels is not None:
            self._axis['x']['texts'] = [str(v) for v in labels]

    def set_yticks(self, ticks, labels=None, **kwargs):
        self._axis['y']['ticks'] = _flat(ticks)
        if labels is not None:
            self._axis['y']['texts'] = [str(v) for v in labels]

    def set_xticklabels(self, labels, **kwargs):
        self.set_xticks(self._axis['x'].get('ticks', list(range(len(labels)))), labels)

    def set_yticklabels(self, labels, **kwargs):
        self.set_yticks(self._axis['y'].get('ticks', list(range(len(labels)))), labels)

    def set(self, **kwargs):
        for name in kwargs:
            getattr(self, 'set_' + name)(kwargs[name])

    def legend(self, *args, **kwargs):
        self._flags['legend'] = True
        labels = kwargs.get('labels')
        for arg in args:
            if isinstance(arg, (list, tuple)) and arg and isinstance(arg[0], str):
                labels = arg
        handles = args[0] if len(args) == 2 else kwargs.get('handles')
        specs = [h._spec for h in handles if isinstance(h, _Artist)] if handles else self._series
        for spec, label in zip(specs, labels or []):
            spec['label'] = str(label)

    def grid(self, b=True, *args, **kwargs):
        self._flags['grid'] = bool(kwargs.get('visible', b))

    def axis(self, arg=None, **kwargs):
        if arg == 'off' or arg is False:
            self._flags['hidden'] = True
        elif arg in ('equal', 'image', 'scaled', 'square'):
            self._flags['equal'] = True
        elif arg is not None and not isinstance(arg, (str, bool)):
            self.set_xlim(arg[0], arg[1])
            self.set_ylim(arg[2], arg[3])
        return self.get_xlim() + self.get_ylim()

    def set_axis_off(self):
        self._flags['hidden'] = True

    def set_aspect(self, aspect, **kwargs):
        self._flags['equal'] = aspect == 'equal' or aspect == 1

    def invert_yaxis(self):
        self._axis['y']['flipped'] = not self._axis['y'].get('flipped')

    def invert_xaxis(self):
        self._axis['x']['flipped'] = not self._axis['x'].get('flipped')

    def tick_params(self, *args, **kwargs):
        pass

    set_facecolor = set_axisbelow = set_frame_on = set_xbound = set_ybound = set_position = margins = tick_params
    set_zorder = autoscale = autoscale_view = relim = ticklabel_format = add_patch = add_artist = tick_params
    set_anchor = set_autoscale_on = locator_params = minorticks_on = set_prop_cycle = set_navigate = tick_params

    def get_xaxis(self):
        return self.xaxis

    def get_yaxis(self):
        return self.yaxis

    def get_title(self):
        return self._title

    def get_xlabel(self):
        return self._axis['x'].get('label', '')

    def get_ylabel(self):
        return self._axis['y'].get('label', '')

    def get_legend_handles_labels(self):
        named = [s for s in self._series if s.get('label')]
        return [_Artist(self, s) for s in named], [s['label'] for s in named]

    def barh(self, y, width, height=0.8, left=0., **kwargs):
        at, lengths = _flat(y), _flat(width) if np.ndim(width) else [float(width)] * len(y)
        return [self.plot([left, left + w], [a, a], linewidth=kwargs.get('linewidth', 6),
                          color=kwargs.get('color'))[0] for a, w in zip(at, lengths)]

    def hlines(self, y, xmin, xmax, **kwargs):
        for v in _flat(y):
            self.plot([float(xmin), float(xmax)], [v, v], **{k: kwargs[k] for k in ('color', 'label') if k in kwargs})

    def vlines(self, x, ymin, ymax, **kwargs):
        for v in _flat(x):
            self.plot([v, v], [float(ymin), float(ymax)], **{k: kwargs[k] for k in ('color', 'label') if k in kwargs})

    def stem(self, *args, **kwargs):
        x, y = (np.arange(len(args[0])), args[0]) if len(args) == 1 else args[:2]
        for at, high in zip(_flat(x), _flat(y)):
            self.vlines([at], 0., high)
        return self.scatter(x, y)

    def _refuse(self, *args, **kwargs):
        raise NotImplementedError('tensh does not draw this kind of plot. Use: bar, hist, plot, scatter or imshow')

    pie = boxplot = violinplot = quiver = streamplot = plot_surface = plot_wireframe = polar = hexbin = _refuse

    def get_figure(self):
        return self.figure

    @property
    def axes(self):
        return self

    def twinx(self):
        return self

    def _spec(self):
        rows, cols, row, col, high, wide = self._place
        for series in self._series:
            if isinstance(series.get('pixels'), tuple):
                pixels, scale = series['pixels']
                series['pixels'] = _flat(pixels if scale == 1. else pixels / scale)
        spec = dict(self._flags, title=self._title, x=self._axis['x'], y=self._axis['y'], rows=rows, cols=cols,
                    row=row, col=col, row_span=high, col_span=wide, series=self._series)
        return spec
