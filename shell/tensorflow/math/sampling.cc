// tf.multinomial and the samplers of tf.nn.
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/rows.h"

namespace tensh::shell::tf {
namespace {

// Adds the op in a scope with the function's name.
Value DrawClasses(const Value& logits, const Value& samples, const Value& seed, const Value& dtype,
                  std::string_view scope_name) {
  GraphObject& g = GraphOf({&logits, &samples});
  NameScope scope(g, scope_name);
  const Out x = Convert(g, logits, "logits");
  const Seeds seeds = NextSeeds(g, seed);
  OpCall call(g, "Multinomial");
  call.In(x).In(samples).attrs().Int("seed", seeds.graph).Int("seed2", seeds.op);
  call.Type("output_dtype", dtype.is_none() ? TSH_INT64 : BaseType(ToDType(dtype)));
  return call.AddValue();
}

// Arguments: true_classes, num_true, num_sampled, unique, range_max, seed, name.
Value Sampler(Args& a) {
  GraphObject& g = GraphOf({&a[0]});
  const Seeds seeds = NextSeeds(g, a[5]);
  OpCall call(g, static_cast<const char*>(a.row().data), NameText(a[6]));
  call.In(a[0])
      .attrs()
      .Int("num_true", ToIndex(a[1]))
      .Int("num_sampled", ToIndex(a[2]))
      .Bool("unique", Truth(a[3]))
      .Int("range_max", ToIndex(a[4]))
      .Int("seed", seeds.graph)
      .Int("seed2", seeds.op);
  return NamedOutputs(g, call.info(), call.AddNode());
}

constexpr const char* kSampler =
    "true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None";

const FunctionRow kRows[] = {
    {"multinomial", "logits, num_samples, seed=None, name=None, output_dtype=None",
     [](Args& a) -> Value {
       return DrawClasses(a[0], a[1], a[2], a[4], NameOr(a[3], "multinomial"));
     },
     "Draws class numbers from a distribution given by logits."},
};

// In tf.random.
const FunctionRow kCategoricalRows[] = {
    {"categorical", "logits, num_samples, dtype=None, seed=None, name=None",
     [](Args& a) -> Value {
       return DrawClasses(a[0], a[1], a[3], a[2], NameOr(a[4], "categorical"));
     },
     "Draws class numbers from a distribution given by logits."},
};

const FunctionRow kNnRows[] = {
    {"uniform_candidate_sampler", kSampler, Sampler, "Draws classes uniformly.",
     "UniformCandidateSampler"},
    {"log_uniform_candidate_sampler", kSampler, Sampler, "Draws classes by Zipf's law.",
     "LogUniformCandidateSampler"},
    {"compute_accidental_hits", "true_classes, sampled_candidates, num_true, seed=None, name=None",
     [](Args& a) -> Value {
       GraphObject& g = GraphOf({&a[0], &a[1]});
       const Seeds seeds = NextSeeds(g, a[3]);
       OpCall call(g, "ComputeAccidentalHits", NameText(a[4]));
       call.In(a[0]).In(a[1]).attrs().Int("num_true", ToIndex(a[2]));
       call.attrs().Int("seed", seeds.graph).Int("seed2", seeds.op);
       return NamedOutputs(g, call.info(), call.AddNode());
     },
     "The positions of sampled classes that are true classes."},
};

}  // namespace

std::span<const FunctionRow> SamplingRows() { return kRows; }
std::span<const FunctionRow> CategoricalRows() { return kCategoricalRows; }
std::span<const FunctionRow> NnSamplingRows() { return kNnRows; }

}  // namespace tensh::shell::tf
