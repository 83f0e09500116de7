// The module _hash, on which shell/python/library/hashlib.py is built: digests of bytes. OpenSSL's
// libcrypto computes them; it is loaded at the first use.
#include <openssl/evp.h>

#include <string>

#include "runtime/base/shared_library.h"
#include "shell/python/modules/modules.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"

namespace tensh::shell {
namespace {

struct Crypto {
  decltype(&EVP_get_digestbyname) find = nullptr;
  decltype(&EVP_Digest) digest = nullptr;

  Crypto() {
    SharedLibrary library(kCryptoLibrary);
    library.Find("EVP_get_digestbyname", &find);
    library.Find("EVP_Digest", &digest);
  }
};

Value Digest(Args& a) {
  static const Crypto crypto;
  if (!crypto.find || !crypto.digest) throw MakeError(kImportError, NotInstalled(kCryptoLibrary));
  auto* name = As<StrObject>(a[0]);
  auto* data = As<BytesObject>(a[1]);
  if (!name || !data) throw TypeError("object supporting the buffer API required");
  unsigned char out[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  const EVP_MD* kind = crypto.find(name->text().c_str());
  if (!kind || !crypto.digest(data->data.data(), data->data.size(), out, &size, kind, nullptr))
    throw ValueError("unsupported hash type " + name->text());
  return MakeBytes(std::string(out, out + size));
}

const FunctionRow kRows[] = {{"digest", "name, data, /", Digest}};

}  // namespace

const ModuleDef kHashModule = {.name = "_hash", .functions = kRows};

}  // namespace tensh::shell
