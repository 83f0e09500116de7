#pragma once
// Who a connection is with: nobody in particular, or who shows a certificate.
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <string>

#include "runtime/core/status.h"
#include "runtime/dist/dist_api.h"

namespace tensh::dist {

struct Tls {
  std::string cert, key, ca;  // PEM
  bool on() const { return !cert.empty() || !ca.empty(); }
};
// Reads the files. InvalidArgument for what does not go together.
Result<Tls> ReadTls(const tensh_dist_tls& files, bool server);

std::shared_ptr<grpc::ChannelCredentials> ClientCredentials(const Tls& tls);
// With a CA: only who shows a certificate signed by it is listened to.
std::shared_ptr<grpc::ServerCredentials> ServerCredentials(const Tls& tls);

}  // namespace tensh::dist
