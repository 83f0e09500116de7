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
/* One task of a cluster: {"ps": ["host:port", …], "worker": {"0": "host:port"}} as JSON, or
 * ps=host:port;worker=host:port,host:port. port -1: the one the cluster says. */
typedef struct tsh_server_options {
  const char* host; /* "" : 127.0.0.1 */
  int port;
  const char* cluster; /* "" : a server for itself, /job:localhost/replica:0/task:0 */
  const char* job;
  int task;
  const char* config; /* as tsh_session_new: device_count, threads */
  /* PEM files for clients and between tasks; NULL: $TENSH_TLS_CERT, $TENSH_TLS_KEY, $TENSH_TLS_CA,
   * which sessions use too; "": in the clear. With a ca, only who shows a certificate of it is
   * served. */
  const char *tls_cert, *tls_key, *tls_ca;
  int max_sessions;        /* 0: 4096 */
  int64_t max_step_ms;     /* of a step, whatever its client allows; 0: any time */
  int64_t session_memory;  /* bytes that the kernels of one session may hold here; 0: any */
  int64_t idle_session_ms; /* a session that nobody used for so long is closed; 0: never */
} tsh_server_options;
/* Listens from now on. Unimplemented without the plug-in. */
TSH_EXPORT tsh_server* tsh_server_new(const tsh_server_options*, tsh_status*);
TSH_EXPORT int tsh_server_port(const tsh_server*);
/* Cancels the steps in flight, closes every session, frees the port. */
TSH_EXPORT void tsh_server_free(tsh_server*);

/* ---- workers: what a server's sessions share, and steps whose other parts run elsewhere ---- */
/* The devices of one task, named /job:JOB/replica:0/task:TASK, and the state (variables, queues)
 * that outlives a session. Counted. */
typedef struct tsh_home tsh_home;
/* config: as tsh_session_new; device_count and the threads count. */
TSH_EXPORT tsh_home* tsh_home_new(const char* job, int task, const char* config, tsh_status*);
/* The same devices with a state of its own. */
TSH_EXPORT tsh_home* tsh_home_isolated(tsh_home*);
/* The same devices and state, for a session whose kernels may hold so many bytes; 0: any. */
TSH_EXPORT tsh_home* tsh_home_limited(tsh_home*, int64_t bytes);
TSH_EXPORT void tsh_home_unref(tsh_home*);
/* As tsh_session_devices_json. */
TSH_EXPORT char* tsh_home_devices_json(tsh_home*);
/* Forgets the state kept under these container names; n 0: all of it. */
TSH_EXPORT void tsh_home_clear(tsh_home*, const char* const* containers, size_t n);
TSH_EXPORT tsh_session* tsh_session_new_in(tsh_home*, tsh_graph*, const char* config, tsh_status*);

/* Cancels one step, or whatever runs with it; stays cancelled. Any thread. */
typedef struct tsh_cancel tsh_cancel;
TSH_EXPORT tsh_cancel* tsh_cancel_new(void);
TSH_EXPORT void tsh_cancel_set(tsh_cancel*);
/* fn is called when it is set, at once when it was, until the watch is freed; it must not call
 * anything of the same tsh_cancel. */
typedef struct tsh_cancel_watch tsh_cancel_watch;
TSH_EXPORT tsh_cancel_watch* tsh_cancel_watch_new(tsh_cancel*, void (*fn)(void*), void* context);
TSH_EXPORT void tsh_cancel_watch_free(tsh_cancel_watch*);
TSH_EXPORT void tsh_cancel_free(tsh_cancel*); /* no step runs with it any more */

/* Where the values of a part's _Recv nodes come from and those of its _Send nodes go. The functions
 * may be called from any thread. A value NULL without a failure is one on a branch not taken. */
typedef struct tsh_arrival tsh_arrival;
typedef struct tsh_exchange {
  void* context;
  int (*send)(void* context, const char* key, tsh_tensor* borrowed, tsh_status*);
  /* tsh_arrive is to be called for it once, from any thread, perhaps before this returns. */
  void (*receive)(void* context, const char* key, tsh_arrival*);
  /* The step failed: everything asked for is to arrive (with a failure) soon. */
  void (*abort)(void* context, const tsh_status* why);
} tsh_exchange;
/* Takes the reference on value. failed: NULL, or why there is no value. */
TSH_EXPORT void tsh_arrive(tsh_arrival*, tsh_tensor* value, const tsh_status* failed);

typedef struct tsh_control {
  const tsh_exchange* exchange; /* or NULL */
  tsh_cancel* cancel;           /* or NULL */
  char** report;                /* or NULL; else as tsh_session_run_traced */
} tsh_control;
TSH_EXPORT int tsh_session_run_with(tsh_session*, const tsh_run*, const tsh_control*,
                                    tsh_tensor** fetched, tsh_status*);

/* 1: no step of it waits for another one: no queues, no calls of functions, no loops. */
TSH_EXPORT int tsh_callable_never_waits(const tsh_callable*);

/* ---- masters: steps over the devices of several tasks ---- */
typedef struct tsh_device {
  const char* name; /* /job:worker/replica:0/task:1/device:CPU:0 */
  const char* type; /* CPU */
  int64_t memory_limit;
  uint64_t incarnation;
} tsh_device;
/* Places and cuts the runs of one session; what has state stays where it was placed first. Borrows
 * the graph. config: allow_soft_placement counts. The first device is the default. */
typedef struct tsh_cutter tsh_cutter;
TSH_EXPORT tsh_cutter* tsh_cutter_new(tsh_graph*, const tsh_device*, size_t n, const char* config,
                                      tsh_status*);
TSH_EXPORT void tsh_cutter_free(tsh_cutter*);
/* One graph a task, with _Send and _Recv nodes where edges were cut. values of the run are ignored.
 * A fetch that is fed is nowhere. */
typedef struct tsh_cut tsh_cut;
typedef struct tsh_cut_end {
  size_t part, index; /* feed or fetch index */
  const char* key;    /* under which it is fed or fetched there */
} tsh_cut_end;
TSH_EXPORT tsh_cut* tsh_cutter_cut(tsh_cutter*, const tsh_run*, tsh_status*);
TSH_EXPORT void tsh_cut_free(tsh_cut*);
TSH_EXPORT size_t tsh_cut_size(const tsh_cut*);                   /* parts */
TSH_EXPORT const char* tsh_cut_task(const tsh_cut*, size_t part); /* /job:…/replica:0/task:N */
TSH_EXPORT tsh_graph* tsh_cut_graph(const tsh_cut*, size_t part); /* borrowed */
TSH_EXPORT const tsh_cut_end* tsh_cut_feeds(const tsh_cut*, size_t* n);
TSH_EXPORT const tsh_cut_end* tsh_cut_fetches(const tsh_cut*, size_t* n);

/* ---- for plug-ins ---- */
/* Fails a call. */
TSH_EXPORT void tsh_status_set(tsh_status*, int code, const char* message, const char* hint);

#ifdef __cplusplus
}
#endif
#endif /* TENSH_RUNTIME_API_TENSH_SERVER_H_ */
