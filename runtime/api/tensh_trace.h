/* Timelines of steps, kept in memory: what `trace` and `profile` of the shell show. Beside tensh.h,
 * and with its rules; any thread may call. */
#ifndef TENSH_RUNTIME_API_TENSH_TRACE_H_
#define TENSH_RUNTIME_API_TENSH_TRACE_H_

#include "runtime/api/tensh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From start on, every step of the sessions in this process leaves its timeline in memory, the
 * oldest giving way past about a million events; what was collected before is dropped. stop keeps
 * it. */
TSH_EXPORT void tsh_trace_start(void);
TSH_EXPORT void tsh_trace_stop(void);
TSH_EXPORT int tsh_trace_is_on(void);
TSH_EXPORT size_t tsh_trace_steps(void); /* collected; while off, a traced run leaves its one */
/* What was collected, as Chrome's trace event format: devices are processes, Send and Recv are
 * joined by flow events, waits are slices. tsh_free. */
TSH_EXPORT char* tsh_trace_json(void);
/* The same added up:
 * {"steps":3,"wall_ns":…,"dropped":0,"rows":[{"session","graph","id","node","op","device",
 * "kind":"compute|read|send|recv|wait","calls","ns","bytes"}]}; for a transfer node is the tensor.
 */
TSH_EXPORT char* tsh_trace_profile_json(void);

/* A step that ran, with what its kernels made: of each value the last, and how often there was one
 * (a loop makes many). It holds its session's memory until it is freed. */
typedef struct tsh_step tsh_step;
/* As tsh_session_run; *step is new, or NULL on failure. */
TSH_EXPORT int tsh_session_run_recorded(tsh_session*, const tsh_run*, tsh_tensor** fetched,
                                        tsh_step** step, tsh_status*);
TSH_EXPORT void tsh_step_free(tsh_step*);
/* What tsh_session_run_traced reports. tsh_free; NULL when nodes of the step were rolled back, or
 * it ran elsewhere. */
TSH_EXPORT char* tsh_step_report(const tsh_step*);
/* The i-th kept value: whose output it is, how often that was made, and a new reference to it; NULL
 * when it was too large to keep. Fed values are among them. */
TSH_EXPORT size_t tsh_step_num_values(const tsh_step*);
TSH_EXPORT tsh_tensor* tsh_step_value(const tsh_step*, size_t i, tsh_output* of, int64_t* times);

#ifdef __cplusplus
}
#endif
#endif /* TENSH_RUNTIME_API_TENSH_TRACE_H_ */
