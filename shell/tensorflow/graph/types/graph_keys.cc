// tf.GraphKeys: the names of the standard collections.
#include "shell/python/values/containers.h"
#include "shell/tensorflow/graph/names.h"
#include "shell/tensorflow/graph/rows.h"

namespace tensh::shell::tf {
namespace {

template <const char* const& kKey>
Value Key() {
  return MakeStr(kKey);
}
const ConstantRow kGraphKeys[] = {{"GLOBAL_VARIABLES", Key<kGlobalVariables>},
                                  {"VARIABLES", Key<kGlobalVariables>},
                                  {"LOCAL_VARIABLES", Key<kLocalVariables>},
                                  {"MODEL_VARIABLES", Key<kModelVariables>},
                                  {"TRAINABLE_VARIABLES", Key<kTrainableVariables>},
                                  {"LOSSES", Key<kLosses>},
                                  {"REGULARIZATION_LOSSES", Key<kRegularizationLosses>},
                                  {"TRAIN_OP", Key<kTrainOp>},
                                  {"UPDATE_OPS", Key<kUpdateOps>},
                                  {"SUMMARIES", Key<kSummaries>},
                                  {"GLOBAL_STEP", Key<kGlobalStep>},
                                  {"METRIC_VARIABLES", Key<kMetricVariables>},
                                  {"MOVING_AVERAGE_VARIABLES", Key<kMovingAverageVariables>},
                                  {"WEIGHTS", Key<kWeights>},
                                  {"BIASES", Key<kBiases>},
                                  {"ACTIVATIONS", Key<kActivations>},
                                  {"TABLE_INITIALIZERS", Key<kTableInitializers>},
                                  {"QUEUE_RUNNERS", Key<kQueueRunners>},
                                  {"SAVERS", Key<kSavers>},
                                  {"ASSET_FILEPATHS", Key<kAssetFilepaths>},
                                  {"CONCATENATED_VARIABLES", Key<kConcatenatedVariables>},
                                  {"INIT_OP", Key<kInitOp>},
                                  {"LOCAL_INIT_OP", Key<kLocalInitOp>},
                                  {"READY_OP", Key<kReadyOp>},
                                  {"READY_FOR_LOCAL_INIT_OP", Key<kReadyForLocalInitOp>},
                                  {"SUMMARY_OP", Key<kSummaryOp>},
                                  {"EVAL_STEP", Key<kEvalStep>},
                                  {"COND_CONTEXT", Key<kCondContext>},
                                  {"WHILE_CONTEXT", Key<kWhileContext>}};

}  // namespace

std::span<const ConstantRow> GraphKeyConstants() { return kGraphKeys; }

}  // namespace tensh::shell::tf
