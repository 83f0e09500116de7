// SQL functions that replace slow ones of SQLite, whose time can be exponential, and the function
// `contains`.
#include <cstring>
#include <string>
#include <vector>

#include "runtime/base/text.h"
#include "shell/commands/tables/sqlite_parts.h"
#include "shell/text/match.h"

namespace tensh::shell {
namespace {

Database* DatabaseOf(sqlite3_context* context) {
  return static_cast<Database*>(sqlite3_user_data(context));
}

bool AnyNull(int argc, sqlite3_value** argv) {
  for (int i = 0; i < argc; ++i)
    if (sqlite3_value_type(argv[i]) == SQLITE_NULL) return true;
  return false;
}

// like(PATTERN, TEXT [, ESCAPE]) and glob(PATTERN, TEXT). The operators LIKE and GLOB call these.
template <PatternKind kind>
void Match(sqlite3_context* context, int argc, sqlite3_value** argv) {
  if (AnyNull(argc, argv)) return sqlite3_result_null(context);
  const std::string_view escape = argc > 2 ? TextOf(argv[2]) : std::string_view();
  if (argc > 2 && escape.size() != 1)
    return sqlite3_result_error(context, "ESCAPE expression must be a single character", -1);
  const Pattern pattern(kind, TextOf(argv[0]), escape.empty() ? '\0' : escape[0]);
  Database* database = DatabaseOf(context);
  bool ended = false;
  const bool matches =
      pattern.Matches(TextOf(argv[1]), [&] { return ended = database->interrupted(); });
  if (ended) return sqlite3_result_error_code(context, SQLITE_INTERRUPT);
  sqlite3_result_int(context, matches ? 1 : 0);
}

// glibc's memmem takes time proportional to the sum of the lengths.
size_t FindIn(std::string_view text, std::string_view part, size_t from = 0) {
  const void* at = ::memmem(text.data() + from, text.size() - from, part.data(), part.size());
  return at == nullptr ? std::string_view::npos
                       : static_cast<size_t>(static_cast<const char*>(at) - text.data());
}

// instr(TEXT, PART) counts characters from 1; 0 if the part does not occur.
void Instr(sqlite3_context* context, int argc, sqlite3_value** argv) {
  if (AnyNull(argc, argv)) return sqlite3_result_null(context);
  const std::string_view text = TextOf(argv[0]), part = TextOf(argv[1]);
  const size_t at = part.empty() ? 0 : FindIn(text, part);
  if (at == std::string_view::npos) return sqlite3_result_int(context, 0);
  sqlite3_int64 characters = 1;
  for (size_t i = 0; i < at; ++i) characters += (text[i] & 0xc0) != 0x80;
  sqlite3_result_int64(context, characters);
}

void Replace(sqlite3_context* context, int argc, sqlite3_value** argv) {
  if (AnyNull(argc, argv)) return sqlite3_result_null(context);
  const std::string_view text = TextOf(argv[0]), from = TextOf(argv[1]), to = TextOf(argv[2]);
  if (from.empty()) return sqlite3_result_value(context, argv[0]);
  const auto limit = static_cast<size_t>(
      sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1));
  std::string out;
  size_t begin = 0;
  for (size_t at; (at = FindIn(text, from, begin)) != std::string_view::npos;
       begin = at + from.size()) {
    out.append(text, begin, at - begin).append(to);
    if (out.size() > limit) return sqlite3_result_error_toobig(context);
  }
  out.append(text, begin);
  sqlite3_result_text64(context, out.data(), out.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

// contains(TEXT, PART): 1 if the text contains the part, ignoring case. A number contains nothing,
// as in the PATTERN of a table verb.
void Contains(sqlite3_context* context, int, sqlite3_value** argv) {
  if (sqlite3_value_type(argv[0]) != SQLITE_TEXT) return sqlite3_result_int(context, 0);
  const std::string text = AsciiLower(TextOf(argv[0])), part = AsciiLower(TextOf(argv[1]));
  sqlite3_result_int(context, FindIn(text, part) != std::string_view::npos ? 1 : 0);
}

struct FunctionEntry {
  const char* name;
  int arguments;
  void (*run)(sqlite3_context* context, int argc, sqlite3_value** argv);
};
constexpr FunctionEntry kFunctions[] = {
    {"like", 2, Match<PatternKind::kLike>},
    {"like", 3, Match<PatternKind::kLike>},
    {"glob", 2, Match<PatternKind::kGlob>},
    {"instr", 2, Instr},
    {"replace", 3, Replace},
    {"contains", 2, Contains},
};

}  // namespace

int AddFunctions(sqlite3* db, Database* database) {
  for (const FunctionEntry& each : kFunctions) {
    const int code = sqlite3_create_function_v2(
        db, each.name, each.arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
        database, each.run, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

}  // namespace tensh::shell
