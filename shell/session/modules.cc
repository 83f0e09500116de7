#include "shell/session/modules.h"

#include "shell/numpy/module.h"
#include "shell/tensorflow/names/tf.h"

namespace tensh::shell {

void AddModules(Interp& interp) {
  tf::AddTensorFlow(interp);
  AddNumpy(interp);
}

}  // namespace tensh::shell
