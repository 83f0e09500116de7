#pragma once
// Attribute declarations that many signatures share.

// TENSH_FLOATS lists the real floating-point types; the variant below adds the complex ones.
#define TENSH_FLOATS "T: {bfloat16, half, float, double}"
#define TENSH_FLOATS_COMPLEX "T: {bfloat16, half, float, double, complex64, complex128}"
#define TENSH_SIGNED "T: {bfloat16, half, float, double, int8, int16, int32, int64}"
#define TENSH_SIGNED_COMPLEX \
  "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}"
#define TENSH_REALS \
  "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}"
#define TENSH_NUMBERS                                                                  \
  "T: {float, double, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, " \
  "complex128, half, uint32, uint64}"
// TENSH_NUMBERS in the order in which TensorFlow lists the types of the arithmetic ops.
#define TENSH_ARITHMETIC                                                                   \
  "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, " \
  "int64, complex64, complex128}"
#define TENSH_REDUCE_ATTRS "Tidx: {int32, int64} = int32"
