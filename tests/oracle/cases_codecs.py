"""Oracle cases for ops that read and write image files (see cases.py). The files are created here byte by byte, or by
TensorFlow."""
import base64
import struct
import zlib

import numpy as np

# CMYK, 13 by 10 pixels.
CMYK = base64.b64decode(
    '/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAoHB4jHhkoIyEjLSsoMDxkQTw3Nzx7WF1JZJGAmZaPgIyKoLTmw6Cq2q2KjMj/y9ru9f///5vB////+v/m/f/4'
    '/8AAFAgADQAKBEMRAE0RAFkRAEsRAP/EABcAAQEBAQAAAAAAAAAAAAAAAAQFAwH/xAAhEAABAwQCAwEAAAAAAAAAAAABAAIDBAURIRIxFUFhUv/aAA4E'
    'QwBNAFkASwAAPwAELHVE+fqnMa+pkQGRS1Dt5WEdvqJjl5KtNoxxGvSoC3aGkwWs4Gkjww/SPaoWgcvaTQU7GtBVWKBkTMgLSpr5GZDWgKkX76Ts/Fwz'
    'nPQQDcp89r//2Q==')
PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))  # of an interlaced PNG


def encoded(op, image, **attrs):
    """Returns a file that TensorFlow creates."""
    import tensorflow.compat.v1 as tf
    with tf.Graph().as_default(), tf.Session() as s:
        return s.run(getattr(tf.raw_ops, op)(image=image, **attrs))


def pixels(m, channels, dtype=np.uint8, least=1):
    """Returns noise or a gradient of colour. The files of the two kinds differ in every respect."""
    height, width = m.r.randint(least, 19, 2)
    if m.r.rand() < .5:
        return m.r.randint(0, np.iinfo(dtype).max + 1, (height, width, channels)).astype(dtype)
    y, x, c = np.mgrid[:height, :width, :channels]
    return ((y * 7 + x * 5 + c * 40) % 256 * (np.iinfo(dtype).max // 255)).astype(dtype)


def chunk(name, data):
    return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))


def png(m, depth, colour, interlaced=False, filter=None, **more):
    """Returns a PNG of random rows. `more` contains additional chunks."""
    width, height = [int(d) for d in m.r.randint(1, 14, 2)]
    bits = depth * {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    rows = b''
    for x, y, dx, dy in PASSES if interlaced else ((0, 0, 1, 1),):
        columns, lines = -(-(width - x) // dx), -(-(height - y) // dy)
        if columns > 0:
            for _ in range(max(lines, 0)):
                rows += bytes([m.r.randint(5) if filter is None else filter]) + m.r.bytes((columns * bits + 7) // 8)
    head = struct.pack('>IIBBBBB', width, height, depth, colour, 0, 0, interlaced)
    if colour == 3:
        more = {'PLTE': m.r.bytes(3 << depth), **more}
    parts = [(b'IHDR', head), *((name.encode(), data) for name, data in more.items()), (b'IDAT', zlib.compress(rows)), (b'IEND', b'')]
    return b'\x89PNG\r\n\x1a\n' + b''.join(chunk(*part) for part in parts)


def png_file(m):
    kind = m.r.randint(8)
    if kind == 0:
        return encoded('EncodePng', pixels(m, m.r.randint(1, 5)))
    if kind == 1:
        return encoded('EncodePng', pixels(m, m.r.randint(1, 5), np.uint16))
    if kind == 2:
        return png(m, int(m.r.choice([1, 2, 4, 8])), 3, m.r.rand() < .5)
    if kind == 3:
        return png(m, int(m.r.choice([1, 2, 4, 8])), 3, tRNS=m.r.bytes(2))
    if kind == 4:
        return png(m, int(m.r.choice([1, 2, 4, 8, 16])), 0, m.r.rand() < .5)
    if kind == 5:
        return png(m, int(m.r.choice([1, 2, 4, 8, 16])), 0, tRNS=b'\0\1')
    if kind == 6:
        return png(m, int(m.r.choice([8, 16])), int(m.r.choice([2, 4, 6])), True)
    return png(m, 8, 2, **[{'gAMA': struct.pack('>I', 45455)}, {'sRGB': b'\0'}, {'tRNS': b'\0\1\0\2\0\3'}][m.r.randint(3)])


def jpeg_file(m, least=1):
    kind = m.r.randint(6)
    if kind == 0:
        return CMYK
    more = [{'progressive': True}, {'optimize_size': True}, {'chroma_downsampling': False}, {}, {'quality': 30}][kind - 1]
    return encoded('EncodeJpeg', pixels(m, m.r.choice([1, 3]), least=least), **more)


def bmp_file(m, heights=(-5, -1, 1, 4)):
    channels, height = m.r.choice([1, 3, 4]), int(m.r.choice(heights))
    width = m.r.randint(1, 9)
    rows = m.r.bytes((channels * width + 3) // 4 * 4 * abs(height))
    return b'BM' + struct.pack('<IHHIIiiHHIIiiII', 54 + len(rows), 0, 0, 54, 40, width, height, 1, 8 * channels, 0, 0, 0, 0, 0, 0) + rows


def packed(m, pixels, bits):
    """Returns the codes of pixels below 2**bits. Some pairs and longer runs have their own codes."""
    clear, table, width, text, at = 1 << bits, {}, bits + 1, 0, 0

    def put(code):
        nonlocal text, at
        text |= code << at
        at += width

    def put_run():
        """Until it has read this code, the reader knows one code less."""
        nonlocal width
        put(table[run] if len(run) > 1 else run[0])
        if clear + 2 + len(table) == 1 << width and width < 12:
            width += 1
    put(clear)
    run = ()
    for p in pixels:
        if not run or run + (p,) in table:
            run += (p,)
            continue
        put_run()
        table[run + (p,)] = clear + 2 + len(table)
        run = (p,)
        if m.r.rand() < .02:
            put_run()
            put(clear)
            table, width, run = {}, bits + 1, ()
    if run:
        put_run()
    put(clear + 1)
    data = text.to_bytes((at + 7) // 8, 'little')
    return bytes([bits]) + b''.join(bytes([len(data[i:i + 255])]) + data[i:i + 255] for i in range(0, len(data), 255)) + b'\0'


def gif_file(m):
    bits = int(m.r.randint(2, 6))
    flags = 0x80 | bits - 1
    own = m.r.rand() < .5
    out = b'GIF89a' + struct.pack('<HHBBB', 9, 8, 0 if own else flags, 0, 0) + (b'' if own else m.r.bytes(3 << bits))
    for k in range(m.r.randint(1, 4)):
        width, height = [int(d) for d in m.r.randint(1, 10, 2)]
        left, top = [int(d) for d in m.r.randint(0, 3, 2)] if k else (0, 0)
        interlaced = 0x40 * (m.r.rand() < .3)
        if m.r.rand() < .4:
            out += b'!\xf9\x04' + struct.pack('<BHB', m.r.randint(2), 0, m.r.randint(1 << bits)) + b'\0'
        if m.r.rand() < .2:
            out += b'!\xfe\x05hello\0'
        out += b',' + struct.pack('<HHHHB', left, top, width, height, (flags if own else 0) | interlaced)
        out += (m.r.bytes(3 << bits) if own else b'') + packed(m, m.r.randint(0, m.r.choice([2, 1 << bits]), width * height).tolist(), bits)
    return out + b';'


def upright_bmp_file(m):
    """DecodeImage crashes TensorFlow if the first row comes first."""
    return bmp_file(m, heights=(1, 4))


def large_jpeg_file(m):
    return jpeg_file(m, least=10)


FILES = {'png': png_file, 'jpeg': jpeg_file, 'bmp': bmp_file, 'gif': gif_file, 'upright bmp': upright_bmp_file,
         'large jpeg': large_jpeg_file}


def broken(m, file):
    """Files that TensorFlow cannot decode: truncated before the pixels, or not an image."""
    return [b'', b'hello', file[:2], file[:12], file[:20]][m.r.randint(5)]


def file(m, *kinds):
    made = FILES[kinds[m.r.randint(len(kinds))]](m)
    return np.array(broken(m, made) if m.r.rand() < .1 else made, object)


def channels(m):
    return {'channels': int(m.r.choice([0, 0, 1, 3, 4]))}


def decode_png(m):
    for _ in range(60):
        kinds = ['png'] * 6 + ['jpeg', 'gif', 'bmp']
        yield [file(m, *kinds)], {**channels(m), 'dtype': str(m.r.choice(['uint8', 'uint16']))}
    yield [file(m, 'png')], {'channels': 2}
    yield [np.array([b'x'], object)], {}


def jpeg_attrs(m):
    """All attributes except try_recover_truncated, with which TensorFlow fills missing pixels with noise and does not
    stop on a file of three bytes."""
    return {**channels(m), 'ratio': int(m.r.choice([1, 1, 1, 2, 4, 8])), 'fancy_upscaling': bool(m.r.randint(2)),
            'dct_method': str(m.r.choice(['', 'INTEGER_FAST', 'INTEGER_ACCURATE']))}


def decode_jpeg(m):
    for _ in range(60):
        yield [file(m, *['jpeg'] * 6, 'png', 'gif', 'bmp')], jpeg_attrs(m)
    made = jpeg_file(m)
    for keep in (.9, .99):  # the rows that are present are decoded
        yield [np.array(made[:int(len(made) * keep)], object)], {'acceptable_fraction': 0.}
    for bad in ({'ratio': 3}, {'dct_method': 'FLOAT'}, {'channels': 5}):
        yield [file(m, 'jpeg')], bad


def crop_jpeg(m):
    for _ in range(60):
        window = np.array([*m.r.randint(0, 5, 2), *m.r.randint(1, 9, 2)], np.int32)
        yield [file(m, *['large jpeg'] * 12, 'png'), window], {**jpeg_attrs(m), 'ratio': int(m.r.choice([1, 1, 1, 2]))}
    for window in ([-1, 0, 2, 2], [0, 0, 0, 1], [0, 0, 100, 1], [0, 0, 2], [[0, 0, 1, 1]]):
        yield [np.array(CMYK, object), np.array(window, np.int32)], {}


def decode_gif(m):
    for _ in range(60):
        yield [file(m, *['gif'] * 6, 'png', 'jpeg', 'bmp')], {}


def decode_bmp(m):
    for _ in range(60):
        yield [file(m, *['bmp'] * 6, 'png', 'jpeg', 'gif')], channels(m)
    made = bytearray(bmp_file(m))
    for at, value in ((18, 0), (18, -2), (22, 2**31 - 1), (22, -2**31), (10, -1), (10, 10)):
        made[at:at + 4] = struct.pack('<i', value)
        yield [np.array(bytes(made), object)], {}


def decode_image(m):
    for _ in range(80):
        yield [file(m, 'png', 'jpeg', 'upright bmp', 'gif')], {**channels(m), 'dtype': str(m.r.choice(['uint8', 'uint16', 'float'])),
                                  'expand_animations': bool(m.r.randint(2))}


def extract_jpeg_shape(m):
    for _ in range(40):
        yield [file(m, *['jpeg'] * 5, 'png')], {'output_type': str(m.r.choice(['int32', 'int64']))}


def encode_png(m):
    for _ in range(40):
        image = pixels(m, m.r.randint(1, 5), [np.uint8, np.uint16][m.r.randint(2)])
        lead = m.r.choice([0, 0, 0, 1, 2])
        yield [np.broadcast_to(image, [int(d) for d in m.r.randint(0, 3, lead)] + list(image.shape)).copy()], {}
    yield [pixels(m, 5)], {}
    yield [pixels(m, 3)[0]], {}
    yield [pixels(m, 3)], {'compression': 10}


def encode_jpeg(m):
    for _ in range(40):
        depth = int(m.r.choice([1, 3, 3]))
        yield [pixels(m, depth)], {
            'format': str(m.r.choice(['', '', 'rgb', 'grayscale'])), 'quality': int(m.r.choice([0, 1, 50, 95, 100, 101])),
            'progressive': bool(m.r.randint(2)), 'optimize_size': bool(m.r.randint(2)), 'chroma_downsampling': bool(m.r.randint(2)),
            'density_unit': str(m.r.choice(['in', 'cm'])), 'x_density': int(m.r.choice([0, 72, 70000])),
            'xmp_metadata': str(m.r.choice(['', 'words']))}
    for depth in (2, 4):
        yield [pixels(m, depth)], {}


def encode_jpeg_quality(m):
    for _ in range(40):
        yield [pixels(m, int(m.r.choice([1, 3]))), np.array(m.r.choice([-1, 0, 20, 77, 100, 101]), np.int32)], {}
    yield [pixels(m, 3), np.array([50], np.int32)], {}


CODECS = {'DecodePng': decode_png, 'DecodeJpeg': decode_jpeg, 'DecodeAndCropJpeg': crop_jpeg, 'DecodeGif': decode_gif,
          'DecodeBmp': decode_bmp, 'DecodeImage': decode_image, 'ExtractJpegShape': extract_jpeg_shape, 'EncodePng': encode_png,
          'EncodeJpeg': encode_jpeg, 'EncodeJpegVariableQuality': encode_jpeg_quality}
