/* Serving the devices of this machine to TensorFlow clients, and the certificates of connections.
 * The rules of tensh.h hold here too.
 *
 * The server is located in the plug-in libtensh_dist.so, which is loaded by the first call. */
#ifndef TENSH_TENSH_SERVER_H_
#define TENSH_TENSH_SERVER_H_

#include "tensh/tensh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Certificates, as paths of PEM files. NULL or "": none. */
typedef struct tsh_tls {
  TSH_SIZE_FIELD(tsh_tls);
  const char* ca;   /* signs the certificates of the other side */
  const char* cert; /* of this process; goes with the key */
  const char* key;
} tsh_tls;
#define TSH_TLS_INIT TSH_SIZE_INIT(tsh_tls)
/* Sets the certificates of the sessions on servers ("grpc://…") that are opened from now on, and of
 * servers whose options name none. Without certificates, connections are not encrypted. The paths
 * are copied; the files are read when a connection is made. */
TSH_EXPORT int tsh_use_tls(const tsh_tls*, tsh_status*);

/* Closes all sessions of the server at `target` ("grpc://…"), and frees the variables, queues and
 * other resources in the containers, on all tasks of its cluster. Without containers, frees those in
 * the default one. */
TSH_EXPORT int tsh_server_reset(const char* target, const char* const* containers,
                                size_t n_containers, tsh_status*);

/* One task of a cluster, which listens on a port. */
typedef struct tsh_server tsh_server;
/* The options of a server. NULL or 0 selects the default that is stated for each field. */
typedef struct tsh_server_options {
  TSH_SIZE_FIELD(tsh_server_options);
  const char* host; /* default: 127.0.0.1 */
  int port;         /* 0: any free port; -1: the port in `cluster` */
  /* The tasks, as JSON {"ps": ["host:port", …], "worker": {"0": "host:port"}} or as
   * ps=host:port;worker=host:port,host:port. Default: this task alone. */
  const char* cluster;
  const char* job; /* default: localhost */
  int task;
  const char* config; /* as for tsh_session_new; only devices and threads are used */
  /* Paths of PEM files for clients and between tasks. NULL: those of tsh_use_tls. "": without
   * encryption. If there is a ca, only clients with a certificate signed by it are served. */
  const char *tls_cert, *tls_key, *tls_ca;
  int max_sessions;        /* default: 4096 */
  int64_t max_step_ms;     /* of a step, whatever its client allows; default: no limit */
  int64_t session_memory;  /* bytes that the kernels of one session may hold; default: no limit */
  int64_t idle_session_ms; /* a session unused for this time is closed; default: never */
  int64_t max_nodes;       /* of one session, with those of functions; default: 10,000,000 */
  int max_steps;           /* in flight, of one session; default: 10,000 */
  int64_t memory;          /* bytes that the kernels of all sessions may hold; default: no limit */
  /* Ops that graphs may not contain: names with the wildcards * and ?, separated by commas. */
  const char* deny_ops;
  int64_t task_timeout_ms; /* a task that does not answer for this time is lost; default: 10,000 */
  int64_t max_step_cpu_ms; /* processor time of a step in this task; default: no limit */
} tsh_server_options;
#define TSH_SERVER_OPTIONS_INIT TSH_SIZE_INIT(tsh_server_options)
/* Starts a server that listens. Fails with Unimplemented if the plug-in is not installed. */
TSH_EXPORT tsh_server* tsh_server_new(const tsh_server_options*, tsh_status*);
/* Returns the port that the server listens on, or 0 for NULL. */
TSH_EXPORT int tsh_server_port(const tsh_server*);
/* Cancels the steps in flight, closes every session and frees the port. */
TSH_EXPORT void tsh_server_free(tsh_server*);

#ifdef __cplusplus
}
#endif
#endif /* TENSH_TENSH_SERVER_H_ */
