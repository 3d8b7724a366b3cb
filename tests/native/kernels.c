/* Kernels that show or check one property of the ABI each. C99. */
#include <stdlib.h>
#include <string.h>

#include "torchport/kernel.h"

#define REQUIRE(condition) \
  if (!(condition)) return tp_fail(error, TP_INTERNAL_ERROR, "broken promise: %s", #condition)

/* Offset in elements of the i-th element in row-major order. */
static int64_t offset_of(const tp_tensor* tensor, int64_t i) {
  int64_t offset = 0;
  for (int32_t d = tensor->dl.ndim - 1; d >= 0; --d) {
    offset += i % tensor->dl.shape[d] * tensor->dl.strides[d];
    i /= tensor->dl.shape[d];
  }
  return offset;
}

/* out = a + alpha * b, float32, any strides, equal shapes */
static tp_status add_run(const tp_run_args* args, tp_error* error) {
  const tp_tensor *a = args->inputs[0], *b = args->inputs[1], *out = args->outputs[0];
  if (!tp_has_dtype(a, TP_TYPE_FLOAT, 32)) return tp_fail(error, TP_UNSUPPORTED, "only float32");
  const float alpha = (float)tp_scalar_as_double(args->scalars[0]);
  for (int64_t i = 0; i < tp_numel(a); ++i)
    ((float*)tp_data(out))[offset_of(out, i)] =
        ((const float*)tp_data(a))[offset_of(a, i)] + alpha * ((const float*)tp_data(b))[offset_of(b, i)];
  return TP_OK;
}

/* Copies a contiguous tensor of any dtype. */
static tp_status copy_run(const tp_run_args* args, tp_error* error) {
  const tp_tensor *in = args->inputs[0], *out = args->outputs[0];
  REQUIRE(tp_is_contiguous(in) && tp_is_contiguous(out));
  if (tp_numel(in) != 0)
    memcpy(tp_data(out), tp_data(in), (size_t)(tp_numel(in) * tp_itemsize(in->dl.dtype)));
  return TP_OK;
}

/* out (int64) = presence, then code, bits, lanes, device type, ndim, alias_of of the output 1, byte_offset,
 * contiguous, shape..., strides... of input 0 */
static tp_status describe_run(const tp_run_args* args, tp_error* error) {
  const tp_tensor* in = args->inputs[0];
  int64_t* out = (int64_t*)tp_data(args->outputs[0]);
  *out++ = in != NULL;
  if (in == NULL) return TP_OK;
  REQUIRE(in->struct_size == sizeof(tp_tensor) && in->alias_of == -1);
  REQUIRE(in->dl.shape != NULL && in->dl.strides != NULL);
  *out++ = in->dl.dtype.code;
  *out++ = in->dl.dtype.bits;
  *out++ = in->dl.dtype.lanes;
  *out++ = in->dl.device.device_type;
  *out++ = in->dl.ndim;
  *out++ = args->output_count > 1 ? args->outputs[1]->alias_of : -2;
  *out++ = (int64_t)in->dl.byte_offset;
  *out++ = tp_is_contiguous(in);
  for (int32_t i = 0; i < in->dl.ndim; ++i) *out++ = in->dl.shape[i];
  for (int32_t i = 0; i < in->dl.ndim; ++i) *out++ = in->dl.strides[i];
  return TP_OK;
}

/* out (float64) = for each scalar: kind, length, values */
static tp_status scalars_run(const tp_run_args* args, tp_error* error) {
  double* out = (double*)tp_data(args->outputs[0]);
  for (int32_t i = 0; i < args->scalar_count; ++i) {
    const tp_scalar* scalar = args->scalars[i];
    REQUIRE(scalar->struct_size == sizeof(tp_scalar));
    *out++ = scalar->kind;
    *out++ = (double)scalar->length;
    switch (scalar->kind) {
      case TP_SCALAR_NONE:
        break;
      case TP_SCALAR_BOOL:
      case TP_SCALAR_INT:
        *out++ = (double)scalar->value.i;
        break;
      case TP_SCALAR_FLOAT:
        *out++ = scalar->value.f;
        break;
      case TP_SCALAR_COMPLEX:
        *out++ = scalar->value.c[0];
        *out++ = scalar->value.c[1];
        break;
      case TP_SCALAR_STRING:
        REQUIRE(scalar->value.s[scalar->length] == '\0');
        for (int64_t j = 0; j < scalar->length; ++j) *out++ = (unsigned char)scalar->value.s[j];
        break;
      case TP_SCALAR_INTS:
        for (int64_t j = 0; j < scalar->length; ++j) *out++ = (double)scalar->value.ints[j];
        break;
      case TP_SCALAR_FLOATS:
        for (int64_t j = 0; j < scalar->length; ++j) *out++ = scalar->value.floats[j];
        break;
      case TP_SCALAR_BOOLS:
        for (int64_t j = 0; j < scalar->length; ++j) *out++ = scalar->value.bools[j];
        break;
      case TP_SCALAR_DTYPE:
        *out++ = scalar->value.dtype.code;
        *out++ = scalar->value.dtype.bits;
        *out++ = scalar->value.dtype.lanes;
        break;
      default:
        return tp_fail(error, TP_INTERNAL_ERROR, "kind %d", (int)scalar->kind);
    }
  }
  return TP_OK;
}

/* Returns the status scalars[0] with the code scalars[1]. */
static tp_status fail_run(const tp_run_args* args, tp_error* error) {
  error->code = (int32_t)tp_scalar_as_int(args->scalars[1]);
  return tp_fail(error, (tp_status)tp_scalar_as_int(args->scalars[0]), "rank %d is too much",
                 (int)args->inputs[0]->dl.ndim);
}

/* --- prepare, state, workspace --- */

static int prepared_count, live_count;

typedef struct {
  int serial;
  uint64_t bytes;
} reverse_state;

/* The workspace holds the input; its alignment is scalars[0], where there is one. */
static tp_status reverse_prepare(const tp_prepare_args* args, tp_prepare_result* result, tp_error* error) {
  for (int32_t i = 0; i < args->input_count; ++i) REQUIRE(args->inputs[i]->dl.data == NULL);
  for (int32_t i = 0; i < args->output_count; ++i) REQUIRE(args->outputs[i]->dl.data == NULL);
  REQUIRE(result->struct_size == sizeof(tp_prepare_result));
  if (args->inputs[0]->dl.ndim != 1) return tp_fail(error, TP_INVALID_ARGUMENT, "one dimension is needed");
  reverse_state* state = (reverse_state*)malloc(sizeof(reverse_state));
  if (state == NULL) return tp_fail(error, TP_OUT_OF_MEMORY, "no state");
  state->serial = ++prepared_count;
  ++live_count;
  state->bytes = (uint64_t)(tp_numel(args->inputs[0]) * 8);
  result->state = state;
  result->workspace_size = state->bytes;
  if (args->scalar_count != 0) result->workspace_alignment = (uint64_t)args->scalars[0]->value.i;
  return TP_OK;
}

/* outputs[0] = inputs[0] reversed (int64), by way of the workspace; outputs[1] = serial number of the state
 */
static tp_status reverse_run(const tp_run_args* args, tp_error* error) {
  const reverse_state* state = (const reverse_state*)args->state;
  const int64_t n = tp_numel(args->inputs[0]);
  const uintptr_t alignment = args->scalar_count != 0 ? (uintptr_t)args->scalars[0]->value.i : 64;
  REQUIRE(args->workspace_size == state->bytes);
  REQUIRE((args->workspace == NULL) == (state->bytes == 0));
  REQUIRE(alignment == 0 || (uintptr_t)args->workspace % alignment == 0);
  int64_t* scratch = (int64_t*)args->workspace;
  for (int64_t i = 0; i < n; ++i) scratch[n - 1 - i] = ((const int64_t*)tp_data(args->inputs[0]))[i];
  for (int64_t i = 0; i < n; ++i) ((int64_t*)tp_data(args->outputs[0]))[i] = scratch[i];
  *(int64_t*)tp_data(args->outputs[1]) = state->serial;
  return TP_OK;
}

static void reverse_release(void* state) {
  --live_count;
  free(state);
}

/* out (int64) = states that are not released */
static tp_status live_run(const tp_run_args* args, tp_error* error) {
  (void)error;
  *(int64_t*)tp_data(args->outputs[0]) = live_count;
  return TP_OK;
}

/* --- outputs whose shape depends on data --- */

/* Indices of what is true in a 1-D bool tensor, as (n, 1) int64; scalars[0] is the output that is asked for.
 */
static tp_status nonzero_run(const tp_run_args* args, tp_error* error) {
  const tp_tensor* in = args->inputs[0];
  const uint8_t* flags = (const uint8_t*)tp_data(in);
  const tp_tensor* out = NULL;
  const DLDataType int64 = {TP_TYPE_INT, 64, 1};
  int64_t shape[2] = {0, 1};
  for (int64_t i = 0; i < tp_numel(in); ++i) shape[0] += flags[i];
  const tp_allocator* allocator = args->allocator;
  const tp_status status = allocator->allocate(allocator->context, (int32_t)args->scalars[0]->value.i, 2,
                                               shape, int64, &out, error);
  if (status != TP_OK) return status;
  REQUIRE(out->dl.ndim == 2 && out->dl.shape[0] == shape[0] && tp_is_contiguous(out));
  int64_t* target = (int64_t*)tp_data(out);
  for (int64_t i = 0; i < tp_numel(in); ++i)
    if (flags[i]) *target++ = i;
  return TP_OK;
}

/* Allocates output 0 with the shape scalars[0] and the dtype scalars[1], scalars[2] times. */
static tp_status allocate_run(const tp_run_args* args, tp_error* error) {
  const tp_scalar* shape = args->scalars[0];
  const tp_tensor* out = NULL;
  for (int64_t i = 0; i < args->scalars[2]->value.i; ++i) {
    const tp_status status =
        args->allocator->allocate(args->allocator->context, 0, (int32_t)shape->length, shape->value.ints,
                                  args->scalars[1]->value.dtype, &out, error);
    if (status != TP_OK) return status;
  }
  return TP_OK;
}

#define KERNEL(name) static const tp_kernel name = {sizeof(tp_kernel), 0, #name, NULL, name##_run, NULL, NULL}
KERNEL(add);
KERNEL(copy);
KERNEL(describe);
KERNEL(scalars);
KERNEL(fail);
KERNEL(live);
KERNEL(nonzero);
KERNEL(allocate);
static const tp_kernel reverse = {sizeof(tp_kernel), 0,   "reverse", reverse_prepare, reverse_run,
                                  reverse_release,   NULL};

static const tp_kernel* const kernels[] = {&add,  &copy,    &describe, &scalars, &fail,
                                           &live, &nonzero, &allocate, &reverse};
static const tp_library library = {
    sizeof(tp_library), TP_ABI_MAJOR, TP_ABI_MINOR, sizeof(kernels) / sizeof(kernels[0]),
    "testkernels",      "1.2.3",      kernels,      NULL};

TP_EXPORT const tp_library* tp_library_get(void) { return &library; }
