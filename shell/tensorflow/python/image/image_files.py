"""tf.image: decoding and encoding of image files."""


def decode_png(contents, channels=0, dtype=tf.uint8, name=None):
    """Decodes a PNG file."""
    return tf.raw_ops.DecodePng(contents=contents, channels=channels, dtype=dtype, name=name)


def decode_jpeg(contents, channels=0, ratio=1, fancy_upscaling=True, try_recover_truncated=False,
                acceptable_fraction=1, dct_method='', name=None):
    """Decodes a JPEG file."""
    return tf.raw_ops.DecodeJpeg(contents=contents, channels=channels, ratio=ratio, fancy_upscaling=fancy_upscaling,
                                 try_recover_truncated=try_recover_truncated, acceptable_fraction=acceptable_fraction,
                                 dct_method=dct_method, name=name)


def decode_and_crop_jpeg(contents, crop_window, channels=0, ratio=1, fancy_upscaling=True, try_recover_truncated=False,
                         acceptable_fraction=1, dct_method='', name=None):
    """Decodes a part of a JPEG file; crop_window is [y, x, height, width]."""
    return tf.raw_ops.DecodeAndCropJpeg(contents=contents, crop_window=crop_window, channels=channels, ratio=ratio,
                                        fancy_upscaling=fancy_upscaling, try_recover_truncated=try_recover_truncated,
                                        acceptable_fraction=acceptable_fraction, dct_method=dct_method, name=name)


def extract_jpeg_shape(contents, output_type=tf.int32, name=None):
    """Returns [height, width, channels] from the header of a JPEG file."""
    return tf.raw_ops.ExtractJpegShape(contents=contents, output_type=output_type, name=name)


def decode_gif(contents, name=None):
    """Decodes the frames of a GIF file."""
    return tf.raw_ops.DecodeGif(contents=contents, name=name)


def decode_bmp(contents, channels=0, name=None):
    """Decodes a BMP file."""
    return tf.raw_ops.DecodeBmp(contents=contents, channels=channels, name=name)


def decode_image(contents, channels=None, dtype=tf.uint8, name=None, expand_animations=True):
    """Decodes a BMP, GIF, JPEG or PNG file."""
    with tf.name_scope(name, 'decode_image'):
        exact = dtype in (tf.float32, tf.uint8, tf.uint16)
        image = tf.raw_ops.DecodeImage(contents=contents, channels=0 if channels is None else channels,
                                       dtype=dtype if exact else tf.uint16, expand_animations=expand_animations)
        return image if exact else tf.image.convert_image_dtype(image, dtype)


def is_jpeg(contents, name=None):
    """Returns whether a file is in JPEG format."""
    with tf.name_scope(name, 'is_jpeg'):
        return tf.equal(tf.substr(contents, 0, 3), b'\xff\xd8\xff', name=name)


def encode_png(image, compression=-1, name=None):
    """Encodes pixels as a PNG file."""
    return tf.raw_ops.EncodePng(image=image, compression=compression, name=name)


def encode_jpeg(image, format='', quality=95, progressive=False, optimize_size=False, chroma_downsampling=True,
                density_unit='in', x_density=300, y_density=300, xmp_metadata='', name=None):
    """Encodes pixels as a JPEG file."""
    return tf.raw_ops.EncodeJpeg(image=image, format=format, quality=quality, progressive=progressive,
                                 optimize_size=optimize_size, chroma_downsampling=chroma_downsampling,
                                 density_unit=density_unit, x_density=x_density, y_density=y_density,
                                 xmp_metadata=xmp_metadata, name=name)


def adjust_jpeg_quality(image, jpeg_quality, dct_method='', name=None):
    """Encodes and decodes the image as a JPEG file of this quality."""
    with tf.name_scope(name, 'adjust_jpeg_quality', [image]):
        image = tf.convert_to_tensor(image, name='image')
        channels = image.get_shape().as_list()[-1]
        dtype = image.dtype
        pixels = tf.image.convert_image_dtype(image, tf.uint8, saturate=True)
        jpeg_quality = tf.convert_to_tensor(jpeg_quality, dtype=tf.int32)
        file = tf.raw_ops.EncodeJpegVariableQuality(images=pixels, quality=jpeg_quality)
        pixels = tf.raw_ops.DecodeJpeg(contents=file, channels=channels, dct_method=dct_method)
        return tf.image.convert_image_dtype(pixels, dtype, saturate=True)


def random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed=None):
    """Encodes and decodes the image as a JPEG file of a random quality between the two."""
    if min_jpeg_quality < 0 or max_jpeg_quality < 0 or min_jpeg_quality > 100 or max_jpeg_quality > 100:
        raise ValueError('jpeg encoding range must be between 0 and 100.')
    if min_jpeg_quality >= max_jpeg_quality:
        raise ValueError('`min_jpeg_quality` must be less than `max_jpeg_quality`.')
    quality = tf.random_uniform([], min_jpeg_quality, max_jpeg_quality, seed=seed, dtype=tf.int32)
    return adjust_jpeg_quality(image, quality)
