/* tensh from C: builds a + b, opens a session, runs it, and prints how it ran.
 *
 *   cc embed.c $(pkg-config --cflags --libs tensh) -o embed
 *
 * Prints [3, 5] and the report of the run. The exit code is 1 if anything fails. */
#include <stdio.h>

#include "tensh/tensh.h"

static int Fail(const char* what, tsh_status* status) {
  fprintf(stderr, "%s: %s %s\n", what, tsh_status_message(status), tsh_status_hint(status));
  return 1;
}

/* A constant vector of two floats. */
static tsh_node AddConst(tsh_graph* graph, const char* name, float x, float y, tsh_status* status) {
  const int64_t dims[] = {2};
  tsh_tensor* value = tsh_tensor_new(TSH_FLOAT, dims, 1, status);
  if (value == NULL) return TSH_NO_NODE;
  float* data = tsh_tensor_data(value);
  data[0] = x;
  data[1] = y;
  tsh_attr attrs[2] = {TSH_ATTR_INIT, TSH_ATTR_INIT};
  attrs[0].name = "value";
  attrs[0].kind = TSH_ATTR_TENSOR;
  attrs[0].tensor = value;
  attrs[1].name = "dtype";
  attrs[1].kind = TSH_ATTR_TYPE;
  attrs[1].i = TSH_FLOAT;
  tsh_node_spec spec = TSH_NODE_SPEC_INIT;
  spec.op = "Const";
  spec.name = name;
  spec.attrs = attrs;
  spec.n_attrs = 2;
  tsh_node node = TSH_NO_NODE;
  if (!tsh_graph_add(graph, &spec, 1, &node, status)) node = TSH_NO_NODE;
  tsh_tensor_unref(value);
  return node;
}

static tsh_node AddSum(tsh_graph* graph, const char* name, tsh_node a, tsh_node b,
                       tsh_status* status) {
  const tsh_output inputs[] = {{a, 0}, {b, 0}};
  tsh_node_spec spec = TSH_NODE_SPEC_INIT;
  spec.op = "AddV2";
  spec.name = name;
  spec.device = "/cpu:1";
  spec.inputs = inputs;
  spec.n_inputs = 2;
  tsh_node node = TSH_NO_NODE;
  return tsh_graph_add(graph, &spec, 1, &node, status) ? node : TSH_NO_NODE;
}

static int RunAndPrint(tsh_session* session, tsh_node sum, tsh_status* status) {
  const tsh_output fetch = {sum, 0};
  tsh_run run = TSH_RUN_INIT;
  run.fetches = &fetch;
  run.n_fetches = 1;
  tsh_tensor* result = NULL;
  char* report = NULL;
  if (!tsh_session_run_traced(session, &run, &result, &report, status)) return Fail("run", status);
  const float* data = tsh_tensor_data(result);
  printf("[%g, %g]\n", data[0], data[1]);
  printf("%s\n", report);
  const int good = tsh_tensor_elements(result) == 2 && data[0] == 3 && data[1] == 5;
  tsh_free(report);
  tsh_tensor_unref(result);
  return good ? 0 : 1;
}

int main(void) {
  tsh_status* status = tsh_status_new();
  tsh_graph* graph = tsh_graph_new();
  int code = 1;
  const tsh_node a = AddConst(graph, "a", 1, 2, status);
  const tsh_node b = a == TSH_NO_NODE ? a : AddConst(graph, "b", 2, 3, status);
  const tsh_node sum = b == TSH_NO_NODE ? b : AddSum(graph, "sum", a, b, status);
  if (sum == TSH_NO_NODE) {
    code = Fail("build", status);
  } else {
    /* Two CPU devices: the sum is placed on the second, so the values cross by Send/Recv. */
    tsh_session* session = tsh_session_new(graph, "", "{\"device_count\": {\"CPU\": 2}}", status);
    code = session == NULL ? Fail("session", status) : RunAndPrint(session, sum, status);
    if (session != NULL && !tsh_session_close(session, status)) code = Fail("close", status);
    if (session != NULL) tsh_session_unref(session);
  }
  tsh_graph_unref(graph);
  tsh_status_free(status);
  return code;
}
