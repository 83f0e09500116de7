"""tf.quantization: simulated quantization to few bits."""


def fake_quant_with_min_max_args(inputs, min=-6, max=6, num_bits=8, narrow_range=False, name=None):
    """Rounds floats to the quantization steps between min and max."""
    return tf.raw_ops.FakeQuantWithMinMaxArgs(inputs=inputs, min=min, max=max, num_bits=num_bits,
                                              narrow_range=narrow_range, name=name)


def fake_quant_with_min_max_args_gradient(gradients, inputs, min=-6, max=6, num_bits=8, narrow_range=False, name=None):
    """The gradient of fake_quant_with_min_max_args."""
    return tf.raw_ops.FakeQuantWithMinMaxArgsGradient(gradients=gradients, inputs=inputs, min=min, max=max,
                                                      num_bits=num_bits, narrow_range=narrow_range, name=name)


def fake_quant_with_min_max_vars(inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """Rounds floats to the quantization steps between min and max."""
    return tf.raw_ops.FakeQuantWithMinMaxVars(inputs=inputs, min=min, max=max, num_bits=num_bits,
                                              narrow_range=narrow_range, name=name)


def fake_quant_with_min_max_vars_gradient(gradients, inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """The gradient of fake_quant_with_min_max_vars."""
    return tf.raw_ops.FakeQuantWithMinMaxVarsGradient(gradients=gradients, inputs=inputs, min=min, max=max,
                                                      num_bits=num_bits, narrow_range=narrow_range, name=name)


def fake_quant_with_min_max_vars_per_channel(inputs, min, max, num_bits=8, narrow_range=False, name=None):
    """Rounds floats to the quantization steps between the min and max of each channel."""
    return tf.raw_ops.FakeQuantWithMinMaxVarsPerChannel(inputs=inputs, min=min, max=max, num_bits=num_bits,
                                                        narrow_range=narrow_range, name=name)


def fake_quant_with_min_max_vars_per_channel_gradient(gradients, inputs, min, max, num_bits=8, narrow_range=False,
                                                      name=None):
    """The gradient of fake_quant_with_min_max_vars_per_channel."""
    return tf.raw_ops.FakeQuantWithMinMaxVarsPerChannelGradient(
        gradients=gradients, inputs=inputs, min=min, max=max, num_bits=num_bits, narrow_range=narrow_range, name=name)


def quantize_and_dequantize(input, input_min, input_max, signed_input=True, num_bits=8, range_given=False,
                            round_mode='HALF_TO_EVEN', name=None, narrow_range=False, axis=None):
    """Quantizes floats to integers of few bits, and converts them back."""
    if axis is None:
        axis = -1
    elif axis < 0:
        if input.shape.ndims is None:
            raise ValueError('input should have known rank to use negative axis.')
        axis += input.shape.ndims
    return tf.raw_ops.QuantizeAndDequantizeV2(input=input, input_min=input_min, input_max=input_max,
                                              signed_input=signed_input, num_bits=num_bits, range_given=range_given,
                                              round_mode=round_mode, narrow_range=narrow_range, axis=axis, name=name)
