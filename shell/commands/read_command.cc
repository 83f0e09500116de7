// The verb `read`: runs a script in this session.

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"
#include "shell/edit/line_reader.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/file.h"
#include "shell/python/vm/missing_file.h"

namespace tensh::shell {
namespace {

constexpr size_t kMaxScript = size_t{1} << 30;
constexpr int kMaxNested = 16;
int g_nested = 0;  // depth of scripts that read scripts

struct Nested {
  Nested() { ++g_nested; }
  ~Nested() { --g_nested; }
};

void RunRead(CommandCall& call) {
  std::string file(call.text());
  if (file.empty()) call.Misused("needs a file name");
  if (file[0] == '"' || file[0] == '\'')
    file = ToText(call.shell().interp().Eval(call.text()), "read");
  CheckPathToRead(file);
  const Nested nested;
  if (g_nested > kMaxNested)
    throw MakeError(kRecursionError,
                    "read: scripts that read scripts, " + std::to_string(kMaxNested) + " deep");
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  std::string text;
  const bool good = fd >= 0 && ReadAll(fd, kMaxScript, &text);
  const int why = errno;
  if (fd >= 0) ::close(fd);
  if (!good) {
    const bool missing = why == ENOENT;
    throw MakeError(missing ? kFileNotFoundError : kOSError,
                    "cannot read " + file + ": " + std::strerror(why))
        .Hint(missing ? HintForMissingFile(file) : ErrorHint());
  }
  call.shell().RunNested(std::move(text), file);
}

}  // namespace

void RegisterCommand_read(CommandRegistry& r) {
  r.Add({.name = "read",
         .usage = "read FILE",
         .summary = "Run a script in this session; its variables and nodes remain.",
         .help = "",
         .examples = {},
         .complete = "file",
         .lasting = true,
         .run = RunRead});
}

}  // namespace tensh::shell
