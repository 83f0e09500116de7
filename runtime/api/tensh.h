/* tensh: the C API of the runtime. Self-contained C. Everything the shell can do goes through here.
 *
 * Ownership: a function named *_new or returning a tsh_tensor* / char* gives the caller one
 * reference; release it with the matching *_unref, tsh_tensor_unref or tsh_free. const char*
 * results live as long as the object they came from. Threads: every call on a graph or session may
 * be made from any thread; a graph has one writer at a time (calls that add nodes lock), any number
 * of sessions may run meanwhile. No call throws or aborts on bad input: it returns 0 (or NULL) and
 * fills the status. Functions returning int return 1 on success. A NULL status argument is allowed
 * where the caller does not care why. */
#ifndef TENSH_RUNTIME_API_TENSH_H_
#define TENSH_RUNTIME_API_TENSH_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TSH_EXPORT __attribute__((visibility("default")))
#else
#define TSH_EXPORT
#endif

TSH_EXPORT const char* tsh_version(void);
TSH_EXPORT void tsh_free(char* text);

/* ---- status: codes are TensorFlow's 0-16 ---- */
typedef struct tsh_status tsh_status;
TSH_EXPORT tsh_status* tsh_status_new(void);
TSH_EXPORT void tsh_status_free(tsh_status*);
TSH_EXPORT int tsh_status_code(const tsh_status*);
TSH_EXPORT const char* tsh_status_message(const tsh_status*);
TSH_EXPORT const char* tsh_status_hint(const tsh_status*); /* what to type next, or "" */
TSH_EXPORT const char* tsh_status_node(const tsh_status*); /* the node it is about, or "" */

/* ---- element types: numbered as TensorFlow's DataType; a reference type is the base + 100 ---- */
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
#define TSH_MAX_RANK 8
TSH_EXPORT const char* tsh_dtype_name(int dtype);       /* "float32", "float32_ref" */
TSH_EXPORT const char* tsh_dtype_short_name(int dtype); /* "f32" */
TSH_EXPORT int tsh_dtype_parse(const char* text);       /* 0: no such type */
TSH_EXPORT size_t
tsh_dtype_size(int dtype); /* bytes of an element; 0 for string, resource, variant */

/* ---- tensors: dense, row-major, immutable once handed to a session ---- */
typedef struct tsh_tensor tsh_tensor;
/* Uninitialised elements (strings empty). rank <= TSH_MAX_RANK, dims >= 0. NULL when there is no
 * memory. */
TSH_EXPORT tsh_tensor* tsh_tensor_new(int dtype, const int64_t* dims, int rank, tsh_status*);
TSH_EXPORT tsh_tensor* tsh_tensor_ref(tsh_tensor*); /* +1; returns its argument */
TSH_EXPORT void tsh_tensor_unref(tsh_tensor*);
TSH_EXPORT int tsh_tensor_unique(
    const tsh_tensor*); /* nobody else holds it or its data: it may be written */
TSH_EXPORT int tsh_tensor_dtype(const tsh_tensor*);
TSH_EXPORT int tsh_tensor_rank(const tsh_tensor*);
TSH_EXPORT const int64_t* tsh_tensor_dims(const tsh_tensor*);
TSH_EXPORT int64_t tsh_tensor_elements(const tsh_tensor*);
TSH_EXPORT void* tsh_tensor_data(tsh_tensor*); /* not for strings */
TSH_EXPORT const char* tsh_tensor_string(const tsh_tensor*, int64_t i, size_t* length);
TSH_EXPORT void tsh_tensor_set_string(tsh_tensor*, int64_t i, const char* text, size_t length);
/* The same elements under another shape of equal size (shares the data). */
TSH_EXPORT tsh_tensor* tsh_tensor_reshape(tsh_tensor*, const int64_t* dims, int rank, tsh_status*);
/* The tensor as a TensorProto message of TensorFlow: the returned *head_size bytes (tsh_free), then
 * the first *content_size bytes of tsh_tensor_data. NULL when it fails: a resource has no message.
 */
TSH_EXPORT char* tsh_tensor_encode(const tsh_tensor*, size_t* head_size, size_t* content_size,
                                   tsh_status*);
/* NULL when it fails; nothing in the message is trusted. */
TSH_EXPORT tsh_tensor* tsh_tensor_decode(const char* message, size_t size, tsh_status*);

/* ---- graphs: append-only, shared by sessions, reference-counted ---- */
typedef struct tsh_graph tsh_graph;
typedef uint32_t tsh_node; /* index in the graph, in the order of creation */
#define TSH_NO_NODE UINT32_MAX
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
  TSH_ATTR_TENSOR
} tsh_attr_kind;
/* One attribute. A single value uses i (int, bool, type), f, string+length, dims+rank (shape; rank
 * -1: unknown) or tensor. A list has is_list = 1 and n entries in ints (int, bool, type), floats,
 * or strings+lengths; a list of shapes has its ranks in ints and all dims in a row in dims. */
typedef struct tsh_attr {
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

/* One node to add. Inputs are flat (a list argument's tensors in a row). Attributes that follow
 * from the inputs (T, N) or have defaults may be left out. An empty name: the op's, made unique.
 * device "" : none asked for. `source` is the caller's own tag (a line, a cell), returned by
 * tsh_graph_node_source. */
typedef struct tsh_node_spec {
  const char* op;
  const char* name;
  const char* device;
  const tsh_output* inputs;
  size_t n_inputs;
  const tsh_node* controls;
  size_t n_controls;
  const tsh_attr* attrs;
  size_t n_attrs;
  uint32_t source;
} tsh_node_spec;

TSH_EXPORT tsh_graph* tsh_graph_new(void);
TSH_EXPORT void tsh_graph_ref(tsh_graph*);
TSH_EXPORT void tsh_graph_unref(tsh_graph*);
TSH_EXPORT uint64_t tsh_graph_id(const tsh_graph*); /* g0, g1, … in the order of creation */
/* Appends n nodes, all or none; O(n). *first receives the index of the first; the others follow. A
 * node may take inputs from earlier nodes of the same call (index tsh_graph_size() + k). */
TSH_EXPORT int tsh_graph_add(tsh_graph*, const tsh_node_spec* specs, size_t n, tsh_node* first,
                             tsh_status*);
/* Closes a loop: input i of a Merge becomes an output of a later NextIteration. In tsh_graph_add
 * too a Merge may name a NextIteration that comes behind it. */
TSH_EXPORT int tsh_graph_set_input(tsh_graph*, tsh_node merge, uint32_t i, tsh_output from,
                                   tsh_status*);
TSH_EXPORT size_t tsh_graph_size(const tsh_graph*); /* nodes */
TSH_EXPORT uint64_t
tsh_graph_version(const tsh_graph*); /* grows by one with each tsh_graph_commit */
/* A command: tsh_graph_begin, any number of adds, then commit (the version grows if nodes came) or
 * rollback (every node and name since begin is gone; plans that used them are dropped). Not nested.
 */
TSH_EXPORT void tsh_graph_begin(tsh_graph*);
TSH_EXPORT void tsh_graph_commit(tsh_graph*);
TSH_EXPORT void tsh_graph_rollback(tsh_graph*);
/* Rollbacks that removed something so far: with a node index, lets a holder of old indices know
 * they are stale. */
TSH_EXPORT uint32_t tsh_graph_generation(const tsh_graph*);
/* Size of the graph after the last rollback later than `generation`; UINT32_MAX when there was
 * none. */
TSH_EXPORT uint32_t tsh_graph_valid_below(const tsh_graph*, uint32_t generation);
TSH_EXPORT void tsh_graph_finalize(
    tsh_graph*); /* later adds fail: "Graph is finalized and cannot be modified." */
/* TensorFlow's Graph.unique_name: case-insensitive, _1, _2 …; mark_as_used 0 only asks. Free with
 * tsh_free. */
TSH_EXPORT char* tsh_graph_unique_name(tsh_graph*, const char* name, int mark_as_used);
TSH_EXPORT tsh_node tsh_graph_find(const tsh_graph*, const char* name); /* TSH_NO_NODE: none */
TSH_EXPORT const char* tsh_node_name(const tsh_graph*, tsh_node);
TSH_EXPORT const char* tsh_node_op(const tsh_graph*, tsh_node);
TSH_EXPORT const char* tsh_node_device(const tsh_graph*, tsh_node); /* as asked for; "" : none */
TSH_EXPORT int tsh_node_set_device(tsh_graph*, tsh_node, const char* device,
                                   tsh_status*); /* for `place`: drops plans */
TSH_EXPORT uint32_t tsh_node_source(const tsh_graph*, tsh_node);
TSH_EXPORT size_t tsh_node_num_inputs(const tsh_graph*, tsh_node);
TSH_EXPORT tsh_output tsh_node_input(const tsh_graph*, tsh_node, size_t i);
TSH_EXPORT size_t tsh_node_num_controls(const tsh_graph*, tsh_node);
TSH_EXPORT tsh_node tsh_node_control(const tsh_graph*, tsh_node, size_t i);
TSH_EXPORT size_t tsh_node_num_outputs(const tsh_graph*, tsh_node);
TSH_EXPORT char* tsh_node_attrs_json(const tsh_graph*,
                                     tsh_node); /* {"T": {"type": "float"}, …}; tsh_free */
/* A tensor attribute ("value" of a Const); NULL: none. */
TSH_EXPORT tsh_tensor* tsh_node_attr_tensor(const tsh_graph*, tsh_node, const char* attr);
TSH_EXPORT int tsh_output_dtype(const tsh_graph*, tsh_output);
/* Inferred shape: the rank (-1: unknown), and up to TSH_MAX_RANK extents (-1: unknown) into dims.
 */
TSH_EXPORT int tsh_output_shape(const tsh_graph*, tsh_output, int64_t* dims);
/* Narrows what is known of a shape (Tensor.set_shape); fails when it contradicts. */
TSH_EXPORT int tsh_output_set_shape(tsh_graph*, tsh_output, const int64_t* dims, int rank,
                                    tsh_status*);
/* The value when it is known before any run (constants and what folds from them, <= 1024 elements);
 * or NULL. */
TSH_EXPORT tsh_tensor* tsh_output_constant(const tsh_graph*, tsh_output);
/* tf.gradients: adds the nodes of d(sum ys)/d(xs) under the name scope `scope` (already made
 * unique, without the trailing slash); grad_ys NULL: ones; gate_ops: as Optimizer.GATE_OP, all of
 * an op's gradients wait for each other (the tuple/ nodes). dxs[i].node = TSH_NO_NODE where x does
 * not reach y. All or nothing. */
TSH_EXPORT int tsh_graph_gradients(tsh_graph*, const tsh_output* ys, size_t n_ys,
                                   const tsh_output* xs, size_t n_xs, const tsh_output* grad_ys,
                                   const char* scope, int gate_ops, uint32_t source,
                                   tsh_output* dxs, tsh_status*);
/* The same, taking `stops` as constants, and with gradients that may be rows (tf.IndexedSlices):
 * value is rows of the gradient, indices their numbers, dense_shape the shape of the whole;
 * indices.node = TSH_NO_NODE: value is the whole. */
typedef struct tsh_gradient {
  tsh_output value, indices, dense_shape;
} tsh_gradient;
TSH_EXPORT int tsh_graph_gradient_rows(tsh_graph*, const tsh_output* ys, size_t n_ys,
                                       const tsh_output* xs, size_t n_xs, const tsh_output* grad_ys,
                                       const tsh_output* stops, size_t n_stops, const char* scope,
                                       int gate_ops, uint32_t source, tsh_gradient* dxs,
                                       tsh_status*);
/* The nodes [first, end) as a GraphDef message of TensorFlow (protocol buffer wire form), each
 * under the name that `name` gives it (NULL: its own; the text is copied before the next call);
 * *size receives the length. Free with tsh_free. */
TSH_EXPORT char* tsh_graph_export(const tsh_graph*, tsh_node first, tsh_node end,
                                  const char* (*name)(void* context, tsh_node), void* context,
                                  size_t* size);
typedef struct tsh_import {
  const char* prefix; /* goes before the names, with a slash; NULL or "": as they are */
  int clear_devices;
  int extends; /* inputs may be nodes that the graph has already */
  /* The tensors map_names[i] ("x:0") of the message are taken to be map_outputs[i]. */
  const char* const* map_names;
  const tsh_output* map_outputs;
  size_t n_map;
  uint32_t source;
} tsh_import;
/* Adds the nodes of a GraphDef, all or none, in any order. names (may be NULL) receives the names
 * in the order of the message, each ended by a newline; tsh_free. */
TSH_EXPORT int tsh_graph_import(tsh_graph*, const char* graph_def, size_t size, const tsh_import*,
                                char** names, tsh_status*);
/* All live graphs: [{"id":0,"nodes":12,"version":3,"refs":2,"sessions":1,"bytes":…}]. tsh_free. */
TSH_EXPORT char* tsh_graphs_json(void);
/* A graph as JSON: {"version":…,
 * "nodes":[{"id","name","op","device","inputs":["a:0","^b"],"outputs":[{"dtype","shape"}],"source"}]}.
 */
TSH_EXPORT char* tsh_graph_json(const tsh_graph*);

/* ---- ops ---- */
/* The op definitions whose name or documentation contains `pattern` ("" : all), as a JSON list:
 * [{"name","doc","inputs":[{"name","type"}],"outputs":[…],"attrs":[{"name","type","default"?,"minimum"?,"allowed"?}],
 *   "stateful","commutative","aggregate","kernels":[{"device","type"}],"examples":[{"call","result"}],"gradient":bool}]
 */
TSH_EXPORT char* tsh_ops_json(const char* pattern);
/* The signature as the op's file writes it: "x: T, y: T", "z: T", "T: {float, double}"; an alias
 * has its op's. 0: no such op. The text lives for the process. */
TSH_EXPORT int tsh_op_signature(const char* op, const char** inputs, const char** outputs,
                                const char** attrs);
/* The op's own name, where `op` is an alias ("BatchMatMul": "BatchMatMulV2"). NULL: no such op. */
TSH_EXPORT const char* tsh_op_name(const char* op);
/* Runs one op on tensors, without a graph, on the first CPU. Stateless ops only. outputs: room for
 * max_outputs; *n_outputs is set. */
TSH_EXPORT int tsh_op_run(const char* op, tsh_tensor* const* inputs, size_t n_inputs,
                          const tsh_attr* attrs, size_t n_attrs, tsh_tensor** outputs,
                          size_t max_outputs, size_t* n_outputs, tsh_status*);

/* ---- sessions ---- */
typedef struct tsh_session tsh_session;
/* target "": in process. config: JSON {"device_count":{"CPU":2},"allow_soft_placement":true,
 * "log_device_placement":true,"intra_op_parallelism_threads":1,"inter_op_parallelism_threads":1,
 * "operation_timeout_in_ms":5000}; "" or NULL: defaults (one CPU). Takes one reference on the graph
 * until closed. */
TSH_EXPORT tsh_session* tsh_session_new(tsh_graph*, const char* target, const char* config,
                                        tsh_status*);
/* Cancels steps in flight, waits for them, frees variables and the graph reference. Closing again
 * is fine. */
TSH_EXPORT int tsh_session_close(tsh_session*, tsh_status*);
TSH_EXPORT void tsh_session_unref(tsh_session*); /* closes too if nobody did */
TSH_EXPORT uint64_t tsh_session_id(const tsh_session*);
TSH_EXPORT int tsh_session_closed(const tsh_session*);
TSH_EXPORT tsh_graph* tsh_session_graph(const tsh_session*); /* borrowed; NULL once closed */

typedef struct tsh_run {
  const tsh_output* feeds;
  tsh_tensor* const* values; /* one a feed */
  size_t n_feeds;
  const tsh_output* fetches;
  size_t n_fetches;
  const tsh_node* targets; /* run, fetch nothing */
  size_t n_targets;
  int64_t timeout_ms; /* 0: the session's */
} tsh_run;
/* One step: fetched[i] receives a new reference. On failure nothing is fetched. */
TSH_EXPORT int tsh_session_run(tsh_session*, const tsh_run*, tsh_tensor** fetched, tsh_status*);
/* The same, and *report receives the JSON of RunMetadata: what tsh_session_explain gives, with
 * stage 5. */
TSH_EXPORT int tsh_session_run_traced(tsh_session*, const tsh_run*, tsh_tensor** fetched,
                                      char** report, tsh_status*);
/* The stages of a run without running it (values of feeds are not needed):
 * {"version":5,"graph_nodes":6,
 *  "nodes":[{"id","name","op","dtype","shape","inputs":["a:0"],"state":"runs|fed|fetch|target|unused|pruned","device":"/job:…","short_device":"cpu:0",
 *            "asked":"/cpu:1","reason":"asked|asked≠got|only kernel|colocated with v|follows
 * input|host memory|feed arrives here|default","pruned_why":"no path to a fetch"}],
 *  "partitions":[{"device","nodes":["a","_send_a_0",…]}],
 *  "transfers":[{"tensor":"a:0","from","to","bytes":8,"send":"…","recv":"…","consumers":["add"]}],
 *  "steps":[{"device","node","op","start_ns","end_ns","kind":"compute|send|recv|wait","waits_for":"…","bytes":…}],
 * (after a run) "wall_ns":…, "critical_path":["x","add","mul"]} Nodes are in graph order; only
 * ancestors of the fetches and, up to `max_pruned`, pruned ones are listed
 * ("pruned_total" counts all). */
TSH_EXPORT char* tsh_session_explain(tsh_session*, const tsh_run*, size_t max_pruned, tsh_status*);
/* Cancels the steps in flight; they end with Cancelled. Async-signal-safe is NOT promised: call
 * from a thread. */
TSH_EXPORT void tsh_session_cancel(tsh_session*);
TSH_EXPORT char* tsh_session_devices_json(
    tsh_session*); /* [{"name","short","type","memory_limit","incarnation"}] */
TSH_EXPORT char* tsh_session_variables_json(
    tsh_session*); /* [{"name","dtype","shape","initialized","bytes","device"}] */
TSH_EXPORT char* tsh_sessions_json(
    void); /* all open sessions: [{"id","target","graph","devices","closed"}] */

/* A run signature held ready: the fastest way to step. Valid until the session closes. */
typedef struct tsh_callable tsh_callable;
TSH_EXPORT tsh_callable* tsh_callable_new(tsh_session*, const tsh_run*,
                                          tsh_status*); /* values are ignored */
TSH_EXPORT int tsh_callable_run(tsh_callable*, tsh_tensor* const* values, tsh_tensor** fetched,
                                tsh_status*);
TSH_EXPORT void tsh_callable_unref(tsh_callable*);

/* ---- files ---- */
/* From the first call on, ops may write only below the directories named with may_write, and read
 * only below any named. For a program that runs graphs it does not trust; call before any session
 * runs. */
TSH_EXPORT void tsh_files_limit(const char* directory, int may_write);
/* Appends a record in TensorFlow's framing (length, checksums): event files, TFRecord files. */
TSH_EXPORT int tsh_record_append(const char* path, const char* data, size_t size, tsh_status*);
/* A checkpoint (PREFIX.index, PREFIX.data-…), read without a graph. */
typedef struct tsh_checkpoint tsh_checkpoint;
TSH_EXPORT tsh_checkpoint* tsh_checkpoint_open(const char* prefix, tsh_status*);
TSH_EXPORT void tsh_checkpoint_free(tsh_checkpoint*);
TSH_EXPORT size_t tsh_checkpoint_size(const tsh_checkpoint*); /* tensors */
/* The name of tensor i, in the order of names; dims has room for TSH_MAX_RANK. NULL: no such one.
 */
TSH_EXPORT const char* tsh_checkpoint_entry(const tsh_checkpoint*, size_t i, int* dtype, int* rank,
                                            int64_t* dims);
TSH_EXPORT tsh_tensor* tsh_checkpoint_tensor(const tsh_checkpoint*, const char* name, tsh_status*);

/* The calling thread's stack of default sessions. push takes a reference, pop gives it back. */
TSH_EXPORT void tsh_default_session_push(tsh_session*);
TSH_EXPORT int tsh_default_session_pop(tsh_session*); /* 0: it is not on top */
TSH_EXPORT tsh_session* tsh_default_session(void);    /* borrowed; NULL: none */

#ifdef __cplusplus
}
#endif
#endif /* TENSH_RUNTIME_API_TENSH_H_ */
