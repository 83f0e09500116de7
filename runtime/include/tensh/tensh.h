/* The C API of the tensh runtime: tensors, graphs, sessions and steps.
 *
 * This header is self-contained C99. Beside it are tensh.hpp (the same in C++17), tensh_op.h
 * (registering ops), tensh_trace.h (timelines) and tensh_server.h (serving TensorFlow clients).
 * docs/embedding.md is the guide, samples/embed.c a complete program.
 *
 * Errors. A call never throws and never aborts on a bad argument. A function that returns int
 * returns 1 on success; otherwise it returns 0 and fills the status. A function that returns a
 * pointer returns NULL on failure. The status argument may be NULL. A null handle, an id that is
 * out of range or a struct of the wrong size is InvalidArgument or NotFound; functions without a
 * status return 0, -1, NULL, "" or TSH_NO_NODE instead, as their comments say. Results that are
 * written through a pointer are valid only after success.
 *
 * Ownership. A tsh_*_new function and every function that returns tsh_tensor* or char* transfers
 * one reference to the caller, who releases it with the matching tsh_*_unref, tsh_*_free or
 * tsh_free. These accept NULL. A const char* belongs to the object that it came from and lives as
 * long as it does. Arguments are borrowed for the duration of the call, unless stated otherwise.
 *
 * Threads. Any thread may call any function, unless stated otherwise. A graph has one writer at a
 * time: calls that add nodes take its lock. Sessions run while their graph grows. A handle must
 * not be released while another thread uses it.
 *
 * Text is UTF-8. JSON documents are described in docs/json.md. Times are nanoseconds unless the
 * name says ms. Sizes are bytes.
 *
 * ABI. libtensh.so has a SOVERSION. Among libraries of the same SOVERSION, functions and constants
 * are only added, and structs grow only at their end. A struct that may grow starts with `size`,
 * which the caller sets to its sizeof. In C, TSH_RUN_INIT and similar macros set it; in C++ it is
 * set by default. The library treats the fields that an older caller does not have as zero, and
 * refuses a newer caller only if it sets a field that the library does not know. All elements of
 * an array have the same size. A struct without `size` never changes. */
#ifndef TENSH_TENSH_H_
#define TENSH_TENSH_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. The build reads it from here. */
#define TENSH_VERSION_MAJOR 0
#define TENSH_VERSION_MINOR 1
#define TENSH_VERSION_PATCH 0
#define TENSH_VERSION "0.1.0"

#if defined(__GNUC__)
#define TSH_EXPORT __attribute__((visibility("default")))
#else
#define TSH_EXPORT
#endif

/* Declares the first field of a struct that may grow, and its initializer. */
#ifdef __cplusplus
#define TSH_SIZE_FIELD(type) size_t size = sizeof(struct type)
#define TSH_SIZE_INIT(type) \
  {}
#else
#define TSH_SIZE_FIELD(type) size_t size
#define TSH_SIZE_INIT(type) \
  { .size = sizeof(type) }
#endif

/* Returns the version of the library, "MAJOR.MINOR.PATCH", which may differ from TENSH_VERSION. */
TSH_EXPORT const char* tsh_version(void);
/* Frees a text that a call returned as char*. */
TSH_EXPORT void tsh_free(char* text);

/* ---- status ---- */

/* The outcome of a call. A new status is ok. A call that fails overwrites it; a call that succeeds
 * resets it, so one status serves any number of calls. Not thread-safe: one thread at a time. */
typedef struct tsh_status tsh_status;
/* TensorFlow's codes, which are also gRPC's. */
enum {
  TSH_OK = 0,
  TSH_CANCELLED = 1,
  TSH_UNKNOWN = 2,
  TSH_INVALID_ARGUMENT = 3,
  TSH_DEADLINE_EXCEEDED = 4,
  TSH_NOT_FOUND = 5,
  TSH_ALREADY_EXISTS = 6,
  TSH_PERMISSION_DENIED = 7,
  TSH_RESOURCE_EXHAUSTED = 8,
  TSH_FAILED_PRECONDITION = 9,
  TSH_ABORTED = 10,
  TSH_OUT_OF_RANGE = 11,
  TSH_UNIMPLEMENTED = 12,
  TSH_INTERNAL = 13,
  TSH_UNAVAILABLE = 14,
  TSH_DATA_LOSS = 15,
  TSH_UNAUTHENTICATED = 16
};
/* Returns NULL if memory is exhausted. */
TSH_EXPORT tsh_status* tsh_status_new(void);
TSH_EXPORT void tsh_status_free(tsh_status*);
/* The code, the message, a suggestion of what to do next (or ""), and the name of the node that
 * failed (or ""). For NULL: TSH_OK and "". The texts live until the status is next used. */
TSH_EXPORT int tsh_status_code(const tsh_status*);
TSH_EXPORT const char* tsh_status_message(const tsh_status*);
TSH_EXPORT const char* tsh_status_hint(const tsh_status*);
TSH_EXPORT const char* tsh_status_node(const tsh_status*);
/* The cause of an error, for programs that act on it: its code is shared with other causes, and its
 * message is for people and may change. TSH_REASON_NONE for all other errors, and for NULL. */
enum {
  TSH_REASON_NONE = 0,
  TSH_REASON_UNINITIALIZED = 1, /* a variable has no value yet */
  TSH_REASON_NO_DEVICE = 2,     /* a node's device does not exist or cannot run its op */
  TSH_REASON_NO_KERNEL = 3      /* no device has a kernel of the op for these types */
};
TSH_EXPORT int tsh_status_reason(const tsh_status*);
/* Sets a status, for callbacks that report through one. A code that is not one of the above becomes
 * TSH_UNKNOWN. message and hint are copied and may be NULL. */
TSH_EXPORT void tsh_status_set(tsh_status*, int code, const char* message, const char* hint);
/* Sets the reason of a status that is not ok. A number that is not one of the above becomes
 * TSH_REASON_NONE. */
TSH_EXPORT void tsh_status_set_reason(tsh_status*, int reason);

/* ---- element types ---- */

/* Numbered as TensorFlow's DataType. A reference type is the base type + 100. */
enum {
  TSH_FLOAT = 1,
  TSH_DOUBLE = 2,
  TSH_INT32 = 3,
  TSH_UINT8 = 4,
  TSH_INT16 = 5,
  TSH_INT8 = 6,
  TSH_STRING = 7,
  TSH_COMPLEX64 = 8,
  TSH_INT64 = 9,
  TSH_BOOL = 10,
  TSH_BFLOAT16 = 14,
  TSH_UINT16 = 17,
  TSH_COMPLEX128 = 18,
  TSH_HALF = 19,
  TSH_RESOURCE = 20,
  TSH_VARIANT = 21,
  TSH_UINT32 = 22,
  TSH_UINT64 = 23
};
/* The highest rank of a tensor, as in TensorFlow. */
#define TSH_MAX_RANK 254
/* Returns "float32" or "float32_ref", and "f32" for both; "invalid" and "?" if the type does not
 * exist. The text lives as long as the process. */
TSH_EXPORT const char* tsh_dtype_name(int dtype);
TSH_EXPORT const char* tsh_dtype_short_name(int dtype);
/* Returns the type that either name denotes, or 0. */
TSH_EXPORT int tsh_dtype_parse(const char* text);
/* Returns the bytes of one element; 0 for string, resource and variant, and if the type does not
 * exist. */
TSH_EXPORT size_t tsh_dtype_size(int dtype);

/* ---- tensors ---- */

/* A dense, row-major array. Counted. A tensor that was handed to a graph or a step, or that came
 * from one, is shared and must not be written, unless tsh_tensor_unique says otherwise. */
typedef struct tsh_tensor tsh_tensor;
/* Returns a tensor whose elements are unspecified (strings are empty). dims has `rank` extents, all
 * >= 0, and may be NULL if rank is 0. */
TSH_EXPORT tsh_tensor* tsh_tensor_new(int dtype, const int64_t* dims, int rank, tsh_status*);
/* Adds a reference and returns its argument. */
TSH_EXPORT tsh_tensor* tsh_tensor_ref(tsh_tensor*);
TSH_EXPORT void tsh_tensor_unref(tsh_tensor*);
/* Returns 1 if no other reference to the tensor or its elements exists, so they may be written. */
TSH_EXPORT int tsh_tensor_unique(const tsh_tensor*);
/* The functions below return 0 or NULL for a null tensor. */
TSH_EXPORT int tsh_tensor_dtype(const tsh_tensor*);
TSH_EXPORT int tsh_tensor_rank(const tsh_tensor*);
TSH_EXPORT const int64_t* tsh_tensor_dims(const tsh_tensor*);
TSH_EXPORT int64_t tsh_tensor_elements(const tsh_tensor*);
/* Returns the elements, or NULL for strings, resources and variants. */
TSH_EXPORT void* tsh_tensor_data(tsh_tensor*);
/* Returns element i of a tensor of strings. It may contain zeros; *length (may be NULL) receives
 * its length. It lives until the element is set or the tensor is freed. Returns NULL if there is
 * no such element. */
TSH_EXPORT const char* tsh_tensor_string(const tsh_tensor*, int64_t i, size_t* length);
/* Copies `length` bytes into element i of a tensor of strings. Returns 0 if there is no such
 * element or if memory is exhausted. */
TSH_EXPORT int tsh_tensor_set_string(tsh_tensor*, int64_t i, const char* text, size_t length);
/* Returns a tensor that shares the elements but has another shape of the same size. */
TSH_EXPORT tsh_tensor* tsh_tensor_reshape(tsh_tensor*, const int64_t* dims, int rank, tsh_status*);
/* Returns the head of the tensor's TensorProto message, *head_size bytes (tsh_free). The message
 * continues with the first *content_size bytes of tsh_tensor_data. Resources and variants have no
 * message: Unimplemented. */
TSH_EXPORT char* tsh_tensor_encode(const tsh_tensor*, size_t* head_size, size_t* content_size,
                                   tsh_status*);
/* Parses a TensorProto message. The message is not trusted. */
TSH_EXPORT tsh_tensor* tsh_tensor_decode(const char* message, size_t size, tsh_status*);

/* ---- graphs ---- */

/* An append-only list of nodes, shared by sessions. Counted. Functions that only read return 0,
 * NULL, "" or TSH_NO_NODE if the graph is null or the node does not exist. */
typedef struct tsh_graph tsh_graph;
/* The index of a node in its graph, in the order of creation. */
typedef uint32_t tsh_node;
#define TSH_NO_NODE UINT32_MAX
/* An output of a node: a tensor of the graph. */
typedef struct tsh_output {
  tsh_node node;
  uint32_t index;
} tsh_output;

typedef enum tsh_attr_kind {
  TSH_ATTR_INT,
  TSH_ATTR_FLOAT,
  TSH_ATTR_BOOL,
  TSH_ATTR_TYPE,
  TSH_ATTR_STRING,
  TSH_ATTR_SHAPE,
  TSH_ATTR_TENSOR,
  TSH_ATTR_FUNC /* only in results; the function of a new node is given by TSH_ATTR_STRING */
} tsh_attr_kind;
/* One attribute. The fields that hold the value depend on kind and is_list:
 *   int, bool, type   i                  list: ints[n]
 *   float             f                  list: floats[n]
 *   string            string, length     list: strings[n], lengths[n]
 *   shape             dims, rank         list: the ranks in ints[n], all extents in a row in dims
 *   tensor            tensor             list: not supported
 * A rank of -1 is an unknown shape, an extent of -1 an unknown extent. */
typedef struct tsh_attr {
  TSH_SIZE_FIELD(tsh_attr);
  const char* name;
  tsh_attr_kind kind;
  int is_list;
  size_t n;
  int64_t i;
  double f;
  const char* string;
  size_t length;
  const int64_t* dims;
  int rank;
  tsh_tensor* tensor;
  const int64_t* ints;
  const double* floats;
  const char* const* strings;
  const size_t* lengths;
} tsh_attr;
#define TSH_ATTR_INIT TSH_SIZE_INIT(tsh_attr)

/* One node to add. A list argument of the op takes its tensors in a row. Attributes that follow
 * from the inputs (T, N) or have a default may be left out. An empty name stands for the name of
 * the op; a name that is taken gets a suffix. */
typedef struct tsh_node_spec {
  TSH_SIZE_FIELD(tsh_node_spec);
  const char* op;
  const char* name;   /* NULL or "": the name of the op */
  const char* device; /* NULL or "": no device is requested */
  const tsh_output* inputs;
  size_t n_inputs;
  const tsh_node* controls;
  size_t n_controls;
  const tsh_attr* attrs;
  size_t n_attrs;
  uint32_t source; /* any number; tsh_node_source returns it */
} tsh_node_spec;
#define TSH_NODE_SPEC_INIT TSH_SIZE_INIT(tsh_node_spec)

/* Returns NULL if memory is exhausted. */
TSH_EXPORT tsh_graph* tsh_graph_new(void);
TSH_EXPORT void tsh_graph_ref(tsh_graph*);
TSH_EXPORT void tsh_graph_unref(tsh_graph*);
/* Returns the number of the graph: 0, 1, … in the order of creation within the process. */
TSH_EXPORT uint64_t tsh_graph_id(const tsh_graph*);
/* Appends n nodes, all or none, in O(n). *first receives the index of the first one; the others
 * follow. A node may take inputs from earlier nodes of the same call (tsh_graph_size() + k), and a
 * Merge from a later NextIteration. Sets the status's node to the name of the node that failed. */
TSH_EXPORT int tsh_graph_add(tsh_graph*, const tsh_node_spec* specs, size_t n, tsh_node* first,
                             tsh_status*);
/* Closes a loop: connects input i of a Merge to the output of a later NextIteration. */
TSH_EXPORT int tsh_graph_set_input(tsh_graph*, tsh_node merge, uint32_t i, tsh_output from,
                                   tsh_status*);
/* Returns the number of nodes. */
TSH_EXPORT size_t tsh_graph_size(const tsh_graph*);
/* Returns how often tsh_graph_commit has added nodes. */
TSH_EXPORT uint64_t tsh_graph_version(const tsh_graph*);
/* A transaction: begin, any number of additions, then commit or rollback. A rollback removes every
 * node and name since begin and drops the plans that use them. Transactions do not nest. */
TSH_EXPORT void tsh_graph_begin(tsh_graph*);
TSH_EXPORT void tsh_graph_commit(tsh_graph*);
TSH_EXPORT void tsh_graph_rollback(tsh_graph*);
/* Returns the number of rollbacks that removed something. A program that keeps a node index keeps
 * this number with it; tsh_graph_valid_below then tells whether the index is still the same node.
 */
TSH_EXPORT uint32_t tsh_graph_generation(const tsh_graph*);
/* Returns the index below which nodes have not changed since that generation; UINT32_MAX if nothing
 * has been rolled back since. */
TSH_EXPORT uint32_t tsh_graph_valid_below(const tsh_graph*, uint32_t generation);
/* Refuses all later additions with FailedPrecondition. */
TSH_EXPORT void tsh_graph_finalize(tsh_graph*);
/* Returns the name, with _1, _2, … appended if it is taken (ignoring case), as TensorFlow's
 * Graph.unique_name does. Reserves it if mark_as_used is not 0. tsh_free. */
TSH_EXPORT char* tsh_graph_unique_name(tsh_graph*, const char* name, int mark_as_used);
/* Returns the node with this name, or TSH_NO_NODE. */
TSH_EXPORT tsh_node tsh_graph_find(const tsh_graph*, const char* name);
TSH_EXPORT const char* tsh_node_name(const tsh_graph*, tsh_node);
TSH_EXPORT const char* tsh_node_op(const tsh_graph*, tsh_node);
/* Returns the device that was requested, or "". */
TSH_EXPORT const char* tsh_node_device(const tsh_graph*, tsh_node);
/* Changes the requested device and drops the plans that run the node. */
TSH_EXPORT int tsh_node_set_device(tsh_graph*, tsh_node, const char* device, tsh_status*);
/* Returns the `source` that the node was added with. */
TSH_EXPORT uint32_t tsh_node_source(const tsh_graph*, tsh_node);
TSH_EXPORT size_t tsh_node_num_inputs(const tsh_graph*, tsh_node);
TSH_EXPORT tsh_output tsh_node_input(const tsh_graph*, tsh_node, size_t i);
TSH_EXPORT size_t tsh_node_num_controls(const tsh_graph*, tsh_node);
TSH_EXPORT tsh_node tsh_node_control(const tsh_graph*, tsh_node, size_t i);
TSH_EXPORT size_t tsh_node_num_outputs(const tsh_graph*, tsh_node);
/* Returns all attributes as JSON: {"T": {"type": "float"}, …}. tsh_free. */
TSH_EXPORT char* tsh_node_attrs_json(const tsh_graph*, tsh_node);
/* Reads attribute i of a node, in the order of tsh_node_attrs_json, into *attr, whose size is set.
 * Returns 0 if there is no such attribute. A type also has its name, such as "float", in string. Of
 * a list and of a function, only name, kind and is_list are set; tsh_node_attrs_json has the value.
 * Everything that *attr points to belongs to the node, also the tensor. */
TSH_EXPORT int tsh_node_attr(const tsh_graph*, tsh_node, size_t i, tsh_attr* attr);
/* Returns a new reference to a tensor attribute, such as "value" of a Const, or NULL if the node
 * has no such attribute. */
TSH_EXPORT tsh_tensor* tsh_node_attr_tensor(const tsh_graph*, tsh_node, const char* attr);
/* Returns the element type, or 0 if there is no such output. */
TSH_EXPORT int tsh_output_dtype(const tsh_graph*, tsh_output);
/* Returns the rank of the inferred shape, or -1 if it is unknown. dims has space for TSH_MAX_RANK
 * extents, or is NULL; an unknown extent is -1. */
TSH_EXPORT int tsh_output_shape(const tsh_graph*, tsh_output, int64_t* dims);
/* Narrows the inferred shape, as Tensor.set_shape does. A rank of -1 changes nothing. Fails if the
 * shapes contradict each other. */
TSH_EXPORT int tsh_output_set_shape(tsh_graph*, tsh_output, const int64_t* dims, int rank,
                                    tsh_status*);
/* Returns a new reference to the value of the output if it is known before any step: a constant, or
 * computed from constants, of at most 1024 elements. Otherwise NULL. */
TSH_EXPORT tsh_tensor* tsh_output_constant(const tsh_graph*, tsh_output);

/* A request for the gradient of the sum of ys with respect to each of xs. */
typedef struct tsh_gradients {
  TSH_SIZE_FIELD(tsh_gradients);
  const tsh_output* ys;
  size_t n_ys;
  const tsh_output* xs;
  size_t n_xs;
  const tsh_output* grad_ys; /* n_ys initial gradients; NULL: ones */
  const tsh_output* stops;   /* outputs to be treated as constants */
  size_t n_stops;
  /* The name scope of the new nodes, already unique and without a trailing slash. NULL or "":
   * "gradients", made unique. */
  const char* scope;
  int gate_ops;    /* 1: all gradients of one op wait for each other, like Optimizer.GATE_OP */
  int rows;        /* 1: the gradient of a gather may stay sparse; 0: all are dense */
  uint32_t source; /* of the new nodes */
  int colocate;    /* 1: the gradient of a node shares its device (colocate_gradients_with_ops) */
} tsh_gradients;
#define TSH_GRADIENTS_INIT TSH_SIZE_INIT(tsh_gradients)
/* A gradient. value.node is TSH_NO_NODE if x does not influence any y. If indices.node is
 * TSH_NO_NODE, the gradient is dense. Otherwise value holds rows of it, indices their numbers and
 * dense_shape the shape of the whole, like tf.IndexedSlices. */
typedef struct tsh_gradient {
  tsh_output value, indices, dense_shape;
} tsh_gradient;
/* Adds the nodes that compute the gradients, all or none. dxs receives n_xs gradients. */
TSH_EXPORT int tsh_graph_gradients(tsh_graph*, const tsh_gradients*, tsh_gradient* dxs,
                                   tsh_status*);
/* Returns the nodes [first, end) as a GraphDef message, *size bytes (tsh_free). Nodes that do not
 * exist are left out, so TSH_NO_NODE stands for the end of the graph. name returns the name that a
 * node gets in the message, and its text is copied before the next call; if name is NULL, nodes
 * keep their names. Returns NULL if memory is exhausted. */
TSH_EXPORT char* tsh_graph_export(const tsh_graph*, tsh_node first, tsh_node end,
                                  const char* (*name)(void* context, tsh_node), void* context,
                                  size_t* size);
/* Options for importing a GraphDef. */
typedef struct tsh_import {
  TSH_SIZE_FIELD(tsh_import);
  const char* prefix; /* put in front of the names, with a slash; NULL or "": none */
  int clear_devices;  /* 1: ignore the requested devices */
  int extends;        /* 1: inputs may be nodes that are already in the graph */
  /* Inputs of the message that refer to the tensor map_names[i] ("x:0") are connected to
   * map_outputs[i] instead. */
  const char* const* map_names;
  const tsh_output* map_outputs;
  size_t n_map;
  uint32_t source; /* of the new nodes */
  /* If not NULL, called now and then. If it returns nonzero, the import ends with TSH_CANCELLED. */
  int (*stop)(void* context);
  void* stop_context;
} tsh_import;
#define TSH_IMPORT_INIT TSH_SIZE_INIT(tsh_import)
/* Adds the nodes of a GraphDef message in any order, all or none. The message is not trusted. names
 * (may be NULL) receives the names of the new nodes in the order of the message, each followed by a
 * newline (tsh_free). The options may be NULL. */
TSH_EXPORT int tsh_graph_import(tsh_graph*, const char* graph_def, size_t size, const tsh_import*,
                                char** names, tsh_status*);
/* Returns all live graphs as JSON ("graphs" in docs/json.md). tsh_free. */
TSH_EXPORT char* tsh_graphs_json(void);
/* Returns a graph as JSON ("graph" in docs/json.md). tsh_free. */
TSH_EXPORT char* tsh_graph_json(const tsh_graph*);

/* ---- ops ---- */

/* Returns the ops whose name or documentation contains `pattern`, ignoring case (NULL or "": all),
 * as a JSON list with the fields name, doc, inputs, outputs, attrs, contract, stateful,
 * commutative, aggregate, kernels, examples and gradient. tsh_free. */
TSH_EXPORT char* tsh_ops_json(const char* pattern);
/* One input or output of an op. An attribute is given by its index in tsh_op_info; -1: none. */
typedef struct tsh_op_arg {
  const char* name;
  int dtype;          /* the type if it is fixed, otherwise 0 */
  int type_attr;      /* the attribute that is the type */
  int type_list_attr; /* the attribute that has one type for each tensor of a list */
  int number_attr;    /* the attribute that is the number of tensors in a list */
  int is_ref;         /* 1: a reference to a variable */
} tsh_op_arg;
/* One attribute of an op. */
typedef struct tsh_op_attr {
  const char* name;
  tsh_attr_kind kind; /* TSH_ATTR_STRING also stands for the name of a function */
  int is_list;
  int inferred; /* 1: follows from the inputs */
  int has_default;
  int default_type;   /* the default of a TSH_ATTR_TYPE, or 0 */
  const int* allowed; /* the types that it may be, in the order of the signature */
  size_t n_allowed;   /* 0: all types */
} tsh_op_attr;
/* The signature of an op. */
typedef struct tsh_op_info {
  const char* name; /* the op's own, also if it was found by an alias */
  const tsh_op_arg* inputs;
  size_t n_inputs;
  const tsh_op_arg* outputs;
  size_t n_outputs;
  const tsh_op_attr* attrs;
  size_t n_attrs;
} tsh_op_info;
/* Returns the signature of an op, which lives as long as the process; NULL if there is no such op.
 */
TSH_EXPORT const tsh_op_info* tsh_op_info_of(const char* op);
/* Returns the op's own name if `op` is an alias ("BatchMatMul": "BatchMatMulV2"), otherwise the
 * same name; NULL if there is no such op. */
TSH_EXPORT const char* tsh_op_name(const char* op);
/* Runs one stateless op on tensors on the first CPU, without a graph. outputs has space for
 * max_outputs tensors; *n_outputs receives their number, also if they do not fit. */
TSH_EXPORT int tsh_op_run(const char* op, tsh_tensor* const* inputs, size_t n_inputs,
                          const tsh_attr* attrs, size_t n_attrs, tsh_tensor** outputs,
                          size_t max_outputs, size_t* n_outputs, tsh_status*);

/* ---- sessions ---- */

/* Devices, and the variables and compiled plans of one graph. */
typedef struct tsh_session tsh_session;
/* Opens a session. The target "" (or NULL) is this process, "grpc://host:port" a TensorFlow server.
 * config is a JSON object whose keys are fields of TensorFlow's ConfigProto: {"device_count":
 * {"CPU": 2}, "allow_soft_placement": true, "log_device_placement": false,
 * "intra_op_parallelism_threads": 1, "inter_op_parallelism_threads": 1, "operation_timeout_in_ms":
 * 5000, "device_filters": ["/job:ps"], "gpu_options": {…}}; NULL or "" stands for {}. The session
 * holds a reference to the graph until it is closed. */
TSH_EXPORT tsh_session* tsh_session_new(tsh_graph*, const char* target, const char* config,
                                        tsh_status*);
/* Cancels the steps in flight, waits for their end, and frees the variables and the reference to
 * the graph. Later steps fail with a status. Closing twice does nothing. */
TSH_EXPORT int tsh_session_close(tsh_session*, tsh_status*);
/* Releases a reference. The last one closes the session. Callables and partial runs hold one each.
 */
TSH_EXPORT void tsh_session_unref(tsh_session*);
/* Returns the number of the session: 0, 1, … in the order of creation within the process. */
TSH_EXPORT uint64_t tsh_session_id(const tsh_session*);
/* Returns 1 if the session is closed, or NULL. */
TSH_EXPORT int tsh_session_closed(const tsh_session*);
/* Returns the graph, borrowed, or NULL once the session is closed. */
TSH_EXPORT tsh_graph* tsh_session_graph(const tsh_session*);

/* The signature and the values of a step. */
typedef struct tsh_run {
  TSH_SIZE_FIELD(tsh_run);
  const tsh_output* feeds;
  tsh_tensor* const* values; /* one for each feed; shared, not copied */
  size_t n_feeds;
  const tsh_output* fetches;
  size_t n_fetches;
  const tsh_node* targets; /* nodes to run without fetching anything */
  size_t n_targets;
  int64_t timeout_ms; /* 0: the session's */
} tsh_run;
#define TSH_RUN_INIT TSH_SIZE_INIT(tsh_run)
/* Runs a step and waits for it. fetched[i] receives a new reference. If the step fails, all of
 * fetched is NULL. The first step of a signature compiles its plan, which later steps find in a
 * cache. */
TSH_EXPORT int tsh_session_run(tsh_session*, const tsh_run*, tsh_tensor** fetched, tsh_status*);
/* Runs a step and stores how it ran in *report, as JSON ("explain" in docs/json.md, with the fields
 * of a run). tsh_free. */
TSH_EXPORT int tsh_session_run_traced(tsh_session*, const tsh_run*, tsh_tensor** fetched,
                                      char** report, tsh_status*);
/* Returns the plan of a step as JSON ("explain" in docs/json.md) without running it; values are
 * ignored. Lists at most max_pruned of the nodes that are not needed. tsh_free. */
TSH_EXPORT char* tsh_session_explain(tsh_session*, const tsh_run*, size_t max_pruned, tsh_status*);
/* Cancels the steps in flight, which fail with Cancelled. Must not be called from a signal
 * handler. */
TSH_EXPORT void tsh_session_cancel(tsh_session*);
/* Return the devices and the variables of a session, and all open sessions, as JSON ("devices",
 * "vars" and "sessions" in docs/json.md). tsh_free. Return NULL for a null session. */
TSH_EXPORT char* tsh_session_devices_json(tsh_session*);
TSH_EXPORT char* tsh_session_variables_json(tsh_session*);
TSH_EXPORT char* tsh_sessions_json(void);
/* Returns why this machine has no device of a type, such as "GPU"; "" if it may have one.
 * tsh_free. */
TSH_EXPORT char* tsh_why_no_device(const char* type);

/* A compiled step of a session, which runs without looking up its signature. In-process sessions
 * only. Once the session is closed, it fails. */
typedef struct tsh_callable tsh_callable;
/* Compiles the step; values are ignored. */
TSH_EXPORT tsh_callable* tsh_callable_new(tsh_session*, const tsh_run*, tsh_status*);
/* Runs the step. `values` has one tensor for each feed; `fetched` has space for one tensor for each
 * fetch. */
TSH_EXPORT int tsh_callable_run(tsh_callable*, tsh_tensor* const* values, tsh_tensor** fetched,
                                tsh_status*);
TSH_EXPORT void tsh_callable_unref(tsh_callable*);

/* A step that is fed and fetched in several calls. It holds no thread between the calls. */
typedef struct tsh_partial tsh_partial;
/* Prepares a step with all the feeds, fetches and targets that the calls will use; values are
 * ignored. */
TSH_EXPORT tsh_partial* tsh_partial_new(tsh_session*, const tsh_run*, tsh_status*);
/* Feeds values, runs as far as possible, and fetches; targets are ignored. Each feed and each fetch
 * is used once. A refused call changes nothing; if a kernel fails, the partial run ends. */
TSH_EXPORT int tsh_partial_run(tsh_partial*, const tsh_run*, tsh_tensor** fetched, tsh_status*);
/* Returns 1 if everything was fed and fetched, or if the partial run failed. */
TSH_EXPORT int tsh_partial_done(const tsh_partial*);
/* Abandons the step if it has not ended. */
TSH_EXPORT void tsh_partial_unref(tsh_partial*);

/* ---- files ---- */

/* Limits ops to the files below `directory`: they may read them, and write them if may_write is not
 * 0. Later calls add directories. Intended for programs that run untrusted graphs. Must be called
 * before the first step. */
TSH_EXPORT void tsh_files_limit(const char* directory, int may_write);
/* Appends a record in TensorFlow's framing (length, checksums), as in event and TFRecord files. */
TSH_EXPORT int tsh_record_append(const char* path, const char* data, size_t size, tsh_status*);
/* A TensorFlow checkpoint (PREFIX.index, PREFIX.data-…) that is read without a graph. */
typedef struct tsh_checkpoint tsh_checkpoint;
TSH_EXPORT tsh_checkpoint* tsh_checkpoint_open(const char* prefix, tsh_status*);
TSH_EXPORT void tsh_checkpoint_free(tsh_checkpoint*);
/* Returns the number of tensors. */
TSH_EXPORT size_t tsh_checkpoint_size(const tsh_checkpoint*);
/* Returns the name of tensor i, in the order of names, and stores its type and shape; dims has
 * space for TSH_MAX_RANK extents, and any of the pointers may be NULL. Returns NULL if there is no
 * such tensor. */
TSH_EXPORT const char* tsh_checkpoint_entry(const tsh_checkpoint*, size_t i, int* dtype, int* rank,
                                            int64_t* dims);
/* Reads a tensor. Fails with NotFound if no tensor has this name. */
TSH_EXPORT tsh_tensor* tsh_checkpoint_tensor(const tsh_checkpoint*, const char* name, tsh_status*);

#ifdef __cplusplus
}
#endif
#endif /* TENSH_TENSH_H_ */
