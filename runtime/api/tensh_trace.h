/* Timelines of steps, kept in memory: what `trace` and `profile` of the shell show. Beside tensh.h, and
 * with its rules; any thread may call. */
#ifndef TENSH_RUNTIME_API_TENSH_TRACE_H_
#define TENSH_RUNTIME_API_TENSH_TRACE_H_

#include "runtime/api/tensh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From start on, every step of the sessions in this process leaves its timeline in memory, the oldest
 * giving way past about a million events; what was collected before is dropped. stop keeps it. */
TSH_EXPORT void tsh_trace_start(void);
TSH_EXPORT void tsh_trace_stop(void);
TSH_EXPORT int tsh_trace_is_on(void);
TSH_EXPORT size_t tsh_trace_steps(void); /* collected; while off, a traced run leaves its one */
/* What was collected, as Chrome's trace event format: devices are processes, Send and Recv are joined
 * by flow events, waits are slices. tsh_free. */
TSH_EXPORT char* tsh_trace_json(void);
/* The same added up: {"steps":3,"wall_ns":…,"dropped":0,"rows":[{"session","graph","id","node","op","device",
 * "kind":"compute|read|send|recv|wait","calls","ns","bytes"}]}; for a transfer node is the tensor. */
TSH_EXPORT char* tsh_trace_profile_json(void);

#ifdef __cplusplus
}
#endif
#endif /* TENSH_RUNTIME_API_TENSH_TRACE_H_ */
