#include "shell/tls.h"

#include <cstdlib>

#include "tensh/tensh_server.h"

namespace tensh::shell {

TlsPaths TlsOfEnvironment() {
  return {std::getenv("TENSH_TLS_CA"), std::getenv("TENSH_TLS_CERT"), std::getenv("TENSH_TLS_KEY")};
}

void UseTls(const TlsPaths& paths) {
  tsh_tls tls;
  tls.ca = paths.ca;
  tls.cert = paths.cert;
  tls.key = paths.key;
  tsh_use_tls(&tls, nullptr);
}

}  // namespace tensh::shell
