"""tf.extract_image_patches, which is also in tf.image."""


def extract_image_patches(images, ksizes=None, strides=None, rates=None, padding=None, name=None, sizes=None):
    """Extracts windows of images as the channels of a pixel."""
    if ksizes is not None and sizes is not None:
        raise ValueError("Cannot specify both 'sizes' and 'ksizes'.")
    return tf.raw_ops.ExtractImagePatches(images=images, ksizes=sizes if ksizes is None else ksizes, strides=strides,
                                          rates=rates, padding=padding, name=name)
