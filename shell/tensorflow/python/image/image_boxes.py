"""tf.image: boxes on images, and windows of images."""


def draw_bounding_boxes(images, boxes, name=None, colors=None):
    """Draws rectangles on images."""
    if colors is None:
        return tf.raw_ops.DrawBoundingBoxes(images=images, boxes=boxes, name=name)
    return tf.raw_ops.DrawBoundingBoxesV2(images=images, boxes=boxes, colors=colors, name=name)


def sample_distorted_bounding_box(image_size, bounding_boxes, seed=None, seed2=None, min_object_covered=0.1,
                                  aspect_ratio_range=None, area_range=None, max_attempts=None,
                                  use_image_if_no_bounding_boxes=None, name=None):
    """Draws a random part of an image: (begin, size, box)."""
    given = {'seed': seed, 'seed2': seed2, 'aspect_ratio_range': aspect_ratio_range, 'area_range': area_range,
             'max_attempts': max_attempts, 'use_image_if_no_bounding_boxes': use_image_if_no_bounding_boxes}
    with tf.name_scope(name, 'sample_distorted_bounding_box'):
        return tf.raw_ops.SampleDistortedBoundingBoxV2(
            image_size=image_size, bounding_boxes=bounding_boxes, min_object_covered=min_object_covered, name=name,
            **{k: v for k, v in given.items() if v is not None})


def non_max_suppression_overlaps(overlaps, scores, max_output_size, overlap_threshold=0.5,
                                 score_threshold=float('-inf'), name=None):
    """The indices of the best boxes that do not overlap much, for given pairwise overlaps."""
    with tf.name_scope(name, 'non_max_suppression_overlaps'):
        return tf.raw_ops.NonMaxSuppressionWithOverlaps(
            overlaps=overlaps, scores=scores, max_output_size=max_output_size, overlap_threshold=overlap_threshold,
            score_threshold=score_threshold)


def non_max_suppression_with_scores(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float('-inf'),
                                    soft_nms_sigma=0.0, name=None):
    """Returns (indices, scores) of the best boxes. Overlapping boxes get lower scores or are left out."""
    with tf.name_scope(name, 'non_max_suppression_with_scores'):
        iou = tf.convert_to_tensor(iou_threshold, name='iou_threshold')
        least = tf.convert_to_tensor(score_threshold, name='score_threshold')
        sigma = tf.convert_to_tensor(soft_nms_sigma, name='soft_nms_sigma')
        return tf.raw_ops.NonMaxSuppressionV5(boxes=boxes, scores=scores, max_output_size=max_output_size,
                                              iou_threshold=iou, score_threshold=least, soft_nms_sigma=sigma)[:2]


def non_max_suppression_padded(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float('-inf'),
                               pad_to_max_output_size=False, name=None):
    """Returns (indices, number) of the best boxes, optionally padded with zeros."""
    with tf.name_scope(name, 'non_max_suppression_padded'):
        iou = tf.convert_to_tensor(iou_threshold, name='iou_threshold')
        least = tf.convert_to_tensor(score_threshold, name='score_threshold')
        return tuple(tf.raw_ops.NonMaxSuppressionV4(
            boxes=boxes, scores=scores, max_output_size=max_output_size, iou_threshold=iou, score_threshold=least,
            pad_to_max_output_size=pad_to_max_output_size))


def combined_non_max_suppression(boxes, scores, max_output_size_per_class, max_total_size, iou_threshold=0.5,
                                 score_threshold=float('-inf'), pad_per_class=False, clip_boxes=True, name=None):
    """Returns (boxes, scores, classes, number) of the best boxes of all classes. Boxes of the same class do not overlap
    much."""
    with tf.name_scope(name, 'combined_non_max_suppression'):
        iou = tf.convert_to_tensor(iou_threshold, dtype=tf.float32, name='iou_threshold')
        least = tf.convert_to_tensor(score_threshold, dtype=tf.float32, name='score_threshold')
        return tf.raw_ops.CombinedNonMaxSuppression(
            boxes=boxes, scores=scores, max_output_size_per_class=max_output_size_per_class,
            max_total_size=max_total_size, iou_threshold=iou, score_threshold=least, pad_per_class=pad_per_class,
            clip_boxes=clip_boxes)


def extract_glimpse(input, size, offsets, centered=True, normalized=True, uniform_noise=True, name=None):
    """Extracts a window of each image."""
    return tf.raw_ops.ExtractGlimpse(input=input, size=size, offsets=offsets, centered=centered,
                                     normalized=normalized, uniform_noise=uniform_noise, name=name)


def extract_patches(images, sizes, strides, rates, padding, name=None):
    """Extracts windows of images as the channels of a pixel."""
    return tf.raw_ops.ExtractImagePatches(images=images, ksizes=sizes, strides=strides, rates=rates, padding=padding,
                                          name=name)
