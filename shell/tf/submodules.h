// The submodules of tf that are Python libraries (shell/tf/python) or a handful of names.
#pragma once

#include "shell/values/native.h"

namespace tensh::shell::tf {

const ModuleDef& RnnCellModule();  // tf.nn.rnn_cell
const ModuleDef& DataModule();
const ModuleDef& LookupModule();
const ModuleDef& NestModule();
const ModuleDef& LossesModule();
const ModuleDef& ImageModule();
const ModuleDef& AudioModule();
const ModuleDef& SignalModule();
const ModuleDef& SetsModule();
const ModuleDef& SavedModelModule();
const ModuleDef& GraphUtilModule();
const ModuleDef& SpectralModule();
const ModuleDef& QuantizationModule();
const ModuleDef& MetricsModule();
const ModuleDef& FlagsModule();
const ModuleDef& GfileModule();
const ModuleDef& LayersModule();
const ModuleDef& DebuggingModule();
const ModuleDef& ContribModule();   // the few names of tf.contrib that stand for core ones
const ModuleDef& SlimModule();      // tf.contrib.slim
const ModuleDef& ExamplesModule();  // tensorflow.examples.tutorials.mnist
const ModuleDef& TutorialsModule();
const ModuleDef& MnistModule();
const ModuleDef& InputDataModule();
const ModuleDef& AppModule();
const ModuleDef& GraphKeys();
Value MissingFromNn(StrObject* name);  // what tf.nn has beside its tables

}  // namespace tensh::shell::tf
