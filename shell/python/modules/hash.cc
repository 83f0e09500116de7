// The module _hash, on which shell/python/library/hashlib.py is built: digests of bytes. OpenSSL's
// libcrypto computes them; it is loaded at the first use.
#include <dlfcn.h>
#include <openssl/evp.h>

#include <string>

#include "shell/python/modules/modules.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"

namespace tensh::shell {
namespace {

struct Crypto {
  decltype(&EVP_get_digestbyname) find = nullptr;
  decltype(&EVP_Digest) digest = nullptr;

  Crypto() {
    void* library = ::dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    find = reinterpret_cast<decltype(find)>(::dlsym(library, "EVP_get_digestbyname"));
    digest = reinterpret_cast<decltype(digest)>(::dlsym(library, "EVP_Digest"));
  }
};

Value Digest(Args& a) {
  static const Crypto crypto;
  if (!crypto.find || !crypto.digest)
    throw MakeError(kImportError, "libcrypto.so.3 is not installed: apt-get install libssl3");
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
