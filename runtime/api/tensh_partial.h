/* tensh: partial runs. Beside tensh.h, whose rules hold here too. */
#ifndef TENSH_RUNTIME_API_TENSH_PARTIAL_H_
#define TENSH_RUNTIME_API_TENSH_PARTIAL_H_

#include "runtime/api/tensh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A step that is fed and fetched in several calls (TensorFlow's partial runs): what is set up names
 * all feeds, fetches and targets; each is fed and fetched once. Between the calls no thread is
 * held. */
typedef struct tsh_partial tsh_partial;
TSH_EXPORT tsh_partial* tsh_partial_new(tsh_session*, const tsh_run*,
                                        tsh_status*); /* values are ignored */
/* Feeds, goes on, fetches; the run's targets are ignored. A refused call changes nothing; a failed
 * kernel ends the partial run. */
TSH_EXPORT int tsh_partial_run(tsh_partial*, const tsh_run*, tsh_tensor** fetched, tsh_status*);
TSH_EXPORT int tsh_partial_done(const tsh_partial*); /* all was fed and fetched, or it failed */
TSH_EXPORT void tsh_partial_unref(tsh_partial*);     /* gives up what has not ended */

#ifdef __cplusplus
}
#endif
#endif /* TENSH_RUNTIME_API_TENSH_PARTIAL_H_ */
