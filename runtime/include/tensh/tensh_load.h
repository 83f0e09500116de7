/* Loading libraries before the first step needs them.
 *
 * Large products of matrices use oneDNN, whose loading takes 25 to 50 ms. The first plan with such a
 * product loads it, unless the program asks for it earlier with this function. */
#ifndef TENSH_TENSH_LOAD_H_
#define TENSH_TENSH_LOAD_H_

#include "tensh/tensh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* on != 0: from now on, a background thread loads the library when the first node with a large
 * product is added to a graph. on == 0: from now on, no thread is started; the call waits for a
 * running one, 50 ms at most. A program that switched this on must switch it off before it exits:
 * the thread runs code of the library, whose static objects are destroyed at exit. Thread-safe. */
TSH_EXPORT void tsh_load_ahead(int on);

#ifdef __cplusplus
}
#endif

#endif /* TENSH_TENSH_LOAD_H_ */
