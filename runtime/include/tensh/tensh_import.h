/* Importing graphs that this build knows only in part, and looking into functions.
 *
 * A model may use ops that the library does not have, often in places that nobody runs. The nodes
 * of a model of TF 2 are in functions, where a step cannot fetch them. */
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

/* Adds copies of the nodes of the function that a node calls, all or none, and of the functions
 * that those call. They take the inputs of the node, which stays as it is. A copy is named
 * PREFIX/NAME; if that name is taken, the names of the calls are between the two, and a number
 * may follow. Fails with
 * TSH_INVALID_ARGUMENT if the node calls no function. source is that of the new nodes. */
TSH_EXPORT int tsh_graph_inline(tsh_graph*, tsh_node call, const char* prefix, uint32_t source,
                                tsh_status*);

/* Does the same, and stores the tensors that are the results of the copy in `results`, which has as
 * many elements as the node has outputs. */
TSH_EXPORT int tsh_graph_inline_results(tsh_graph*, tsh_node call, const char* prefix,
                                        uint32_t source, tsh_output* results, tsh_status*);

#ifdef __cplusplus
}
#endif

#endif /* TENSH_TENSH_IMPORT_H_ */
