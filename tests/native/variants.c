/* One library, whose description is varied with -D. */
#include "torchport/kernel.h"

#ifndef MAJOR
#define MAJOR TP_ABI_MAJOR
#endif
#ifndef MINOR
#define MINOR TP_ABI_MINOR
#endif
#ifndef LIBRARY_SIZE
#define LIBRARY_SIZE sizeof(grown_library)
#endif
#ifndef KERNEL_SIZE
#define KERNEL_SIZE sizeof(grown_kernel)
#endif
#ifndef FIRST_NAME
#define FIRST_NAME "first"
#endif
#ifndef FIRST_RUN
#define FIRST_RUN run
#endif
#ifndef LIBRARY_NAME
#define LIBRARY_NAME "variant"
#endif
#ifndef KERNELS
#define KERNELS kernels
#endif
#ifndef RESULT
#define RESULT &library.known
#endif

/* What a later minor version would compile: the same structs with fields appended. */
typedef struct {
  tp_kernel known;
  int64_t appended[3];
} grown_kernel;

typedef struct {
  tp_library known;
  int64_t appended[3];
} grown_library;

static tp_status run(const tp_run_args* args, tp_error* error) {
  (void)error;
  *(int64_t*)tp_data(args->outputs[0]) = 7;
  return TP_OK;
}

static const grown_kernel first = {{KERNEL_SIZE, 0, FIRST_NAME, NULL, FIRST_RUN, NULL, NULL}, {1, 2, 3}};
static const grown_kernel second = {{KERNEL_SIZE, 0, "second", NULL, run, NULL, NULL}, {1, 2, 3}};
static const tp_kernel* const kernels[] = {&first.known, &second.known};
static const tp_kernel* const kernels_with_hole[] = {&first.known, NULL};
static const grown_library library = {{LIBRARY_SIZE, MAJOR, MINOR, 2, LIBRARY_NAME, "1.0", KERNELS, NULL},
                                      {1, 2, 3}};

/* Keeps every variant free of warnings about what it leaves unused. */
const void* const tp_variant_unused[] = {kernels, kernels_with_hole, &library};

TP_EXPORT const tp_library* tp_library_get(void) { return RESULT; }
