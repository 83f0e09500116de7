#include "shell/explain/scope_tree.h"

#include <algorithm>
#include <unordered_map>

namespace tensh::shell {
namespace {

constexpr size_t kNone = SIZE_MAX;
constexpr size_t kSmallestScope = 3;
// Scopes below this depth count as a part of the name, so that hostile names cannot make a deep
// tree.
constexpr int kDeepest = 32;

struct Entry {
  bool is_scope = false;
  size_t index = 0;  // of the scope or of the node
};

struct Scope {
  std::string_view name;  // "" for the whole graph
  size_t parent = kNone;
  size_t own = kNone;  // the node that has the name of the scope
  size_t below = 0;
  bool open = false, closed = false;
  std::vector<Entry> entries = {};
};

// Returns the scope of a node, "a/b" for "a/b/c".
std::string_view ScopeOf(std::string_view name) {
  size_t end = 0;
  for (int depth = 0; depth < kDeepest; ++depth) {
    const size_t slash = name.find('/', end == 0 ? 0 : end + 1);
    if (slash == name.npos) break;
    end = slash;
  }
  return name.substr(0, end);
}

class Tree {
 public:
  explicit Tree(std::span<const std::string_view> names) : names_(names) {
    scopes_.push_back({""});
    ids_.emplace("", 0);
    std::vector<size_t> scope_of;
    scope_of.reserve(names.size());
    for (size_t n = 0; n < names.size(); ++n) {
      scope_of.push_back(IdOf(ScopeOf(names[n])));
      scopes_[scope_of[n]].entries.push_back({false, n});
    }
    for (size_t n = 0; n < names.size(); ++n) {
      const auto own = ids_.find(names[n]);
      if (own != ids_.end() && own->second != 0) scopes_[own->second].own = n;
      for (size_t id = scope_of[n]; id != kNone; id = scopes_[id].parent) ++scopes_[id].below;
    }
  }

  ScopeRows Rows(std::span<const std::string> open, size_t max_rows,
                 std::span<const std::string> closed) {
    scopes_[0].open = true;
    for (const std::string& name : closed)
      if (const auto at = ids_.find(name); at != ids_.end()) scopes_[at->second].closed = true;
    size_t rows = Listed(0).size();
    for (const std::string& name : open) {
      const auto at = ids_.find(name);
      for (size_t id = at == ids_.end() ? kNone : at->second; id != kNone;
           id = scopes_[id].parent) {
        if (scopes_[id].open) continue;
        scopes_[id].open = true;
        rows += Listed(id).size();
      }
    }
    OpenWhatFits(rows, max_rows);
    ScopeRows out;
    out.row_of.assign(names_.size(), kNone);
    std::vector<Entry> top = Listed(0);
    // A scope that the user opened may be anywhere, so the top level is cut only if none was
    // opened.
    if (open.empty() && top.size() > max_rows) {
      out.left_out = top.size() - max_rows;
      top.resize(max_rows);
    }
    Emit(0, top, 0, &out);
    return out;
  }

 private:
  size_t IdOf(std::string_view name) {
    const auto at = ids_.find(name);
    if (at != ids_.end()) return at->second;
    const size_t parent = IdOf(ScopeOfScope(name));
    const size_t id = scopes_.size();
    ids_.emplace(name, id);
    scopes_.push_back({name, parent});
    scopes_[parent].entries.push_back({true, id});
    return id;
  }

  static std::string_view ScopeOfScope(std::string_view name) {
    const size_t slash = name.rfind('/');
    return slash == name.npos ? std::string_view() : name.substr(0, slash);
  }

  bool IsOwn(size_t node) const {
    const auto at = ids_.find(names_[node]);
    return at != ids_.end() && at->second != 0;
  }

  // Returns the rows of a scope: its nodes, the nodes of scopes that are too small, and its scopes.
  // A scope that contains only another scope is replaced by that one.
  std::vector<Entry> Listed(size_t id) const {
    std::vector<Entry> out;
    for (const Entry& entry : scopes_[id].entries) {
      if (!entry.is_scope) {
        if (!IsOwn(entry.index)) out.push_back(entry);
        continue;
      }
      const Scope& scope = scopes_[entry.index];
      if (scope.below < kSmallestScope) {
        if (scope.own != kNone) out.push_back({false, scope.own});
        const std::vector<Entry> inner = Listed(entry.index);
        out.insert(out.end(), inner.begin(), inner.end());
        continue;
      }
      size_t at = entry.index;
      while (scopes_[at].entries.size() == 1 && scopes_[at].own == kNone &&
             scopes_[at].entries[0].is_scope)
        at = scopes_[at].entries[0].index;
      out.push_back({true, at});
    }
    return out;
  }

  // Opens the scopes level by level, and within a level in the order of the graph, while the rows
  // fit.
  void OpenWhatFits(size_t rows, size_t max_rows) {
    std::vector<size_t> level{0}, next;
    for (; !level.empty(); level = std::move(next)) {
      next.clear();
      for (const size_t id : level) {
        for (const Entry& entry : Listed(id)) {
          if (!entry.is_scope) continue;
          Scope& scope = scopes_[entry.index];
          const size_t size = scope.open ? 0 : Listed(entry.index).size();
          if (!scope.open && (scope.closed || rows + size > max_rows)) continue;
          scope.open = true;
          rows += size;
          next.push_back(entry.index);
        }
      }
    }
  }

  std::string Label(std::string_view name, std::string_view within) const {
    return std::string(within.empty() ? name : name.substr(within.size() + 1));
  }

  // Adds the rows of a scope, and maps its nodes to them.
  void Emit(size_t id, const std::vector<Entry>& entries, size_t depth, ScopeRows* out) {
    const std::string_view within = scopes_[id].name;
    for (const Entry& entry : entries) {
      const size_t row = out->rows.size();
      if (!entry.is_scope) {
        out->rows.push_back({.depth = depth,
                             .label = Label(names_[entry.index], within),
                             .within = within,
                             .node = entry.index});
        out->row_of[entry.index] = row;
        continue;
      }
      const Scope& scope = scopes_[entry.index];
      out->rows.push_back({.depth = depth,
                           .label = Label(scope.name, within),
                           .scope = std::string(scope.name),
                           .within = within,
                           .node = scope.own,
                           .below = scope.below,
                           .open = scope.open});
      if (scope.own != kNone) out->row_of[scope.own] = row;
      if (scope.open)
        Emit(entry.index, Listed(entry.index), depth + 1, out);
      else
        MapBelow(entry.index, row, out);
    }
  }

  void MapBelow(size_t id, size_t row, ScopeRows* out) const {
    for (const Entry& entry : scopes_[id].entries) {
      if (entry.is_scope)
        MapBelow(entry.index, row, out);
      else
        out->row_of[entry.index] = row;
    }
  }

  const std::span<const std::string_view> names_;
  std::vector<Scope> scopes_;
  std::unordered_map<std::string_view, size_t> ids_;
};

}  // namespace

ScopeRows FoldScopes(std::span<const std::string_view> names, std::span<const std::string> open,
                     size_t max_rows, std::span<const std::string> closed) {
  return Tree(names).Rows(open, max_rows, closed);
}

bool HasScope(std::span<const std::string_view> names, std::string_view scope) {
  return std::any_of(names.begin(), names.end(), [scope](std::string_view name) {
    return name.size() > scope.size() && name[scope.size()] == '/' && name.starts_with(scope);
  });
}

}  // namespace tensh::shell
