// The module itertools.
#include <algorithm>

#include "shell/python/modules/modules.h"
#include "shell/python/values/collections/iterator.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

const std::vector<Value>& Rest(Args& a, size_t i) { return As<TupleObject>(a[i])->items; }

// An iterator that consists of a step function and the Values it holds.
using StepFn = bool (*)(std::vector<Value>& held, int64_t& n, Value* out);

class StepIterator : public Iterator {
 public:
  StepIterator(const TypeInfo& type, StepFn step, std::vector<Value> held, int64_t n)
      : Iterator(type), step_(step), held_(std::move(held)), n_(n) {}
  void DropRefs() override { held_.clear(); }
  bool Step(Value* out) override {
    if (done_ || held_.empty()) return false;
    done_ = !step_(held_, n_, out);
    return !done_;
  }

 private:
  StepFn step_;
  std::vector<Value> held_;
  int64_t n_;
  bool done_ = false;
};

#define ITERATOR_TYPE(name) const TypeInfo k_##name = IteratorType(#name)
ITERATOR_TYPE(count);
ITERATOR_TYPE(cycle);
ITERATOR_TYPE(repeat);
ITERATOR_TYPE(chain);
ITERATOR_TYPE(islice);
ITERATOR_TYPE(takewhile);
ITERATOR_TYPE(dropwhile);
ITERATOR_TYPE(accumulate);
ITERATOR_TYPE(starmap);
ITERATOR_TYPE(compress);
ITERATOR_TYPE(filterfalse);
ITERATOR_TYPE(zip_longest);
ITERATOR_TYPE(groupby);
ITERATOR_TYPE(pairwise);
#undef ITERATOR_TYPE

Value MakeStep(const TypeInfo& type, StepFn step, std::vector<Value> held, int64_t n = 0) {
  return New<StepIterator>(type, step, std::move(held), n);
}

Value Count(Args& a) {
  return MakeStep(k_count,
                  [](std::vector<Value>& h, int64_t&, Value* out) {
                    *out = h[0];
                    h[0] = Binary(BinaryOp::kAdd, h[0], h[1]);
                    return true;
                  },
                  {a[0], a[1]});
}
Value Cycle(Args& a) {
  std::vector<Value> items = ToVector(a[0]);
  return MakeStep(
      k_cycle,
      [](std::vector<Value>& h, int64_t& n, Value* out) {
        *out = h[static_cast<size_t>(n)];
        n = (n + 1) % static_cast<int64_t>(h.size());
        return true;
      },
      std::move(items));
}
Value Repeat(Args& a) {
  return MakeStep(
      k_repeat,
      [](std::vector<Value>& h, int64_t& n, Value* out) {
        *out = h[0];
        return n < 0 || n-- > 0;
      },
      {a[0]}, a.has(1) ? std::max<int64_t>(0, ToIndex(a[1])) : -1);
}
bool ChainStep(std::vector<Value>& h, int64_t&, Value* out) {
  // h = [the iterables, the current iterator or None].
  for (;;) {
    if (!h[1].is_none() && Next(h[1], out)) return true;
    Value next;
    if (!Next(h[0], &next)) return false;
    h[1] = Iter(next);
  }
}
Value Chain(Args& a) { return MakeStep(k_chain, ChainStep, {Iter(a[0]), Value::None()}); }
Value ChainFromIterable(Args& a) {
  return MakeStep(k_chain, ChainStep, {Iter(a[0]), Value::None()});
}

Value ISlice(Args& a) {
  const auto& args = Rest(a, 1);
  if (args.empty() || args.size() > 3) throw TypeError("islice expected 2 to 4 arguments");
  auto number = [&](size_t i, int64_t none) {
    return i >= args.size() || args[i].is_none() ? none : ToIndex(args[i]);
  };
  const int64_t start = args.size() == 1 ? 0 : number(0, 0),
                stop = number(args.size() == 1 ? 0 : 1, INT64_MAX), step = number(2, 1);
  if (start < 0 || stop < 0) {
    throw ValueError(std::string(args.size() == 1 ? "Stop argument" : "Indices") +
                     " for islice() must be None or an integer: 0 <= x <= sys.maxsize.");
  }
  if (step < 1) throw ValueError("Step for islice() must be a positive integer or None.");
  // h = [iterator, next index to return, stop, step]; n is the number of items taken.
  return MakeStep(k_islice,
                  [](std::vector<Value>& h, int64_t& n, Value* out) {
                    const int64_t wanted = h[1].as_int();
                    if (wanted >= h[2].as_int()) {
                      while (n < h[2].as_int() && h[2].as_int() != INT64_MAX && Next(h[0], out))
                        ++n;
                      return false;
                    }
                    for (; n <= wanted; ++n) {
                      if (!Next(h[0], out)) return false;
                    }
                    int64_t next;
                    if (__builtin_add_overflow(wanted, h[3].as_int(), &next)) next = INT64_MAX;
                    h[1] = Value::Int(next);
                    return true;
                  },
                  {Iter(a[0]), Value::Int(start), Value::Int(stop), Value::Int(step)});
}
Value TakeWhile(Args& a) {
  return MakeStep(k_takewhile,
                  [](std::vector<Value>& h, int64_t&, Value* out) {
                    return Next(h[1], out) && Truth(Call(h[0], {*out}));
                  },
                  {a[0], Iter(a[1])});
}
Value DropWhile(Args& a) {
  return MakeStep(k_dropwhile,
                  [](std::vector<Value>& h, int64_t& n, Value* out) {
                    while (Next(h[1], out)) {
                      if (n || !Truth(Call(h[0], {*out}))) {
                        n = 1;
                        return true;
                      }
                    }
                    return false;
                  },
                  {a[0], Iter(a[1])});
}
Value Accumulate(Args& a) {
  return MakeStep(
      k_accumulate,
      [](std::vector<Value>& h, int64_t& n, Value* out) {
        if (n++ == 0 && !h[2].is_none()) {
          *out = h[2];
          return true;
        }
        Value v;
        if (!Next(h[0], &v)) return false;
        if (n == 1)
          h[2] = v;
        else
          h[2] = h[1].is_none() ? Binary(BinaryOp::kAdd, h[2], v) : Call(h[1], {h[2], v});
        *out = h[2];
        return true;
      },
      {Iter(a[0]), a[1], a[2]});
}
Value StarMap(Args& a) {
  return MakeStep(k_starmap,
                  [](std::vector<Value>& h, int64_t&, Value* out) {
                    Value v;
                    if (!Next(h[1], &v)) return false;
                    *out = Call(h[0], ToVector(v));
                    return true;
                  },
                  {a[0], Iter(a[1])});
}
Value Compress(Args& a) {
  return MakeStep(k_compress,
                  [](std::vector<Value>& h, int64_t&, Value* out) {
                    Value keep;
                    while (Next(h[0], out) && Next(h[1], &keep)) {
                      if (Truth(keep)) return true;
                    }
                    return false;
                  },
                  {Iter(a[0]), Iter(a[1])});
}
Value FilterFalse(Args& a) {
  return MakeStep(k_filterfalse,
                  [](std::vector<Value>& h, int64_t&, Value* out) {
                    while (Next(h[1], out)) {
                      if (!Truth(h[0].is_none() ? *out : Call(h[0], {*out}))) return true;
                    }
                    return false;
                  },
                  {a[0], Iter(a[1])});
}
Value ZipLongest(Args& a) {
  std::vector<Value> held = {a[1]};
  for (const Value& v : Rest(a, 0)) held.push_back(Iter(v));
  return MakeStep(
      k_zip_longest,
      [](std::vector<Value>& h, int64_t&, Value* out) {
        std::vector<Value> row;
        bool any = false;
        for (size_t i = 1; i < h.size(); ++i) {
          Value v;
          if (!h[i].is_none() && Next(h[i], &v)) {
            any = true;
          } else {
            h[i] = Value::None();
            v = h[0];
          }
          row.push_back(std::move(v));
        }
        *out = MakeTuple(std::move(row));
        return any;
      },
      std::move(held));
}
Value Pairwise(Args& a) {
  Value it = Iter(a[0]), first;
  if (!Next(it, &first)) return IterList(MakeList());
  return MakeStep(k_pairwise,
                  [](std::vector<Value>& h, int64_t&, Value* out) {
                    Value v;
                    if (!Next(h[0], &v)) return false;
                    *out = MakeTuple({h[1], v});
                    h[1] = v;
                    return true;
                  },
                  {it, first});
}
// Each group is an iterator over a list. Unlike in CPython, a group stays valid after the next
// group was requested.
Value GroupBy(Args& a) {
  return MakeStep(k_groupby,
                  [](std::vector<Value>& h, int64_t& n, Value* out) {
                    // h = [iterator, key function, pending item, pending key].
                    if (n == 0) {
                      if (!Next(h[0], &h[2])) return false;
                      h[3] = h[1].is_none() ? h[2] : Call(h[1], {h[2]});
                      n = 1;
                    }
                    if (n == 2) return false;
                    std::vector<Value> group;
                    Value key = h[3];
                    for (;;) {
                      group.push_back(h[2]);
                      if (!Next(h[0], &h[2])) {
                        n = 2;
                        break;
                      }
                      h[3] = h[1].is_none() ? h[2] : Call(h[1], {h[2]});
                      if (!Equal(h[3], key)) break;
                    }
                    *out = MakeTuple({key, IterList(MakeList(std::move(group)))});
                    return true;
                  },
                  {Iter(a[0]), a[1], Value::None(), Value::None()});
}

// ---- combinatorics: indices advance, items are looked up by them ----

class Combinator : public Iterator {
 public:
  enum class Kind : uint8_t { kProduct, kPermutations, kCombinations, kWithReplacement };
  Combinator(const TypeInfo& type, Kind kind, std::vector<std::vector<Value>> pools, size_t r)
      : Iterator(type), kind_(kind), pools_(std::move(pools)), at_(r) {
    const size_t n = pools_.empty() ? 0 : pools_[0].size();
    if (kind_ == Kind::kProduct) {
      for (const auto& pool : pools_) done_ = done_ || pool.empty();
    } else if (kind_ == Kind::kWithReplacement) {
      done_ = n == 0 && r > 0;
    } else {
      done_ = r > n;
      for (size_t i = 0; i < r; ++i) at_[i] = i;
    }
  }
  void DropRefs() override { pools_.clear(), done_ = true; }
  bool Step(Value* out) override {
    if (done_) return false;
    if (!first_ && !Advance()) {
      done_ = true;
      return false;
    }
    first_ = false;
    std::vector<Value> row;
    for (size_t i = 0; i < at_.size(); ++i)
      row.push_back(pools_[kind_ == Kind::kProduct ? i : 0][at_[i]]);
    *out = MakeTuple(std::move(row));
    return true;
  }

 private:
  bool Advance() {
    const size_t r = at_.size();
    for (size_t i = r; i-- > 0;) {
      switch (kind_) {
        case Kind::kProduct:
          if (++at_[i] < pools_[i].size()) return true;
          at_[i] = 0;
          break;
        case Kind::kCombinations:
          if (at_[i] + r - i < pools_[0].size()) {
            ++at_[i];
            for (size_t j = i + 1; j < r; ++j) at_[j] = at_[j - 1] + 1;
            return true;
          }
          break;
        case Kind::kWithReplacement:
          if (at_[i] + 1 < pools_[0].size()) {
            const size_t v = at_[i] + 1;
            for (size_t j = i; j < r; ++j) at_[j] = v;
            return true;
          }
          break;
        case Kind::kPermutations:
          // Finds the next larger index that is not used further left.
          for (size_t v = at_[i] + 1; v < pools_[0].size(); ++v) {
            if (std::find(at_.begin(), at_.begin() + static_cast<long>(i), v) !=
                at_.begin() + static_cast<long>(i))
              continue;
            at_[i] = v;
            for (size_t j = i + 1; j < r; ++j) {
              size_t w = 0;
              while (std::find(at_.begin(), at_.begin() + static_cast<long>(j), w) !=
                     at_.begin() + static_cast<long>(j))
                ++w;
              at_[j] = w;
            }
            return true;
          }
          break;
      }
    }
    return false;
  }

  Kind kind_;
  std::vector<std::vector<Value>> pools_;
  std::vector<size_t> at_;
  bool first_ = true, done_ = false;
};

const TypeInfo kProductType = IteratorType("product");
const TypeInfo kPermutationsType = IteratorType("permutations");
const TypeInfo kCombinationsType = IteratorType("combinations");

size_t Size(const Value& v) {
  const int64_t r = ToIndex(v);
  if (r < 0) throw ValueError("r must be non-negative");
  if (r > 100000) throw OverflowError("r is too large");
  return static_cast<size_t>(r);
}
Value Product(Args& a) {
  std::vector<std::vector<Value>> pools, all;
  for (const Value& v : Rest(a, 0)) pools.push_back(ToVector(v));
  for (size_t i = 0, n = Size(a[1]); i < n; ++i) all.insert(all.end(), pools.begin(), pools.end());
  const size_t r = all.size();
  return New<Combinator>(kProductType, Combinator::Kind::kProduct, std::move(all), r);
}
Value Permutations(Args& a) {
  std::vector<Value> pool = ToVector(a[0]);
  const size_t r = a[1].is_none() ? pool.size() : Size(a[1]);
  return New<Combinator>(kPermutationsType, Combinator::Kind::kPermutations,
                         std::vector<std::vector<Value>>{std::move(pool)}, r);
}
Value Combinations(Args& a) {
  return New<Combinator>(kCombinationsType, Combinator::Kind::kCombinations,
                         std::vector<std::vector<Value>>{ToVector(a[0])}, Size(a[1]));
}
Value CombinationsReplacing(Args& a) {
  return New<Combinator>(kCombinationsType, Combinator::Kind::kWithReplacement,
                         std::vector<std::vector<Value>>{ToVector(a[0])}, Size(a[1]));
}
Value Tee(Args& a) {
  Value list = MakeList(ToVector(a[0]));
  std::vector<Value> out;
  for (size_t i = 0, n = Size(a[1]); i < n; ++i) out.push_back(IterList(list));
  return MakeTuple(std::move(out));
}

// The object `chain`: it can be called and has the method from_iterable.
class ChainFunction : public Object {
 public:
  static const TypeInfo kType;
  ChainFunction() : Object(kType) {}
};
const FunctionRow kChainRow = {"chain", "*iterables", Chain};
const FunctionRow kChainMethods[] = {{"from_iterable", "iterable, /", ChainFromIterable}};
Value CallChain(const Value&, const CallArgs& args) {
  return NativeFunction(kChainRow, nullptr).Call(args);
}
Value ChainValue() { return New<ChainFunction>(); }

const FunctionRow kRows[] = {
    {"count", "start=0, step=1", Count},
    {"cycle", "iterable, /", Cycle},
    {"repeat", "object, times=...", Repeat},
    {"islice", "iterable, *args", ISlice},
    {"takewhile", "predicate, iterable, /", TakeWhile},
    {"dropwhile", "predicate, iterable, /", DropWhile},
    {"accumulate", "iterable, func=None, *, initial=None", Accumulate},
    {"starmap", "function, iterable, /", StarMap},
    {"compress", "data, selectors", Compress},
    {"filterfalse", "function, iterable, /", FilterFalse},
    {"zip_longest", "*iterables, fillvalue=None", ZipLongest},
    {"pairwise", "iterable, /", Pairwise},
    {"groupby", "iterable, key=None", GroupBy},
    {"product", "*iterables, repeat=1", Product},
    {"permutations", "iterable, r=None", Permutations},
    {"combinations", "iterable, r", Combinations},
    {"combinations_with_replacement", "iterable, r", CombinationsReplacing},
    {"tee", "iterable, n=2, /", Tee},
};
const ConstantRow kConstants[] = {{"chain", ChainValue}};

}  // namespace

const TypeInfo ChainFunction::kType = {
    .name = "chain", .module = "itertools", .methods = kChainMethods, .call = CallChain};

const ModuleDef kItertoolsModule = {
    .name = "itertools", .functions = kRows, .constants = kConstants};

}  // namespace tensh::shell
