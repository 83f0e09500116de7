// _Send and _Recv: the ends of an edge that was cut between devices or tasks. A master adds them to
// the subgraphs that it sends to its workers. A plan compiles them into the step, which exchanges
// the values with the program that runs the subgraph. The kernels only report misuse.
#include "ops/op_file.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

Status OnlyInParts(KernelCtx&) {
  return FailedPrecondition(
      "a Send or Recv can run only in a subgraph that a master has partitioned");
}

constexpr char kAttrs[] =
    "tensor_name: string, send_device: string, send_device_incarnation: int, recv_device: string, "
    "client_terminated: bool = false";
constexpr char kAttrDoc[] =
    "tensor_name, send_device, send_device_incarnation and recv_device form the key by which both "
    "ends find each other. client_terminated: the other end is the client that runs the step.";

OpSpec SendSpec(const char* name, const char* what) {
  return {.name = name,
          .inputs = "tensor: T",
          .attrs = std::string("T: type, ") + kAttrs,
          .doc = std::string(what) + " T is the type of tensor. " + kAttrDoc,
          .shape = NoOutputs,
          .no_gradient = true,
          .stateful = true,
          .role = OpRole::kSend,
          .examples = {{"tf.constant(1.) + 2.", "3.0"}}};
}

OpSpec RecvSpec(const char* name, const char* what) {
  return {.name = name,
          .outputs = "tensor: tensor_type",
          .attrs = std::string("tensor_type: type, ") + kAttrs,
          .doc = std::string(what) + " tensor_type is its type. " + kAttrDoc,
          .shape = UnknownOutputs,
          .no_gradient = true,
          .stateful = true,
          .role = OpRole::kRecv,
          .examples = {{"tf.constant(1.) + 2.", "3.0"}}};
}

}  // namespace

TENSH_OPS(control_send_recv) {
  r.Op(SendSpec("_Send", "Sends tensor to the device of the corresponding Recv."))
      .CpuAny(OnlyInParts);
  r.Op(RecvSpec("_Recv", "Receives the tensor of the Send with the same key.")).CpuAny(OnlyInParts);
  r.Op(SendSpec("_HostSend", "Sends tensor, which is in host memory.")).CpuAny(OnlyInParts);
  r.Op(RecvSpec("_HostRecv", "Receives a tensor into host memory.")).CpuAny(OnlyInParts);
}

}  // namespace tensh::ops
