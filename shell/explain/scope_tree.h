// Arranges the nodes of a graph as a tree by name scope. Scopes are opened from the top as long as
// their rows fit on the screen. Pure functions of the names; thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tensh::shell {

struct TreeRow {
  size_t depth = 0;
  std::string label = {};        // the name below the scope of the row above: "kernel/Adam"
  std::string scope = {};        // the full name of the scope, or "" if the row is a node
  std::string_view within = {};  // the full name of the scope that contains the row, or ""
  // The index of the node. For a scope, the index of the node that has the name of the scope, or
  // SIZE_MAX.
  size_t node = SIZE_MAX;
  size_t below = 0;  // for a scope: the number of nodes in it, without that node
  bool open = false;
};

struct ScopeRows {
  std::vector<TreeRow> rows;
  std::vector<size_t> row_of;  // for each node the row that shows it or its scope, or SIZE_MAX
  size_t left_out = 0;         // number of rows of the top level that did not fit
};

// Returns at most `max_rows` rows. The scopes in `open` and the scopes around them are always
// opened, even if that takes more rows. The scopes in `closed` are opened only for that reason. A
// scope with fewer than three nodes has no row: its nodes are listed in its place. `names` must
// outlive the result.
ScopeRows FoldScopes(std::span<const std::string_view> names, std::span<const std::string> open,
                     size_t max_rows, std::span<const std::string> closed = {});

// Returns true if a name lies in this scope: "a/b/c" lies in "a/b".
bool HasScope(std::span<const std::string_view> names, std::string_view scope);

}  // namespace tensh::shell
