// Access to the timelines of steps that the runtime collects, for `trace` and `profile`.
#pragma once

#include "shell/client/client.h"
#include "tensh/tensh_trace.h"
