#include "shell/commands/tables/sql_keywords.h"

#include "shell/commands/tables/sqlite_parts.h"

namespace tensh::shell {

bool IsSqlKeyword(std::string_view word) {
  return LoadSqlite().empty() &&
         sqlite3_keyword_check(word.data(), static_cast<int>(word.size())) != 0;
}

std::vector<std::string> SqlKeywords() {
  std::vector<std::string> words;
  if (!LoadSqlite().empty()) return words;
  for (int i = 0; i < sqlite3_keyword_count(); ++i) {
    const char* name = nullptr;
    int size = 0;
    if (sqlite3_keyword_name(i, &name, &size) == SQLITE_OK)
      words.emplace_back(name, static_cast<size_t>(size));
  }
  return words;
}

}  // namespace tensh::shell
