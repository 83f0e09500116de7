/* The part of the runtime's interface that only tensh's own plug-ins (libtensh_dist.so) use:
 * workers, steps whose other parts run elsewhere, and steps cut for the tasks of a cluster.
 *
 * This header is not installed and promises no ABI: a plug-in belongs to one build of the runtime,
 * and its own table has a number that is checked when it is loaded. The rules of tensh.h for
 * errors, ownership and threads hold here too. */
#ifndef TENSH_TENSH_PLUGIN_H_
#define TENSH_TENSH_PLUGIN_H_

#include "tensh/tensh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- tensors ---- */

/* Returns a tensor over host memory of the caller, which is not copied and which no kernel writes. It
 * must be aligned to its elements. release(context) is called once, by the thread that drops the last
 * reference; on failure it is not called. A step that keeps the tensor, such as one that assigns it to a
 * variable, keeps the memory too. Strings, resources and variants cannot be borrowed. */
TSH_EXPORT tsh_tensor* tsh_tensor_borrow(int dtype, const int64_t* dims, int rank, void* data,
                                         void (*release)(void*), void* context, tsh_status*);

/* ---- workers ---- */

/* The devices of one task, named /job:JOB/replica:0/task:TASK, and the state (variables, queues)
 * that its sessions share and that outlives them. Counted. */
typedef struct tsh_home tsh_home;
/* config: as for tsh_session_new. Only device_count and the numbers of threads are used. */
TSH_EXPORT tsh_home* tsh_home_new(const char* job, int task, const char* config, tsh_status*);
/* Returns the same devices with separate state. NULL for NULL. */
TSH_EXPORT tsh_home* tsh_home_isolated(tsh_home*);
/* Returns the same state, with devices that are named after another job and task. config: as for
 * tsh_home_new. */
TSH_EXPORT tsh_home* tsh_home_renamed(tsh_home*, const char* job, int task, const char* config,
                                      tsh_status*);
/* Returns the same devices and state, for a session whose kernels may hold this many bytes, and whose
 * steps may use this much processor time; 0: no limit. Limits of the home that is given apply to all
 * homes made from it. The error of a step that used all of its time says that this is the limit `by`;
 * copied. NULL for NULL. */
TSH_EXPORT tsh_home* tsh_home_limited(tsh_home*, int64_t bytes, int64_t step_cpu_ms,
                                      const char* by);
TSH_EXPORT void tsh_home_unref(tsh_home*);
/* Frees the large blocks of host memory that were kept for reuse and not used for this time. Returns
 * the bytes that are still kept. */
TSH_EXPORT size_t tsh_release_unused(int64_t unused_ms);
/* Returns the devices in the form of tsh_session_devices_json. tsh_free. */
TSH_EXPORT char* tsh_home_devices_json(tsh_home*);
/* Drops the state that is kept under these container names; if n is 0, all of it. */
TSH_EXPORT void tsh_home_clear(tsh_home*, const char* const* containers, size_t n);
/* Opens a session on the devices and the state of a home, which it keeps. */
TSH_EXPORT tsh_session* tsh_session_new_in(tsh_home*, tsh_graph*, const char* config, tsh_status*);

/* ---- cancelling ---- */

/* A flag that cancels the steps that run with it. Once set, it stays set. */
typedef struct tsh_cancel tsh_cancel;
TSH_EXPORT tsh_cancel* tsh_cancel_new(void);
TSH_EXPORT void tsh_cancel_set(tsh_cancel*);
/* Frees the flag. No step may run with it any longer, and no watch may be left. */
TSH_EXPORT void tsh_cancel_free(tsh_cancel*);
/* Calls fn(context) when the flag is set, from the thread that sets it; at once if it is set
 * already. fn must not call anything with the same flag. Freeing the watch waits for a call in
 * progress. */
typedef struct tsh_cancel_watch tsh_cancel_watch;
TSH_EXPORT tsh_cancel_watch* tsh_cancel_watch_new(tsh_cancel*, void (*fn)(void*), void* context);
TSH_EXPORT void tsh_cancel_watch_free(tsh_cancel_watch*);

/* ---- steps whose other parts run elsewhere ---- */

/* The sink of one value that a step waits for. */
typedef struct tsh_arrival tsh_arrival;
/* The source of the values of a part's _Recv nodes, and the destination of those of its _Send
 * nodes. The functions may be called from any thread, several at a time. A null value without a
 * failure is dead: it lies on a branch that was not taken. */
typedef struct tsh_exchange {
  void* context;
  int (*send)(void* context, const char* key, tsh_tensor* borrowed, tsh_status*);
  /* Requests a value. tsh_arrive must be called exactly once for it, from any thread, perhaps
   * before this function returns. */
  void (*receive)(void* context, const char* key, tsh_arrival*);
  /* The step failed. Every requested value must arrive soon, possibly with a failure. */
  void (*abort)(void* context, const tsh_status* why);
} tsh_exchange;
/* Delivers a value, takes over its reference, and frees the arrival. `failed` is NULL, or the
 * reason why there is no value. */
TSH_EXPORT void tsh_arrive(tsh_arrival*, tsh_tensor* value, const tsh_status* failed);

/* Options of a step with parts elsewhere. Each may be NULL. */
typedef struct tsh_control {
  const tsh_exchange* exchange;
  tsh_cancel* cancel;
  char** report; /* receives what tsh_session_run_traced reports */
} tsh_control;
/* Runs a step with these options. */
TSH_EXPORT int tsh_session_run_with(tsh_session*, const tsh_run*, const tsh_control*,
                                    tsh_tensor** fetched, tsh_status*);
/* The same as tsh_partial_run, with a flag that ends the partial run. It may be NULL. */
TSH_EXPORT int tsh_partial_run_with(tsh_partial*, const tsh_run*, tsh_cancel*, tsh_tensor** fetched,
                                    tsh_status*);
/* Returns 1 if all steps of the callable take about the same time: none waits for another step, as
 * with queues, and no value decides how much a step computes, as with function calls, loops and
 * outputs of unknown shape. */
TSH_EXPORT int tsh_callable_is_steady(const tsh_callable*);

/* ---- steps cut for the tasks of a cluster ---- */

typedef struct tsh_device {
  const char* name; /* /job:worker/replica:0/task:1/device:CPU:0 */
  const char* type; /* CPU */
  int64_t memory_limit;
  uint64_t incarnation;
} tsh_device;
/* Places and partitions the steps of one session. A stateful node stays on the device where it was
 * placed first. */
typedef struct tsh_cutter tsh_cutter;
/* Borrows the graph until the cutter is freed. The first device is the default. config: as for
 * tsh_session_new. Only allow_soft_placement is used. */
TSH_EXPORT tsh_cutter* tsh_cutter_new(tsh_graph*, const tsh_device*, size_t n, const char* config,
                                      tsh_status*);
TSH_EXPORT void tsh_cutter_free(tsh_cutter*);
/* A partitioned step: one graph for each task, with _Send and _Recv nodes in place of the edges
 * between tasks. */
typedef struct tsh_cut tsh_cut;
/* A feed or fetch of the step, and the part in which it happens. */
typedef struct tsh_cut_end {
  size_t part, index; /* index: of the feed or fetch in the tsh_run */
  const char* key;    /* the name under which it is fed or fetched there */
} tsh_cut_end;
/* Places and partitions a run, whose values are ignored. A fetch that is also fed belongs to no
 * part. Fails with NotFound or InvalidArgument if the graph lacks a node of the run. */
TSH_EXPORT tsh_cut* tsh_cutter_cut(tsh_cutter*, const tsh_run*, tsh_status*);
TSH_EXPORT void tsh_cut_free(tsh_cut*);
/* Returns the number of parts. */
TSH_EXPORT size_t tsh_cut_size(const tsh_cut*);
/* Returns "/job:JOB/replica:0/task:N". NULL if there is no such part. */
TSH_EXPORT const char* tsh_cut_task(const tsh_cut*, size_t part);
/* Returns the graph of a part, borrowed. NULL if there is no such part. */
TSH_EXPORT tsh_graph* tsh_cut_graph(const tsh_cut*, size_t part);
/* Return the ends, *n of them, which live as long as the cut. */
TSH_EXPORT const tsh_cut_end* tsh_cut_feeds(const tsh_cut*, size_t* n);
TSH_EXPORT const tsh_cut_end* tsh_cut_fetches(const tsh_cut*, size_t* n);

#ifdef __cplusplus
}
#endif
#endif /* TENSH_TENSH_PLUGIN_H_ */
