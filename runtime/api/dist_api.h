#pragma once
// The interface of the plug-in libtensh_dist.so: sessions on a TensorFlow server, and a server.
//
// It is a table of C functions, so that no C++ object crosses the border. The plug-in uses the
// runtime through tensh.h, whose functions its host exports. All functions are thread-safe.
#include "tensh/tensh.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TENSH_DIST_ABI 11
#define TENSH_DIST_SYMBOL "tensh_dist_table"

typedef struct tensh_dist_remote tensh_dist_remote;  // A session on another server.
typedef struct tensh_dist_server tensh_dist_server;
typedef struct tensh_dist_partial tensh_dist_partial;  // A partial run on that server.

// PEM files. If `ca` is set, the peer must show a certificate signed by it. If `cert` and `key` are
// set, this side shows a certificate. If all are "", connections are not encrypted.
typedef struct tensh_dist_tls {
  const char* cert;
  const char* key;
  const char* ca;
} tensh_dist_tls;

typedef struct tensh_dist_options {
  int cpus;  // Number of CPU devices; 0 means the default.
  int soft_placement, log_placement;
  int isolated;        // The session shares no state with others.
  int64_t timeout_ms;  // Limit of every call in milliseconds; 0 means no limit.
  tensh_dist_tls tls;
  // The tasks of a cluster that the session uses, as ConfigProto.device_filters; none: all. Copied.
  const char* const* device_filters;
  size_t n_device_filters;
} tensh_dist_options;

typedef struct tensh_dist_serve {
  const char* host;
  int port;             // 0: any free port; -1: the port given by the cluster.
  const char* cluster;  // The tasks as JSON or in one line; "": a single-task server.
  const char* job;      // "" means localhost.
  int task;
  const char* config;       // The JSON of tsh_session_new.
  tensh_dist_tls tls;       // For clients, and between the tasks.
  int max_sessions;         // 0 means 4096.
  int64_t max_step_ms;      // 0 means no limit.
  int64_t session_memory;   // In bytes; 0 means no limit.
  int64_t idle_session_ms;  // 0 means never.
  int64_t max_nodes;        // Of one session; 0 means 10,000,000.
  int max_steps;            // In flight, of one session; 0 means 10,000.
  int64_t memory;           // In bytes, of all sessions; 0 means no limit.
  const char* deny_ops;     // Patterns separated by commas; "" denies none.
  int64_t task_timeout_ms;  // After which another task is lost; 0 means 10,000.
  int64_t max_step_cpu_ms;  // Processor time of a step in this task; 0 means no limit.
} tensh_dist_serve;

typedef struct tensh_dist_device {
  const char* name;
  const char* type;
  const char* description;
  int64_t memory_limit;
  uint64_t incarnation;
} tensh_dist_device;

// A server's report of a step that it ran. Devices have full names; times count from the step's
// begin.
typedef enum tensh_dist_kind { TENSH_COMPUTE, TENSH_SEND, TENSH_RECV } tensh_dist_kind;
typedef struct tensh_dist_event {
  tensh_dist_kind kind;
  // The value computed (its node), sent or received. An index of TSH_NO_NODE is a control edge.
  tsh_output value;
  const char* device;
  const char* to;  // Destination of a send or recv.
  int64_t start_ns, end_ns, bytes;
} tensh_dist_event;
typedef struct tensh_dist_trace {
  void* context;
  // All calls of `place` precede those of `event`.
  void (*place)(void* context, tsh_node, const char* device);
  void (*event)(void* context, const tensh_dist_event*);
} tensh_dist_trace;

typedef struct tensh_dist_plugin {
  int abi;
  // Borrows the graph, which must live until `close`. The server is first contacted by one of the
  // functions below.
  tensh_dist_remote* (*connect)(tsh_graph*, const char* target, const tensh_dist_options*,
                                tsh_status*);
  // If `trace` is not NULL, the step is traced.
  int (*run)(tensh_dist_remote*, const tsh_run*, const tensh_dist_trace* trace,
             tsh_tensor** fetched, tsh_status*);
  tensh_dist_partial* (*set_up_partial)(tensh_dist_remote*, const tsh_run*, tsh_status*);
  int (*run_partial)(tensh_dist_remote*, tensh_dist_partial*, const tsh_run*, tsh_tensor** fetched,
                     tsh_status*);
  void (*free_partial)(tensh_dist_partial*);
  int (*devices)(tensh_dist_remote*, void (*each)(void* context, const tensh_dist_device*),
                 void* context, tsh_status*);
  void (*cancel)(tensh_dist_remote*);  // The calls in flight end with Cancelled.
  int (*close)(tensh_dist_remote*, tsh_status*);
  void (*free_remote)(tensh_dist_remote*);
  // Closes all sessions of a server, and frees the resources in the containers.
  int (*reset)(const char* target, const char* const* containers, size_t n_containers,
               const tensh_dist_options*, tsh_status*);

  tensh_dist_server* (*serve)(const tensh_dist_serve*, int* bound, tsh_status*);
  void (*free_server)(tensh_dist_server*);  // First ends its steps and sessions.
} tensh_dist_plugin;

#ifdef __cplusplus
}
#endif
