/* Joining the kernels of several nodes.
 *
 * The plan of a step joins kernels whose values pass through memory otherwise, such as those of a
 * convolution, a bias and an activation. No value changes by it. A session does not join any if its
 * configuration contains "optimize": false. */
#ifndef TENSH_TENSH_OPTIMIZE_H_
#define TENSH_TENSH_OPTIMIZE_H_

#include "tensh/tensh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* on == 0: from now on, the steps of all sessions in this process run the kernel of each node by
 * itself. on != 0: they are joined again. Returns nothing. Thread-safe. */
TSH_EXPORT void tsh_optimize(int on);
/* Returns 1 if kernels are joined, which they are at first; otherwise 0. */
TSH_EXPORT int tsh_optimizes(void);

#ifdef __cplusplus
}
#endif

#endif /* TENSH_TENSH_OPTIMIZE_H_ */
