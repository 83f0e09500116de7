// tf.Print and tf.Assert: ops that write to standard error or fail when they run.
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/control_flow.h"
#include "shell/tensorflow/graph/rows.h"

namespace tensh::shell::tf {
namespace {

// input_, data, message, first_n, summarize, name
Value PrintFn(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  OpCall call(g, "Print", NameText(a[5]));
  const std::string message = a[2].is_none() ? "" : ToText(a[2], "message");
  call.In(a[0]).In(a[1]);
  call.attrs().String("message", message);
  if (!a[3].is_none()) call.attrs().Int("first_n", ToIndex(a[3]));
  if (!a[4].is_none()) call.attrs().Int("summarize", ToIndex(a[4]));
  return call.AddValue();
}

// condition, data, summarize, name
Value AssertFn(Args& a) {
  GraphObject& g = GraphOf({&a[0], &a[1]});
  return g.Operation(AssertNode(g, a[0], a[1], a[2], a[3]));
}

const FunctionRow kRows[] = {
    {"Print", "input_, data, message=None, first_n=None, summarize=None, name=None", PrintFn,
     "Returns input_, and prints data when it runs."},
    {"Assert", "condition, data, summarize=None, name=None", AssertFn,
     "Fails when condition is false."},
};

}  // namespace

std::span<const FunctionRow> PrintAssertRows() { return kRows; }

}  // namespace tensh::shell::tf
