#include "runtime/dist/call.h"

namespace tensh::dist {

void ByteService::AddRaw(const std::string& method, Handler handler) {
  const std::string& path = paths_.emplace_back("/" + name_ + "/" + method);
  using grpc::internal::RpcMethod;
  AddMethod(new grpc::internal::RpcServiceMethod(path.c_str(), RpcMethod::NORMAL_RPC, nullptr));
  MarkMethodRawCallback(static_cast<int>(paths_.size()) - 1,
                        new grpc::internal::CallbackUnaryHandler<Bytes, Bytes>(std::move(handler)));
}

void ByteService::AddParsed(const std::string& method, const Message& request_type,
                            const Message& response_type, Fn fn) {
  AddRaw(method,
         [fn = std::move(fn), &request_type, &response_type](Context* context, const Bytes* bytes,
                                                             Bytes* answer) -> Reactor* {
           auto* call = new Call(context);
           return call->RunSoon([=, &fn, &request_type, &response_type](tsh_cancel*) -> Status {
             const std::unique_ptr<Message> request(request_type.New()),
                 response(response_type.New());
             TENSH_RETURN_IF_ERROR(ParseRequest(*bytes, request.get()));
             TENSH_RETURN_IF_ERROR(fn(*request, response.get(), *call, *context));
             return WriteResponse(*response, answer);
           });
         });
}

}  // namespace tensh::dist
