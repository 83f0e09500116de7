// The nodes of a graph as a tree by name scope, for a screen: scopes are opened from the top as long
// as their rows fit. Pure functions of the names; thread-safe.
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
  // The index of the node; for a scope, of the node that has the name of the scope, or SIZE_MAX.
  size_t node = SIZE_MAX;
  size_t below = 0;  // of a scope: the number of nodes in it, without that node
  bool open = false;
};

struct ScopeRows {
  std::vector<TreeRow> rows;
  std::vector<size_t> row_of;  // for each node the row that shows it or its scope, or SIZE_MAX
  size_t left_out = 0;         // number of rows of the top level that did not fit
};

// Returns at most `max_rows` rows, and more only for the scopes in `open`, which are opened in any
// case together with the scopes around them. Those in `closed` are opened only in this way. A scope of
// less than three nodes is not a row: its nodes are listed where it would be. `names` must outlive the
// result.
ScopeRows FoldScopes(std::span<const std::string_view> names, std::span<const std::string> open,
                     size_t max_rows, std::span<const std::string> closed = {});

// Returns true if a name lies in this scope: "a/b" for the name "a/b/c".
bool HasScope(std::span<const std::string_view> names, std::string_view scope);

}  // namespace tensh::shell
