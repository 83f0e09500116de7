#pragma once
// What the plug-in libtensh_dist.so gives its host: sessions on a TensorFlow server, and a server.
// A table of C functions, because nothing else of C++ crosses: the plug-in reaches the runtime
// through tensh.h, whose functions its host exports. Any thread may call anything.
#include "runtime/api/tensh.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TENSH_DIST_ABI 2
#define TENSH_DIST_SYMBOL "tensh_dist_table"

typedef struct tensh_dist_remote tensh_dist_remote;  // a session on another server
typedef struct tensh_dist_server tensh_dist_server;

typedef struct tensh_dist_options {
  int cpus;  // 0: not said
  int soft_placement, log_placement;
  int64_t timeout_ms;  // of every call; 0: none
} tensh_dist_options;

typedef struct tensh_dist_serve {
  const char* host;
  int port;             // 0: any free one; -1: as the cluster says
  const char* cluster;  // the tasks as JSON or as a line; "": a server for itself
  const char* job;      // "": localhost
  int task;
  const char* config;  // as tsh_session_new
} tensh_dist_serve;

typedef struct tensh_dist_device {
  const char* name;
  const char* type;
  const char* description;
  int64_t memory_limit;
  uint64_t incarnation;
} tensh_dist_device;

typedef struct tensh_dist_plugin {
  int abi;
  // Borrows the graph: the caller keeps it until `close`. The server hears of it with the first
  // call below.
  tensh_dist_remote* (*connect)(tsh_graph*, const char* target, const tensh_dist_options*,
                                tsh_status*);
  int (*run)(tensh_dist_remote*, const tsh_run*, tsh_tensor** fetched, tsh_status*);
  int (*devices)(tensh_dist_remote*, void (*each)(void* context, const tensh_dist_device*),
                 void* context, tsh_status*);
  void (*cancel)(tensh_dist_remote*);  // the calls in flight end with Cancelled
  int (*close)(tensh_dist_remote*, tsh_status*);
  void (*free_remote)(tensh_dist_remote*);

  tensh_dist_server* (*serve)(const tensh_dist_serve*, int* bound, tsh_status*);
  void (*wait)(tensh_dist_server*);
  void (*stop)(tensh_dist_server*);
  void (*free_server)(tensh_dist_server*);
} tensh_dist_plugin;

#ifdef __cplusplus
}
#endif
