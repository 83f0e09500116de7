#include "shell/python/syntax/ast.h"

#include <cstring>
#include <new>

namespace tensh::shell {
namespace {
constexpr size_t kChunk = 64 << 10;
}

void* Ast::Allocate(size_t bytes) {
  bytes = (bytes + 15) & ~size_t{15};
  if (bytes > kChunk / 4) {
    large_.push_back(std::make_unique_for_overwrite<char[]>(bytes));
    return large_.back().get();
  }
  if (chunks_.empty() || used_ + bytes > kChunk) {
    if (!chunks_.empty()) ++chunk_;
    if (chunk_ == chunks_.size()) chunks_.push_back(std::make_unique_for_overwrite<char[]>(kChunk));
    used_ = 0;
  }
  void* p = chunks_[chunk_].get() + used_;
  used_ += bytes;
  return p;
}

Node* Ast::Make(Kind kind, Span span) {
  static_assert(std::is_trivially_destructible_v<Node>);
  Node* node = new (Allocate(sizeof(Node))) Node;
  node->kind = kind;
  node->span = span;
  return node;
}

NodeList Ast::List(const std::vector<Node*>& nodes) {
  if (nodes.empty()) return {};
  auto** data = static_cast<Node**>(Allocate(nodes.size() * sizeof(Node*)));
  std::memcpy(data, nodes.data(), nodes.size() * sizeof(Node*));
  return {data, static_cast<uint32_t>(nodes.size())};
}

std::string_view Ast::Text(std::string_view text) {
  if (text.empty()) return {};
  auto* data = static_cast<char*>(Allocate(text.size()));
  std::memcpy(data, text.data(), text.size());
  return {data, text.size()};
}

uint32_t Ast::Constant(Value v) {
  constants.push_back(std::move(v));
  return static_cast<uint32_t>(constants.size() - 1);
}

void Ast::Reset() {
  chunk_ = used_ = 0;
  large_.clear();
  constants.clear();
}

}  // namespace tensh::shell
