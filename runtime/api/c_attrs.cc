// A node's attributes as tsh_attr, with the arrays they point to.
#include <deque>

#include "runtime/api/c_types.h"
#include "runtime/api/tensh_server.h"

using namespace tensh;
using namespace tensh::api;

struct tsh_attrs {
  std::vector<tsh_attr> list;
  std::deque<std::vector<int64_t>> ints;
  std::deque<std::vector<double>> floats;
  std::deque<std::vector<const char*>> strings;
  std::deque<std::vector<size_t>> lengths;
};

namespace {

class AttrOut {
 public:
  AttrOut(tsh_attrs& out, tsh_attr& a) : out_(out), a_(a) {}

  void operator()(std::monostate) {}
  void operator()(int64_t v) { Single(TSH_ATTR_INT, v); }
  void operator()(bool v) { Single(TSH_ATTR_BOOL, v); }
  void operator()(DType v) { Single(TSH_ATTR_TYPE, static_cast<int64_t>(v)); }
  void operator()(float v) {
    a_.kind = TSH_ATTR_FLOAT;
    a_.f = v;
  }
  void operator()(const std::string& v) {
    a_.kind = TSH_ATTR_STRING;
    a_.string = v.data();
    a_.length = v.size();
  }
  void operator()(const Shape& v) {
    a_.kind = TSH_ATTR_SHAPE;
    a_.rank = v.rank();
    a_.dims = v.dims().data();
  }
  void operator()(const Tensor& v) {
    a_.kind = TSH_ATTR_TENSOR;
    // Borrowed from the graph, which keeps it.
    a_.tensor = *reinterpret_cast<tsh_tensor* const*>(&v);
  }
  void operator()(const AttrValue::Ints& v) { List(TSH_ATTR_INT, v); }
  void operator()(const AttrValue::Bools& v) { List(TSH_ATTR_BOOL, v); }
  void operator()(const AttrValue::Types& v) { List(TSH_ATTR_TYPE, v); }
  void operator()(const AttrValue::Floats& v) {
    Begin(TSH_ATTR_FLOAT, v.size());
    a_.floats = out_.floats.emplace_back(v.begin(), v.end()).data();
  }
  void operator()(const AttrValue::Strings& v) {
    Begin(TSH_ATTR_STRING, v.size());
    auto& strings = out_.strings.emplace_back();
    auto& lengths = out_.lengths.emplace_back();
    for (const std::string& s : v) strings.push_back(s.data()), lengths.push_back(s.size());
    a_.strings = strings.data();
    a_.lengths = lengths.data();
  }
  // A function shows as its name.
  void operator()(const FuncAttr& v) { (*this)(v.name); }
  void operator()(const AttrValue::Funcs& v) {
    Begin(TSH_ATTR_STRING, v.size());
    auto& strings = out_.strings.emplace_back();
    auto& lengths = out_.lengths.emplace_back();
    for (const FuncAttr& f : v) strings.push_back(f.name.data()), lengths.push_back(f.name.size());
    a_.strings = strings.data();
    a_.lengths = lengths.data();
  }
  void operator()(const AttrValue::Shapes& v) {
    Begin(TSH_ATTR_SHAPE, v.size());
    auto& ranks = out_.ints.emplace_back();
    auto& dims = out_.ints.emplace_back();
    for (const Shape& s : v) {
      ranks.push_back(s.rank());
      dims.insert(dims.end(), s.dims().begin(), s.dims().end());
    }
    a_.ints = ranks.data();
    a_.dims = dims.data();
  }

 private:
  void Single(tsh_attr_kind kind, int64_t v) {
    a_.kind = kind;
    a_.i = v;
  }
  void Begin(tsh_attr_kind kind, size_t n) {
    a_.kind = kind;
    a_.is_list = 1;
    a_.n = n;
  }
  template <class Items>
  void List(tsh_attr_kind kind, const Items& v) {
    Begin(kind, v.size());
    auto& ints = out_.ints.emplace_back();
    for (auto each : v) ints.push_back(static_cast<int64_t>(each));
    a_.ints = ints.data();
  }

  tsh_attrs& out_;
  tsh_attr& a_;
};

}  // namespace

tsh_attrs* tsh_node_attrs(const tsh_graph* g, tsh_node n) {
  auto out = std::make_unique<tsh_attrs>();
  if (n >= G(g).size()) return out.release();
  for (const NamedAttr& attr : G(g).attrs(NodeId{n}).all()) {
    tsh_attr a{};
    a.name = attr.name.c_str();
    std::visit(AttrOut(*out, a), attr.value.value);
    out->list.push_back(a);
  }
  return out.release();
}

size_t tsh_attrs_size(const tsh_attrs* a) { return a->list.size(); }
const tsh_attr* tsh_attrs_data(const tsh_attrs* a) { return a->list.data(); }
void tsh_attrs_free(tsh_attrs* a) { delete a; }
