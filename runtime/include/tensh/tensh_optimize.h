/* The optimizer of plans.
 *
 * The plan of a step joins kernels whose values pass through memory otherwise, such as those of a
 * convolution, a bias and an activation. Equal nodes are computed once, and values that follow from
 * constants and shapes are held from step to step. No value changes. The plans of a session whose
 * configuration contains "optimize": false are not optimized. */
#ifndef TENSH_TENSH_OPTIMIZE_H_
#define TENSH_TENSH_OPTIMIZE_H_

#include "tensh/tensh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* on == 0: from now on, the steps of all sessions in this process run the kernel of each node by
 * itself. on != 0: plans are optimized again. Returns nothing. Thread-safe. */
TSH_EXPORT void tsh_optimize(int on);
/* Returns 1 if plans are optimized, which they are at first; otherwise 0. */
TSH_EXPORT int tsh_optimizes(void);

#ifdef __cplusplus
}
#endif

#endif /* TENSH_TENSH_OPTIMIZE_H_ */
