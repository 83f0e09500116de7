"""tf.quantization: conversions to few bits, real and simulated, and the types of few bits."""

float8_e5m2, float8_e4m3fn, int4, uint4 = [tf.as_dtype(n) for n in (24, 25, 29, 30)]


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


def _axis(input, axis):
    """Returns the number of a dimension, or -1 for None."""
    if axis is None:
        return -1
    if axis < 0:
        if input.shape.ndims is None:
            raise ValueError('input should have known rank to use negative axis.')
        axis += input.shape.ndims
    return axis


def quantize(input, min_range, max_range, T, mode='MIN_COMBINED', round_mode='HALF_AWAY_FROM_ZERO', name=None,
             narrow_range=False, axis=None, ensure_minimum_range=0.01):
    """Converts floats to quantized integers. Returns (output, output_min, output_max)."""
    return tf.raw_ops.QuantizeV2(input=input, min_range=min_range, max_range=max_range, T=T, mode=mode,
                                 round_mode=round_mode, narrow_range=narrow_range, axis=_axis(input, axis),
                                 ensure_minimum_range=ensure_minimum_range, name=name)


def quantize_v2(input, min_range, max_range, T, mode='MIN_COMBINED', name=None, round_mode='HALF_AWAY_FROM_ZERO',
                narrow_range=False, axis=None, ensure_minimum_range=0.01):
    """Converts floats to quantized integers: tf.quantize with its arguments in an older order."""
    return quantize(input, min_range, max_range, T, mode, round_mode, name, narrow_range, axis, ensure_minimum_range)


def dequantize(input, min_range, max_range, mode='MIN_COMBINED', name=None, axis=None, narrow_range=False,
               dtype=tf.float32):
    """Converts quantized integers to floats."""
    return tf.raw_ops.Dequantize(input=input, min_range=min_range, max_range=max_range, mode=mode, name=name,
                                 axis=_axis(input, axis), narrow_range=narrow_range, dtype=dtype)


def quantize_and_dequantize(input, input_min, input_max, signed_input=True, num_bits=8, range_given=False,
                            round_mode='HALF_TO_EVEN', name=None, narrow_range=False, axis=None):
    """Quantizes floats to integers of few bits, and converts them back."""
    axis = _axis(input, axis)
    return tf.raw_ops.QuantizeAndDequantizeV2(input=input, input_min=input_min, input_max=input_max,
                                              signed_input=signed_input, num_bits=num_bits, range_given=range_given,
                                              round_mode=round_mode, narrow_range=narrow_range, axis=axis, name=name)
