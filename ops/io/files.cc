// ReadFile, WriteFile and MatchingFiles.
#include "runtime/core/files/files.h"
#include "ops/op_file.h"

namespace tensh::ops {
namespace {

Status ReadFile(KernelCtx& c) {
  TENSH_ASSIGN(std::string text, ReadWholeFile(*c.in(0).data<std::string>()));
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  *out->data<std::string>() = std::move(text);
  return {};
}

Status WriteFile(KernelCtx& c) {
  const std::string& path = *c.in(0).data<std::string>();
  TENSH_RETURN_IF_ERROR(MakeDirectories(DirectoryOf(path)));
  return WriteWholeFile(path, *c.in(1).data<std::string>());
}

Status Matching(KernelCtx& c) {
  std::vector<std::string> all;
  for (const std::string& pattern : c.in(0).flat<std::string>()) {
    TENSH_ASSIGN(std::vector<std::string> found, MatchFiles(pattern, c.cancel()));
    all.insert(all.end(), found.begin(), found.end());
  }
  std::sort(all.begin(), all.end());
  TENSH_OUTPUT(out, c.Output(0, Shape({static_cast<int64_t>(all.size())})));
  std::move(all.begin(), all.end(), out->data<std::string>());
  return {};
}

Status ReadShape(ShapeCtx& c) {
  c.Set(0, Shape());
  return {};
}

Status MatchingShape(ShapeCtx& c) {
  c.Set(0, Shape::UnknownOfRank(1));
  return {};
}

}  // namespace

TENSH_OPS(io_files) {
  r.Op({.name = "ReadFile",
        .inputs = "filename: string",
        .outputs = "contents: string",
        .doc = "Reads a file. filename is its path, contents its bytes.",
        .contract = "filename: scalar",
        .shape = ReadShape,
        .no_gradient = true,
        .examples = {{"open('data.txt', 'w').write('hello') and tf.read_file('data.txt')",
                      "b'hello'"}}})
      .CpuAny(ReadFile);
  r.Op({.name = "WriteFile",
        .inputs = "filename: string, contents: string",
        .doc = "Writes a file. filename is its path, contents its bytes. Missing directories are "
               "created.",
        .contract = "filename: scalar, contents: scalar",
        .shape = NoOutputs,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.write_file('data.txt', 'hello')", ""}}})
      .CpuAny(WriteFile);
  r.Op({.name = "MatchingFiles",
        .inputs = "pattern: string",
        .outputs = "filenames: string",
        .doc = "The files that match a pattern, or one of several. In pattern, * stands for any "
               "characters and ? for one. filenames are the paths, sorted.",
        .contract = "pattern: rank 0..1",
        .shape = MatchingShape,
        .no_gradient = true,
        .examples = {{"tf.matching_files('no such file.*')", "[]"}}})
      .CpuAny(Matching);
}

}  // namespace tensh::ops
