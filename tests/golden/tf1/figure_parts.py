# Grids of subplots, methods of axes, images in files, color maps and animations.
import matplotlib
matplotlib.use('Agg')
import matplotlib.animation as animation
import matplotlib.gridspec as gridspec
import matplotlib.image as mpimg
import matplotlib.pyplot as plt
import numpy as np
from mpl_toolkits.mplot3d import Axes3D  # noqa: F401

fig = plt.figure(figsize=(4, 4))
gs = gridspec.GridSpec(2, 2)
gs.update(wspace=0.05, hspace=0.05)
for i in range(4):
    ax = plt.subplot(gs[i])
    plt.axis('off')
    ax.set_xticklabels([])
    ax.set_aspect('equal')
    plt.imshow(np.arange(4.).reshape(2, 2), cmap='Greys_r')
print(len(fig.axes), gs.get_geometry())
plt.close(fig)

wide = plt.subplot2grid((3, 3), (0, 0), colspan=3)
tall = plt.subplot2grid((3, 3), (1, 2), rowspan=2)
wide.set_title('loss')
wide.set_xlabel('step')
tall.get_xaxis().set_visible(False)
line, = wide.plot([1, 2, 3], [3., 2., 1.], 'r-', lw=5, label='train')
wide.errorbar([1, 2], [1, 2], yerr=0.1)
wide.fill_between([1, 2, 3], [0, 0, 0], [1, 1, 1], alpha=0.2)
wide.annotate('here', xy=(2, 2), xytext=(2.5, 2.5), arrowprops=dict(arrowstyle='->'))
twin = wide.twinx()
twin.tick_params(axis='y')
wide.lines[0].set_ydata([1., 2., 3.]) if hasattr(wide, 'lines') else None
wide.legend(loc='best')
print(wide.get_title(), wide.get_xlabel(), repr(wide.get_ylabel()), line.get_label(), len(plt.gcf().axes) >= 2)
plt.ion()
plt.draw()
plt.pause(0.001)
plt.ioff()
counts, edges, bars = tall.hist([1., 2., 2., 4.], bins=3)
print(counts, edges)

three = plt.figure()
axes = three.add_subplot(111, projection='3d')
axes.scatter([0, 1], [1, 2], [2, 3], c=['r', 'b'])
x, y = np.meshgrid(np.arange(3.), np.arange(3.))
axes.plot_surface(x, y, x * y, cmap=plt.cm.coolwarm)
axes.set_zlabel('z')
axes.set_zlim(0, 4)
plt.savefig('figure_parts.png')
plt.savefig('figure_parts.jpg')
plt.close('all')

plt.imsave('figure_pixels.png', np.array([[0., 1.], [1., 0.]]), cmap='gray')
print(plt.imread('figure_pixels.png')[:, :, 0], mpimg.imread('figure_pixels.png').dtype)
print(plt.cm.gray(0.5), plt.get_cmap('gray')(np.array([0., 1.])).tolist())
fig, ax = plt.subplots()
made = animation.FuncAnimation(fig, lambda i: line, frames=2, interval=10, blit=False)
plt.show()
print(type(made).__name__ != '')
