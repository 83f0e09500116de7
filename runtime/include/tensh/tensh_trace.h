/* Timelines of steps, kept in memory, and steps that keep the values of their nodes. The rules of
 * tensh.h hold here too. */
#ifndef TENSH_TENSH_TRACE_H_
#define TENSH_TENSH_TRACE_H_

#include "tensh/tensh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- timelines ---- */

/* tsh_trace_start drops all collected timelines and begins to collect the timeline of every step of
 * every session in this process. If there are more than about a million events, the oldest steps
 * are dropped. tsh_trace_stop keeps the collected timelines. While collecting is off, the timeline
 * of a traced step replaces the collection. */
TSH_EXPORT void tsh_trace_start(void);
TSH_EXPORT void tsh_trace_stop(void);
/* Returns 1 while timelines are collected. */
TSH_EXPORT int tsh_trace_is_on(void);
/* Returns the number of collected steps. */
TSH_EXPORT size_t tsh_trace_steps(void);
/* Returns the timelines in Chrome's trace event format: devices are processes, flow events join
 * each Send with its Recv, and waits are slices. tsh_free. */
TSH_EXPORT char* tsh_trace_json(void);
/* Returns the sums over all collected steps: {"steps":3,"wall_ns":…,"dropped":0,"peak":{"flops":…,
 * "copies":[{"bytes":65536,"rate":…}]},"rows":[{"session","graph","id","node","op","device",
 * "kind":"compute|read|send|recv|wait","calls","ns","bytes","read","with"}]}. For a transfer, node is
 * the tensor. "bytes" are those of the outputs, "read" those of the inputs. "with" is present if the node
 * was computed in one pass with others: the node whose time includes that of all of them. "peak" has the
 * rates of this machine per second, with all cores; the first call measures them in about 50 ms. Copies
 * are counted as bytes read and written, by the size of the memory. tsh_free. */
TSH_EXPORT char* tsh_trace_profile_json(void);

/* ---- recorded steps ---- */

/* A step that ran, with the last value of every output that was computed. It keeps its session and
 * its graph until it is freed. */
typedef struct tsh_step tsh_step;
/* Runs a step as tsh_session_run does. *step receives the recorded step, or NULL on failure. */
TSH_EXPORT int tsh_session_run_recorded(tsh_session*, const tsh_run*, tsh_tensor** fetched,
                                        tsh_step** step, tsh_status*);
TSH_EXPORT void tsh_step_free(tsh_step*);
/* Returns the report of tsh_session_run_traced (tsh_free). NULL if nodes of the step were rolled
 * back, or if it ran in another process. */
TSH_EXPORT char* tsh_step_report(const tsh_step*);
/* Returns the number of values, fed ones included. 0 if nodes of the step were rolled back. */
TSH_EXPORT size_t tsh_step_num_values(const tsh_step*);
/* Returns a new reference to value i. *of receives the output that it belongs to, and *times how
 * often that was computed (in a loop, more than once). Returns NULL if there is no such value, or
 * if it was too large to keep; in the latter case *of and *times are set. */
TSH_EXPORT tsh_tensor* tsh_step_value(const tsh_step*, size_t i, tsh_output* of, int64_t* times);

#ifdef __cplusplus
}
#endif
#endif /* TENSH_TENSH_TRACE_H_ */
