#include "torchport/kernel.h"
tp_status undefined_run(const tp_run_args* args, tp_error* error);
