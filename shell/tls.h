// The certificate files of the command line and the environment.
#pragma once

namespace tensh::shell {

// Paths of PEM files, or null. An option takes precedence over its variable of the environment.
struct TlsPaths {
  const char* ca = nullptr;    // --tls-ca, $TENSH_TLS_CA
  const char* cert = nullptr;  // --tls-cert, $TENSH_TLS_CERT
  const char* key = nullptr;   // --tls-key, $TENSH_TLS_KEY
};

// Returns the paths of the environment.
TlsPaths TlsOfEnvironment();
// Makes sessions on servers, and servers that scripts start, use these files.
void UseTls(const TlsPaths& paths);

}  // namespace tensh::shell
