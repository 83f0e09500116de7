/* Registering your own ops and kernels. The rules of tensh.h hold here too; samples/custom_op.cc is
 * a complete program.
 *
 * An op is a signature, a kernel for the CPU, and optionally a shape function. A registered op can
 * be used in every graph of the process, including existing ones, and behaves like the built-in
 * ops. It stays registered until the process ends. A library that registers ops can be loaded at
 * run time by tsh_load_library, and by tf.load_op_library(path) in the shell. */
#ifndef TENSH_TENSH_OP_H_
#define TENSH_TENSH_OP_H_

#include "tensh/tensh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- attributes ---- */

/* The attributes of a node, defaults included. Valid during the call that received them. The
 * accessors return 0 or NULL if there is no attribute of that name and type. */
typedef struct tsh_attrs tsh_attrs;
/* An int, bool or type. */
TSH_EXPORT int tsh_attrs_int(const tsh_attrs*, const char* name, int64_t* value);
TSH_EXPORT int tsh_attrs_float(const tsh_attrs*, const char* name, double* value);
/* A string, which may contain zeros; *length (may be NULL) receives its length. */
TSH_EXPORT const char* tsh_attrs_string(const tsh_attrs*, const char* name, size_t* length);
/* A shape: its rank, or -1 if it is unknown, and its extents (dims has space for TSH_MAX_RANK). */
TSH_EXPORT int tsh_attrs_shape(const tsh_attrs*, const char* name, int64_t* dims, int* rank);
/* Returns a new reference to a tensor. */
TSH_EXPORT tsh_tensor* tsh_attrs_tensor(const tsh_attrs*, const char* name);
/* Returns the length of a list of ints, bools, types, floats or strings; 0 if there is no such
 * list. */
TSH_EXPORT size_t tsh_attrs_list_size(const tsh_attrs*, const char* name);
/* Element i of a list. */
TSH_EXPORT int tsh_attrs_int_at(const tsh_attrs*, const char* name, size_t i, int64_t* value);
TSH_EXPORT int tsh_attrs_float_at(const tsh_attrs*, const char* name, size_t i, double* value);
TSH_EXPORT const char* tsh_attrs_string_at(const tsh_attrs*, const char* name, size_t i,
                                           size_t* length);

/* ---- shape functions ---- */

/* A call of a shape function for a node that is being added. Valid during the call. */
typedef struct tsh_shape_call tsh_shape_call;
TSH_EXPORT size_t tsh_shape_num_inputs(const tsh_shape_call*);
TSH_EXPORT size_t tsh_shape_num_outputs(const tsh_shape_call*);
/* Returns the rank of input i, or -1 if it is unknown or does not exist. dims (may be NULL)
 * receives the extents, -1 for an unknown one. */
TSH_EXPORT int tsh_shape_input(const tsh_shape_call*, size_t i, int64_t* dims);
/* Returns the element type of input i, or 0. */
TSH_EXPORT int tsh_shape_input_dtype(const tsh_shape_call*, size_t i);
/* Returns a new reference to the value of input i if it is known before any step, or NULL. */
TSH_EXPORT tsh_tensor* tsh_shape_constant(tsh_shape_call*, size_t i);
TSH_EXPORT const tsh_attrs* tsh_shape_attrs(const tsh_shape_call*);
/* Sets the shape of output i, which is unknown otherwise. A rank or extent of -1 is unknown. */
TSH_EXPORT int tsh_shape_set(tsh_shape_call*, size_t i, const int64_t* dims, int rank, tsh_status*);

/* ---- kernels ---- */

/* A call of a kernel. It belongs to the thread that runs the kernel, and is valid only during the
 * call. */
typedef struct tsh_kernel_call tsh_kernel_call;
TSH_EXPORT size_t tsh_kernel_num_inputs(const tsh_kernel_call*);
TSH_EXPORT size_t tsh_kernel_num_outputs(const tsh_kernel_call*);
/* Returns input i, borrowed, or NULL if it does not exist. It must not be written. */
TSH_EXPORT tsh_tensor* tsh_kernel_input(const tsh_kernel_call*, size_t i);
/* Returns the element type of output i, or 0. */
TSH_EXPORT int tsh_kernel_output_dtype(const tsh_kernel_call*, size_t i);
/* Allocates output i with this shape and returns it, borrowed, with unspecified elements. Every
 * output must be allocated or set exactly once. Returns NULL if memory is exhausted. */
TSH_EXPORT tsh_tensor* tsh_kernel_output(tsh_kernel_call*, size_t i, const int64_t* dims, int rank,
                                         tsh_status*);
/* Like tsh_kernel_output with the shape of input `from`, but may reuse its memory if nothing else
 * needs it. For kernels that read element k of that input before they write element k. */
TSH_EXPORT tsh_tensor* tsh_kernel_forward(tsh_kernel_call*, size_t from, size_t i, tsh_status*);
/* Makes output i share a tensor of the output's element type. Adds a reference. */
TSH_EXPORT int tsh_kernel_set_output(tsh_kernel_call*, size_t i, tsh_tensor*, tsh_status*);
TSH_EXPORT const tsh_attrs* tsh_kernel_attrs(const tsh_kernel_call*);
/* Returns 1 if the step was cancelled. A kernel that runs for a long time should check this
 * periodically and return early; its result is then ignored. */
TSH_EXPORT int tsh_kernel_cancelled(const tsh_kernel_call*);
/* Calls fn(context, begin, end) for ranges that cover [0, total), on the threads of the step if the
 * work is large enough. ns_per_unit is the estimated time of one unit. Returns when all ranges are
 * done. */
TSH_EXPORT void tsh_kernel_parallel_for(tsh_kernel_call*, int64_t total, double ns_per_unit,
                                        void (*fn)(void* context, int64_t begin, int64_t end),
                                        void* context);

/* ---- registering ---- */

/* The description of an op. The texts are copied.
 *
 * Signatures are written as in TensorFlow's documentation of ops, with commas between the items:
 *   inputs, outputs   "x: T, shape: int32, values: N * T, args: Tlist"
 *   attrs             "T: {float, double}, N: int >= 1, axis: int = 0, transpose: bool = false,
 *                      mode: {'a', 'b'} = 'a', dtype: type, shape: shape, sizes: list(int) = []"
 *
 * The functions are called from any thread, several at a time, and must be reentrant. `data` is
 * passed to them; it must stay valid until the process ends, as must the code. An exception must
 * not leave them. */
typedef struct tsh_op_spec {
  TSH_SIZE_FIELD(tsh_op_spec);
  const char* name; /* in CamelCase: "ZeroOut" */
  const char* inputs;
  const char* outputs;
  const char* attrs;
  const char* doc; /* the first sentence is the summary; NULL: none */
  int stateful;    /* 1: results depend on more than the inputs, so no node is folded or left out */
  /* Infers the shapes of the outputs. Returns 1, or sets the status and returns 0 to refuse the
   * node. NULL: all shapes are unknown. */
  int (*shape)(tsh_shape_call*, void* data, tsh_status*);
  /* Computes the outputs. Returns 1, or sets the status and returns 0 to fail the step. */
  int (*kernel)(tsh_kernel_call*, void* data, tsh_status*);
  void* data;
  int no_gradient; /* 1: tf.gradients treats the results as constants; 0: it refuses the op */
} tsh_op_spec;
#define TSH_OP_SPEC_INIT TSH_SIZE_INIT(tsh_op_spec)
/* Registers an op. AlreadyExists if the name is taken, InvalidArgument if the signature is
 * malformed. */
TSH_EXPORT int tsh_op_register(const tsh_op_spec*, tsh_status*);

/* ---- libraries of ops ---- */

/* A library that is loaded at run time defines this function, which registers its ops and returns
 * 1, or sets the status and returns 0. The library must not be linked with libtensh: it uses the
 * runtime of the program that loads it. */
TSH_EXPORT int tensh_register_ops(tsh_status*);
/* Loads a library and registers its ops; it stays loaded until the process ends. *names (may be
 * NULL) receives the names of its ops, each followed by a newline (tsh_free). Loading a library
 * again registers nothing and returns the same names. */
TSH_EXPORT int tsh_load_library(const char* path, char** names, tsh_status*);

#ifdef __cplusplus
}
#endif
#endif /* TENSH_TENSH_OP_H_ */
