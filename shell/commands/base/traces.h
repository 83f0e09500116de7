// Access to the timelines of steps that the runtime keeps, for `trace` and `profile`.
#pragma once

#include "shell/client/client.h"
#include "tensh/tensh_trace.h"
