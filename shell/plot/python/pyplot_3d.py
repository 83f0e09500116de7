"""mpl_toolkits.mplot3d: axes in three dimensions, drawn as their projection on the page."""
import _tensh_plot
import numpy as np

_STRIDE = 30  # a surface is drawn as at most this many lines in each direction


class Axes3D(_tensh_plot.Axes):
    def __init__(self, figure, *place, **kwargs):
        numbers = len(place) == 6 and isinstance(place[0], int)
        super(Axes3D, self).__init__(figure, *(place if numbers else ()))
        self.zaxis, self._turn = self.xaxis, (30., -60.)
        if not numbers:
            figure._axes.append(self)
            figure._current = self
        self._flags['hidden'] = True

    def view_init(self, elev=None, azim=None, **kwargs):
        self._turn = (30. if elev is None else elev, -60. if azim is None else azim)

    def _flatten(self, x, y, z):
        x, y, z = [np.asarray(v, dtype=float) for v in (x, y, z)]
        up, around = [np.deg2rad(v) for v in self._turn]
        return y * np.cos(around) - x * np.sin(around), (
            z * np.cos(up) - (x * np.cos(around) + y * np.sin(around)) * np.sin(up))

    def plot(self, xs, ys, *args, **kwargs):
        zs, args = (args[0], args[1:]) if args and not isinstance(args[0], str) else (kwargs.pop('zs', 0.), args)
        return super(Axes3D, self).plot(*(self._flatten(xs, ys, zs) + tuple(args)), **kwargs)

    def scatter(self, xs, ys, zs=0., zdir='z', s=20, c=None, *args, **kwargs):
        return super(Axes3D, self).scatter(*self._flatten(xs, ys, zs), c=c, **kwargs)

    def plot_surface(self, X, Y, Z, **kwargs):
        X, Y, Z = np.broadcast_arrays(*[np.asarray(v, dtype=float) for v in (X, Y, Z)])
        for x, y, z in ((X, Y, Z), (X.T, Y.T, Z.T)):
            for i in range(0, len(x), max(len(x) // _STRIDE, 1)):
                made = self.plot(x[i], y[i], z[i], color=kwargs.get('color', 'gray'), linewidth=1)
        return made[0]

    plot_wireframe = plot_trisurf = contour3D = plot_surface
    plot3D, scatter3D = plot, scatter

    def contour(self, X, Y, Z, *args, **kwargs):
        return self.plot_surface(X, Y, Z)

    contourf = contour

    def text(self, x, y, z, s='', *args, **kwargs):
        x, y = self._flatten(x, y, z)
        return super(Axes3D, self).text(x, y, s)

    def set_zlabel(self, *args, **kwargs):
        pass

    set_zlim = set_zlim3d = set_xlim3d = set_ylim3d = set_zticks = set_zscale = set_zticklabels = set_zlabel
    set_xlim = set_ylim = set_xticks = set_yticks = set_box_aspect = set_zlabel

    def get_zlim(self):
        return 0., 1.
