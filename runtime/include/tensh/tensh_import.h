/* Importing graphs that this build knows only in part.
 *
 * A model may use ops that the library does not have, often in places that nobody runs. */
#ifndef TENSH_TENSH_IMPORT_H_
#define TENSH_TENSH_IMPORT_H_

#include "tensh/tensh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Does the same as tsh_graph_import, but keeps the nodes of ops that do not exist. They have the
 * outputs that other nodes use, of the types that those expect, and are exported unchanged. A step
 * that needs one of them fails with TSH_NOT_FOUND. */
TSH_EXPORT int tsh_graph_import_known(tsh_graph*, const char* graph_def, size_t size,
                                      const tsh_import*, char** names, tsh_status*);

#ifdef __cplusplus
}
#endif

#endif /* TENSH_TENSH_IMPORT_H_ */
