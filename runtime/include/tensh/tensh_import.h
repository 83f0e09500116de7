/* Importing graphs that this build knows only in part, looking into functions, and reading messages
 * without the values of large tensors.
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

typedef enum tsh_message_kind {
  TSH_MESSAGE_GRAPH = 0, /* a GraphDef, which becomes the graph of a MetaGraphDef */
  TSH_MESSAGE_META_GRAPH = 1,
  TSH_MESSAGE_SAVED_MODEL = 2,
  TSH_MESSAGE_ONNX = 3
} tsh_message_kind;

/* The field of a tensor's message that holds a reference to its values in a file. */
#define TSH_REFERENCE_FIELD 19001

/* Reads a message, whose kind is a tsh_message_kind, from a file, except for the values of large
 * tensors. In their place are references to the file, which tsh_graph_import resolves, so that such
 * values are read once, into their final memory. Returns bytes to be freed with tsh_free, and their
 * number in *size, or null. A reference is valid in this process while the file does not change; do
 * not write the message to a file. */
TSH_EXPORT char* tsh_message_read(const char* path, int kind, size_t* size, tsh_status*);
/* Returns the number of bytes of a value, or -1 if this is not a reference of this process. */
TSH_EXPORT int64_t tsh_reference_size(const char* reference, size_t size);
/* Reads a value, whose size is tsh_reference_size, into memory of the caller. Fails with
 * TSH_DATA_LOSS if the file has changed since tsh_message_read. */
TSH_EXPORT int tsh_reference_read(const char* reference, size_t size, void* to, tsh_status*);

#ifdef __cplusplus
}
#endif

#endif /* TENSH_TENSH_IMPORT_H_ */
