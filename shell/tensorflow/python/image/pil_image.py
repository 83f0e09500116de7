"""PIL.Image: images as arrays, read and written by the image ops of tf."""
import os

import numpy as np

NEAREST, LANCZOS, BILINEAR, BICUBIC, BOX, HAMMING = 0, 1, 2, 3, 4, 5
ANTIALIAS = LANCZOS
FLIP_LEFT_RIGHT, FLIP_TOP_BOTTOM, ROTATE_90, ROTATE_180, ROTATE_270 = 0, 1, 2, 3, 4
_CHANNELS = {'L': 1, 'RGB': 3, 'RGBA': 4, 'LA': 2}
_SUPPORT = {BOX: 0.5, BILINEAR: 1., HAMMING: 1., BICUBIC: 2., LANCZOS: 3.}


class UnidentifiedImageError(OSError):
    pass


def _run(make):
    with tf.Graph()._hide().as_default() as graph:
        result = make()
        return tf.Session(graph=graph).run(result)


def _weight(kind, x):
    x = np.abs(x)
    if kind == BOX:
        return np.where(x <= .5, 1., 0.)
    if kind == BILINEAR:
        return np.maximum(1. - x, 0.)
    if kind == HAMMING:
        t = np.pi * np.where(x == 0, 1., x)
        return np.where(x == 0, 1., np.where(x < 1, np.sin(t) / t * (0.54 + 0.46 * np.cos(t)), 0.))
    if kind == BICUBIC:
        return np.where(x < 1, (1.5 * x - 2.5) * x * x + 1, np.where(x < 2, ((-.5 * x + 2.5) * x - 4) * x + 2, 0.))
    t = np.pi * np.where(x == 0, 1., x)
    return np.where(x == 0, 1., np.where(x < 3, 3 * np.sin(t) * np.sin(t / 3) / (t * t), 0.))


def _matrix(size, new, kind):
    """The weights [new, size] of a resampling, which widen when an image shrinks."""
    scale = size / float(new)
    wide = max(scale, 1.)
    center = (np.arange(new) + .5) * scale
    at = np.arange(size) + .5
    weights = _weight(kind, (at[None, :] - center[:, None]) / wide)
    return weights / np.sum(weights, axis=1, keepdims=True)


class Image(object):
    def __init__(self, data, mode=None, format=None):
        self._data, self.format, self.info = data, format, {}
        channels = 1 if data.ndim == 2 else data.shape[2]
        self.mode = mode or {1: 'L', 2: 'LA', 3: 'RGB', 4: 'RGBA'}[channels]

    size = property(lambda self: (self._data.shape[1], self._data.shape[0]))
    width = property(lambda self: self._data.shape[1])
    height = property(lambda self: self._data.shape[0])

    def __array__(self, dtype=None):
        data = self._data if self.mode != '1' else self._data > 127
        return data if dtype is None else data.astype(dtype)

    def __repr__(self):
        return '<PIL.Image.Image image mode=%s size=%dx%d>' % ((self.mode,) + self.size)

    def _like(self, data):
        return Image(data, self.mode)

    def load(self):
        return self

    def close(self):
        pass

    def copy(self):
        return self._like(self._data.copy())

    def getbands(self):
        return tuple(self.mode)

    def getdata(self):
        pixels = self._data.reshape((-1,) + self._data.shape[2:]).tolist()
        return pixels if self._data.ndim == 2 else [tuple(p) for p in pixels]

    def getpixel(self, xy):
        found = self._data[xy[1], xy[0]].tolist()
        return tuple(found) if isinstance(found, list) else found

    def putpixel(self, xy, value):
        self._data[xy[1], xy[0]] = value

    def tobytes(self):
        return self._data.tobytes()

    def convert(self, mode='RGB', **kwargs):
        data = self._data
        if mode == self.mode:
            return self.copy()
        if mode in ('L', 'F', 'I', '1'):
            if data.ndim == 3 and data.shape[2] >= 3:
                rgb = data[:, :, :3].astype(np.int64)
                data = ((rgb[:, :, 0] * 19595 + rgb[:, :, 1] * 38470 + rgb[:, :, 2] * 7471 + 0x8000) >> 16).astype(np.uint8)
            elif data.ndim == 3:
                data = data[:, :, 0]
            if mode == '1':
                data = np.where(data > 127, 255, 0).astype(np.uint8)
            return Image(data.astype({'F': np.float32, 'I': np.int32}.get(mode, np.uint8)), mode)
        if mode not in ('RGB', 'RGBA'):
            raise ValueError('conversion from %s to %s not supported' % (self.mode, mode))
        if data.ndim == 2:
            data = np.stack([data] * 3, axis=2)
        elif data.shape[2] == 2:
            data = np.concatenate([data[:, :, :1]] * 3 + [data[:, :, 1:]], axis=2)
        if mode == 'RGBA' and data.shape[2] == 3:
            data = np.concatenate([data, np.full(data.shape[:2] + (1,), 255, np.uint8)], axis=2)
        return Image(data[:, :, :_CHANNELS[mode]].astype(np.uint8), mode)

    def resize(self, size, resample=BICUBIC, box=None, **kwargs):
        image = self if box is None else self.crop(box)
        new, data = (int(size[0]), int(size[1])), image._data
        if new == image.size:
            return image.copy()
        if resample == NEAREST or self.mode == '1':
            rows = np.floor((np.arange(new[1]) + .5) * data.shape[0] / new[1]).astype(np.int64)
            cols = np.floor((np.arange(new[0]) + .5) * data.shape[1] / new[0]).astype(np.int64)
            return self._like(data[rows][:, cols])
        flat = data.reshape(data.shape[:2] + (-1,)).astype(np.float64)
        whole = data.dtype == np.uint8

        def rounded(values):
            return np.clip(np.floor(values + .5), 0, 255) if whole else values
        if new[0] != data.shape[1]:
            flat = rounded(np.transpose(np.tensordot(_matrix(data.shape[1], new[0], resample), flat, [[1], [1]]), [1, 0, 2]))
        if new[1] != data.shape[0]:
            flat = rounded(np.tensordot(_matrix(data.shape[0], new[1], resample), flat, [[1], [0]]))
        return self._like(flat.reshape((new[1], new[0]) + data.shape[2:]).astype(data.dtype))

    def thumbnail(self, size, resample=BICUBIC, **kwargs):
        scale = min(size[0] / float(self.width), size[1] / float(self.height), 1.)
        self._data = self.resize((max(int(round(self.width * scale)), 1), max(int(round(self.height * scale)), 1)),
                                 resample)._data

    def crop(self, box=None):
        left, top, right, bottom = [int(round(v)) for v in box or (0, 0) + self.size]
        out = np.zeros((max(bottom - top, 0), max(right - left, 0)) + self._data.shape[2:], self._data.dtype)
        y0, y1, x0, x1 = max(top, 0), min(bottom, self.height), max(left, 0), min(right, self.width)
        if y1 > y0 and x1 > x0:
            out[y0 - top:y1 - top, x0 - left:x1 - left] = self._data[y0:y1, x0:x1]
        return self._like(out)

    def paste(self, im, box=None, mask=None):
        x, y = (box or (0, 0))[:2]
        if isinstance(im, Image):
            self._data[y:y + im.height, x:x + im.width] = im.convert(self.mode)._data[:self.height - y, :self.width - x]
        else:
            right, bottom = (box[2], box[3]) if box is not None and len(box) == 4 else self.size
            self._data[y:bottom, x:right] = im

    def transpose(self, method):
        turns = {ROTATE_90: 1, ROTATE_180: 2, ROTATE_270: 3}
        if method in turns:
            return self._like(np.rot90(self._data, turns[method]).copy())
        return self._like((self._data[:, ::-1] if method == FLIP_LEFT_RIGHT else self._data[::-1]).copy())

    def rotate(self, angle, resample=NEAREST, expand=False, **kwargs):
        if angle % 90 or not (expand or angle % 180 == 0 or self.width == self.height):
            raise NotImplementedError('PIL.Image.rotate: tensh turns images by multiples of 90 degrees')
        return self._like(np.rot90(self._data, int(angle) // 90 % 4).copy())

    def point(self, lut, mode=None):
        table = np.array([lut(i) for i in range(256)] if callable(lut) else list(lut)).clip(0, 255).astype(np.uint8)
        return self._like(table[self._data])

    def split(self):
        return (self.copy(),) if self._data.ndim == 2 else tuple(
            [Image(self._data[:, :, i].copy(), 'L') for i in range(self._data.shape[2])])

    def show(self, title=None, command=None):
        import matplotlib.pyplot as plt
        plt.imshow(self._data, cmap='gray')
        plt.show()

    def save(self, fp, format=None, quality=75, **params):
        name = fp if isinstance(fp, str) else getattr(fp, 'name', '')
        kind = (format or os.path.splitext(name)[1][1:]).lower()
        data = self._data if self._data.ndim == 3 else self._data[:, :, None]
        if kind in ('jpg', 'jpeg'):
            if self.mode not in ('L', 'RGB'):
                raise OSError('cannot write mode %s as JPEG' % self.mode)
            body = _run(lambda: tf.image.encode_jpeg(tf.constant(data), quality=quality))
        elif kind == 'png':
            body = _run(lambda: tf.image.encode_png(tf.constant(data)))
        else:
            raise ValueError('unknown file extension: .%s' % kind if kind else 'unknown file extension: ')
        if isinstance(fp, str):
            with open_file(fp, 'wb') as f:
                f.write(body)
        else:
            fp.write(body)

    def __enter__(self):
        return self

    def __exit__(self, *args):
        pass


open_file = open


def open(fp, mode='r'):
    if isinstance(fp, (str, bytes)):
        with open_file(fp, 'rb') as f:
            data = f.read()
    else:
        data = fp.read()
    kind = 'PNG' if data[:4] == b'\x89PNG' else 'JPEG' if data[:2] == b'\xff\xd8' else \
        'GIF' if data[:3] == b'GIF' else 'BMP' if data[:2] == b'BM' else None
    if kind is None:
        raise UnidentifiedImageError('cannot identify image file %r' % fp)
    decode = {'PNG': tf.image.decode_png, 'JPEG': tf.image.decode_jpeg, 'BMP': tf.image.decode_bmp,
              'GIF': tf.image.decode_gif}[kind]
    pixels = _run(lambda: decode(tf.constant(data), dct_method='INTEGER_ACCURATE') if kind == 'JPEG'
                  else decode(tf.constant(data)))
    pixels = pixels[0] if pixels.ndim == 4 else pixels
    return Image(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels, format=kind)


def fromarray(obj, mode=None):
    data = np.array(obj)
    if data.ndim == 3 and data.shape[2] == 1 or data.ndim not in (2, 3):
        raise TypeError('Cannot handle this data type: %s, %s' % ((1, 1) + data.shape[2:], data.dtype))
    if data.dtype == np.bool_:
        return Image(np.where(data, 255, 0).astype(np.uint8), '1')
    if data.ndim == 2 and data.dtype != np.uint8:
        floats = data.dtype in (np.float32, np.float64)
        made = Image(data.astype(np.float32 if floats else np.int32), 'F' if floats else 'I')
        return made if mode in (None, 'F', 'I') else Image(data.astype(np.uint8), mode)
    if data.dtype != np.uint8:
        raise TypeError('Cannot handle this data type: %s, %s' % ((1, 1) + data.shape[2:], data.dtype))
    return Image(data, mode)


def new(mode, size, color=0):
    channels = _CHANNELS[mode]
    data = np.zeros((size[1], size[0]) + ((channels,) if channels > 1 else ()), np.uint8)
    data[...] = (0, 0, 0) if color in (0, 'black') and channels == 3 else 255 if color == 'white' else color
    return Image(data, mode)


def blend(im1, im2, alpha):
    mixed = im1._data.astype(np.float32) * (1 - alpha) + im2._data.astype(np.float32) * alpha
    return im1._like(np.clip(mixed, 0, 255).astype(np.uint8))


def merge(mode, bands):
    return Image(np.stack([band._data for band in bands], axis=2), mode)
