#include "runtime/dist/tls.h"

#include <fstream>
#include <iterator>

namespace tensh::dist {
namespace {

constexpr std::streamoff kMaxPem = 1 << 20;

Status ReadPem(const char* path, const char* option, std::string* to) {
  if (!path || !*path) return {};
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return NotFound(option, ": cannot read ", path);
  if (file.tellg() > kMaxPem)
    return InvalidArgument(option, ": ", path, " is not a PEM file: it is too large");
  file.seekg(0);
  to->assign(std::istreambuf_iterator<char>(file), {});
  if (to->find("-----BEGIN ") == std::string::npos)
    return InvalidArgument(option, ": ", path, " is not a PEM file");
  return {};
}

}  // namespace

Result<Tls> ReadTls(const tensh_dist_tls& files, bool server) {
  Tls tls;
  TENSH_RETURN_IF_ERROR(ReadPem(files.cert, "--tls-cert", &tls.cert));
  TENSH_RETURN_IF_ERROR(ReadPem(files.key, "--tls-key", &tls.key));
  TENSH_RETURN_IF_ERROR(ReadPem(files.ca, "--tls-ca", &tls.ca));
  if (tls.cert.empty() != tls.key.empty())
    return InvalidArgument("--tls-cert and --tls-key must be given together");
  if (server && !tls.ca.empty() && tls.cert.empty())
    return InvalidArgument(
        "a server that requires certificates needs its own: --tls-cert, --tls-key");
  return tls;
}

std::shared_ptr<grpc::ChannelCredentials> ClientCredentials(const Tls& tls) {
  if (!tls.on()) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials({tls.ca, tls.key, tls.cert});
}

std::shared_ptr<grpc::ServerCredentials> ServerCredentials(const Tls& tls) {
  if (!tls.on()) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(
      tls.ca.empty() ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                     : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = tls.ca;
  options.pem_key_cert_pairs.push_back({tls.key, tls.cert});
  return grpc::SslServerCredentials(options);
}

}  // namespace tensh::dist
