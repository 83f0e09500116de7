/* tensh: servers, and what a plug-in between a program and the runtime needs. Beside tensh.h, whose
 * rules hold here too. */
#ifndef TENSH_RUNTIME_API_TENSH_SERVER_H_
#define TENSH_RUNTIME_API_TENSH_SERVER_H_

#include "runtime/api/tensh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- servers: sessions for TensorFlow clients, in the plug-in libtensh_dist.so ---- */
typedef struct tsh_server tsh_server;
/* Listens on host:port ("" : 127.0.0.1; port 0: any free one). Unimplemented without the plug-in.
 */
TSH_EXPORT tsh_server* tsh_server_new(const char* host, int port, tsh_status*);
TSH_EXPORT int tsh_server_port(const tsh_server*);
TSH_EXPORT void tsh_server_wait(tsh_server*); /* until another thread stops it */
/* Cancels the steps in flight, closes every session, frees the port. Again is fine. */
TSH_EXPORT void tsh_server_stop(tsh_server*);
TSH_EXPORT void tsh_server_free(tsh_server*); /* stops too; nobody may wait on it any more */

/* ---- for plug-ins ---- */
/* Fails a call. */
TSH_EXPORT void tsh_status_set(tsh_status*, int code, const char* message, const char* hint);
/* All attributes of a node, defaults included, as tsh_graph_add takes them. They live until freed,
 * and the graph until then. */
typedef struct tsh_attrs tsh_attrs;
TSH_EXPORT tsh_attrs* tsh_node_attrs(const tsh_graph*, tsh_node);
TSH_EXPORT size_t tsh_attrs_size(const tsh_attrs*);
TSH_EXPORT const tsh_attr* tsh_attrs_data(const tsh_attrs*);
TSH_EXPORT void tsh_attrs_free(tsh_attrs*);

#ifdef __cplusplus
}
#endif
#endif /* TENSH_RUNTIME_API_TENSH_SERVER_H_ */
