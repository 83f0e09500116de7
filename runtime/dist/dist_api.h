#pragma once
// What the plug-in libtensh_dist.so gives its host: sessions on a TensorFlow server, and a server.
// A table of C functions, because nothing else of C++ crosses: the plug-in reaches the runtime
// through tensh.h, whose functions its host exports. Any thread may call anything.
#include "runtime/api/tensh.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TENSH_DIST_ABI 5
#define TENSH_DIST_SYMBOL "tensh_dist_table"

typedef struct tensh_dist_remote tensh_dist_remote;  // a session on another server
typedef struct tensh_dist_server tensh_dist_server;
typedef struct tensh_dist_partial tensh_dist_partial;  // a partial run on that server

// PEM files. With ca the other side must show a certificate signed by it; with cert and key this
// side shows one. All "": in the clear.
typedef struct tensh_dist_tls {
  const char* cert;
  const char* key;
  const char* ca;
} tensh_dist_tls;

typedef struct tensh_dist_options {
  int cpus;  // 0: not said
  int soft_placement, log_placement;
  int64_t timeout_ms;  // of every call; 0: none
  tensh_dist_tls tls;
} tensh_dist_options;

typedef struct tensh_dist_serve {
  const char* host;
  int port;             // 0: any free one; -1: as the cluster says
  const char* cluster;  // the tasks as JSON or as a line; "": a server for itself
  const char* job;      // "": localhost
  int task;
  const char* config;       // as tsh_session_new
  tensh_dist_tls tls;       // for clients, and between the tasks
  int max_sessions;         // 0: 4096
  int64_t max_step_ms;      // 0: any time
  int64_t session_memory;   // bytes; 0: any
  int64_t idle_session_ms;  // 0: never
} tensh_dist_serve;

typedef struct tensh_dist_device {
  const char* name;
  const char* type;
  const char* description;
  int64_t memory_limit;
  uint64_t incarnation;
} tensh_dist_device;

// What a server says of a step it ran. Devices by their full names; times since the step began.
typedef enum tensh_dist_kind { TENSH_COMPUTE, TENSH_SEND, TENSH_RECV } tensh_dist_kind;
typedef struct tensh_dist_event {
  tensh_dist_kind kind;
  tsh_output value;  // computed (its node), sent or received; TSH_NO_NODE as index: a control edge
  const char* device;
  const char* to;  // of a send or recv: where the value goes
  int64_t start_ns, end_ns, bytes;
} tensh_dist_event;
typedef struct tensh_dist_trace {
  void* context;
  void (*place)(void* context, tsh_node, const char* device);  // all of them come before the events
  void (*event)(void* context, const tensh_dist_event*);
} tensh_dist_trace;

typedef struct tensh_dist_plugin {
  int abi;
  // Borrows the graph: the caller keeps it until `close`. The server hears of it with the first
  // call below.
  tensh_dist_remote* (*connect)(tsh_graph*, const char* target, const tensh_dist_options*,
                                tsh_status*);
  // trace: NULL, or the step is traced.
  int (*run)(tensh_dist_remote*, const tsh_run*, const tensh_dist_trace* trace,
             tsh_tensor** fetched, tsh_status*);
  tensh_dist_partial* (*set_up_partial)(tensh_dist_remote*, const tsh_run*, tsh_status*);
  int (*run_partial)(tensh_dist_remote*, tensh_dist_partial*, const tsh_run*, tsh_tensor** fetched,
                     tsh_status*);
  void (*free_partial)(tensh_dist_partial*);
  int (*devices)(tensh_dist_remote*, void (*each)(void* context, const tensh_dist_device*),
                 void* context, tsh_status*);
  void (*cancel)(tensh_dist_remote*);  // the calls in flight end with Cancelled
  int (*close)(tensh_dist_remote*, tsh_status*);
  void (*free_remote)(tensh_dist_remote*);

  tensh_dist_server* (*serve)(const tensh_dist_serve*, int* bound, tsh_status*);
  void (*free_server)(tensh_dist_server*);  // ends its steps and sessions first
} tensh_dist_plugin;

#ifdef __cplusplus
}
#endif
