// Files: the limits on the files that ops may access, and reading of checkpoints without a graph.
#include <cerrno>

#include "ops/formats/tensor_bundle.h"
#include "runtime/api/c_types.h"
#include "runtime/base/wire.h"
#include "runtime/core/files/files.h"

using namespace tensh;
using namespace tensh::api;

struct tsh_checkpoint {
  std::string prefix;
  ops::Bundle bundle;
  std::vector<std::string> names;
};

void tsh_files_limit(const char* directory, int may_write) {
  Guard(nullptr,
        [&]() -> Status { return LimitFiles(directory ? directory : "", may_write != 0); });
}

int tsh_record_append(const char* path, const char* data, size_t size, tsh_status* status) {
  return Guard(status, [&]() -> Status {
    TENSH_NEED(path);
    TENSH_NEED(data || size == 0);
    TENSH_ASSIGN(FilePtr file, OpenFile(path, "ab"));
    std::string head, tail;
    AppendFixed64(head, size);
    AppendFixed32(head, MaskedCrc32c(head));
    AppendFixed32(tail, MaskedCrc32c({data, size}));
    head.append(data, size);
    head += tail;
    if (std::fwrite(head.data(), 1, head.size(), file.get()) != head.size() ||
        std::fflush(file.get()) != 0)
      return FileError(errno, path, " while writing");
    return {};
  });
}

tsh_checkpoint* tsh_checkpoint_open(const char* prefix, tsh_status* status) {
  tsh_checkpoint* made = nullptr;
  Guard(status, [&]() -> Status {
    TENSH_ASSIGN(ops::Bundle bundle, ops::ReadBundle(prefix ? prefix : ""));
    made = new tsh_checkpoint{prefix ? prefix : "", std::move(bundle), {}};
    for (const auto& [name, entry] : made->bundle.entries)
      if (name[0] != '\0' && (IsPod(entry.dtype) || entry.dtype == DType::kString))
        made->names.push_back(name);
    return {};
  });
  return made;
}

void tsh_checkpoint_free(tsh_checkpoint* c) { delete c; }
size_t tsh_checkpoint_size(const tsh_checkpoint* c) { return c ? c->names.size() : 0; }

const char* tsh_checkpoint_entry(const tsh_checkpoint* c, size_t i, int* dtype, int* rank,
                                 int64_t* dims) {
  if (i >= tsh_checkpoint_size(c)) return nullptr;
  const ops::BundleEntry& entry = c->bundle.entries.at(c->names[i]);
  if (dtype) *dtype = static_cast<int>(entry.dtype);
  if (rank) *rank = entry.shape.rank();
  for (int d = 0; dims && d < entry.shape.rank(); ++d) dims[d] = entry.shape[d];
  return c->names[i].c_str();
}

tsh_tensor* tsh_checkpoint_tensor(const tsh_checkpoint* c, const char* name, tsh_status* status) {
  tsh_tensor* read = nullptr;
  Guard(status, [&]() -> Status {
    TENSH_NEED(c);
    auto it = c->bundle.entries.find(name ? name : "");
    if (it == c->bundle.entries.end())
      return NotFound("Key ", name ? name : "", " not found in checkpoint");
    ops::BundleRead one{it->first, &it->second};
    TENSH_RETURN_IF_ERROR(ops::ReadBundleTensors(c->prefix, c->bundle, {&one, 1}, {}));
    read = Handle(std::move(one.tensor));
    return {};
  });
  return read;
}
