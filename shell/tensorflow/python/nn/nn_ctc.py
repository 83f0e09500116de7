"""tf.nn: connectionist temporal classification."""


def ctc_loss(labels, inputs=None, sequence_length=None, preprocess_collapse_repeated=False, ctc_merge_repeated=True,
             ignore_longer_outputs_than_inputs=False, time_major=True, logits=None):
    """The negative log-likelihood of label sequences, over all alignments with the steps."""
    if not isinstance(labels, tf.SparseTensor):
        raise TypeError('Expected labels (first argument) to be a SparseTensor')
    if logits is not None and inputs is not None:
        raise ValueError("Cannot specify both 'inputs' and 'logits'")
    inputs = tf.convert_to_tensor(inputs if logits is None else logits, name='logits') \
        if not isinstance(inputs if logits is None else logits, tf.Tensor) else inputs if logits is None else logits
    given = inputs.dtype
    if given in (tf.float16, tf.bfloat16):
        inputs = tf.cast(inputs, tf.float32)
    if not time_major:
        inputs = tf.transpose(inputs, [1, 0, 2])
    loss, _ = tf.raw_ops.CTCLoss(inputs=inputs, labels_indices=labels.indices, labels_values=labels.values,
                                 sequence_length=sequence_length,
                                 preprocess_collapse_repeated=preprocess_collapse_repeated,
                                 ctc_merge_repeated=ctc_merge_repeated,
                                 ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs)
    return tf.cast(loss, given) if given in (tf.float16, tf.bfloat16) else loss


def ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True, blank_index=None):
    """Returns ([labels], scores) of the most likely class in each step."""
    indices, values, shape, scores = tf.raw_ops.CTCGreedyDecoder(
        inputs=inputs, sequence_length=sequence_length, merge_repeated=merge_repeated,
        blank_index=-1 if blank_index is None else blank_index)
    return [tf.SparseTensor(indices, values, shape)], scores


def ctc_beam_search_decoder(inputs, sequence_length, beam_width=100, top_paths=1, merge_repeated=True):
    """Returns ([labels of each path], scores) of the most likely label sequences."""
    outputs = tf.raw_ops.CTCBeamSearchDecoder(inputs=inputs, sequence_length=sequence_length, beam_width=beam_width,
                                              top_paths=top_paths, merge_repeated=merge_repeated)
    return [tf.SparseTensor(*outputs[i:-1:top_paths]) for i in range(top_paths)], outputs[-1]


def ctc_beam_search_decoder_v2(inputs, sequence_length, beam_width=100, top_paths=1):
    """Returns ([labels of each path], scores) of the most likely label sequences, without merging repeated labels."""
    return ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths, False)
