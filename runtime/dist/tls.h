#pragma once
// TLS options of connections: encryption, and authentication of both sides by certificates.
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <string>

#include "runtime/api/dist_api.h"
#include "runtime/core/status.h"

namespace tensh::dist {

struct Tls {
  std::string cert, key, ca;  // PEM
  bool on() const { return !cert.empty() || !ca.empty(); }
};
// Reads the files. Returns InvalidArgument if the options contradict each other.
Result<Tls> ReadTls(const tensh_dist_tls& files, bool server);

std::shared_ptr<grpc::ChannelCredentials> ClientCredentials(const Tls& tls);
// If a CA is set, only clients with a certificate signed by it are accepted.
std::shared_ptr<grpc::ServerCredentials> ServerCredentials(const Tls& tls);

}  // namespace tensh::dist
