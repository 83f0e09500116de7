// The ends of an edge that was cut: what a master puts into the parts of a graph that it gives to
// its workers. Compiled into the step itself, which asks whoever runs the part for the values.
#include "ops/op_file.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

Status OnlyInParts(KernelCtx&) {
  return FailedPrecondition("a Send or Recv runs only in a part of a graph that a master made");
}

constexpr char kAttrs[] =
    "tensor_name: string, send_device: string, send_device_incarnation: int, recv_device: string, "
    "client_terminated: bool = false";
constexpr char kAttrDoc[] =
    "tensor_name, send_device, send_device_incarnation and recv_device make up the key under which "
    "both ends find each other; client_terminated: the other end is the program that asked for the "
    "step.";

OpSpec SendSpec(const char* name, const char* what) {
  return {.name = name,
          .inputs = "tensor: T",
          .attrs = std::string("T: type, ") + kAttrs,
          .doc = std::string(what) + " T is the type of tensor. " + kAttrDoc,
          .shape = NoOutputs,
          .no_gradient = true,
          .stateful = true,
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
          .examples = {{"tf.constant(1.) + 2.", "3.0"}}};
}

}  // namespace

TENSH_OPS(control_send_recv) {
  r.Op(SendSpec("_Send", "Sends tensor to the device where its Recv is.")).CpuAny(OnlyInParts);
  r.Op(RecvSpec("_Recv", "Receives the tensor of the Send with the same key.")).CpuAny(OnlyInParts);
  r.Op(SendSpec("_HostSend", "Sends tensor, which lies in host memory.")).CpuAny(OnlyInParts);
  r.Op(RecvSpec("_HostRecv", "Receives a tensor into host memory.")).CpuAny(OnlyInParts);
}

}  // namespace tensh::ops
