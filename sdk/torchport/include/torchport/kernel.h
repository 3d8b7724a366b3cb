/* torchport/kernel.h: the C ABI between torchport and a library of vendor kernels.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Plain C99, usable from C++, free of PyTorch and Python. A library exports exactly one symbol,
 * tp_library_get, which returns a description of itself that stays valid and unchanged until the process
 * ends:
 *
 *     static tp_status add_run(const tp_run_args* args, tp_error* error) { ... return TP_OK; }
 *     static const tp_kernel add = {sizeof(tp_kernel), 0, "add", NULL, add_run, NULL, NULL};
 *     static const tp_kernel* const kernels[] = {&add};
 *     static const tp_library library = {
 *         sizeof(tp_library), TP_ABI_MAJOR, TP_ABI_MINOR, 1, "mykernels", "1.0.0", kernels, NULL};
 *     TP_EXPORT const tp_library* tp_library_get(void) { return &library; }
 *
 * Build it as a shared library with hidden visibility (cc -shared -fPIC -fvisibility=hidden).
 *
 * Rules of the ABI
 *
 *  1. Every struct begins with struct_size, the sizeof that its writer was compiled with. A minor version
 * only appends fields to structs, status codes, scalar kinds and extension ids. A major version may change
 * anything except the place of tp_library's first three fields and the name tp_library_get. The host refuses
 * a library of another major and accepts every minor of its own.
 *  2. A reader looks at a field that was appended after 1.0 only where TP_HAS says that the writer knew it.
 * Arrays of structs are arrays of pointers, so that a grown struct does not move its neighbours.
 *  3. What the host passes (arguments, shapes, scalars, strings) lives until the call returns. A kernel that
 * needs it later copies it.
 *  4. prepare, when there is one, is called once per distinct signature: presence, dtype, device, shape,
 * strides and alias_of of every tensor, kind and value of every scalar, and the device. Data pointers are
 * NULL in it, and their later alignment is not part of the signature. Calls of prepare are serialised per
 * kernel.
 *  5. run may be called from any thread, by several threads at once, with the same state and distinct
 * workspaces. A kernel treats its state as read-only or guards it. On a device with streams, run enqueues on
 * the given stream and may return before the work is done.
 *  6. release, when there is one, is called exactly once for every prepare that returned TP_OK, after the
 * last run with that state has returned.
 *  7. The host owns all memory that it passes. A kernel writes every element of each output, nothing outside
 * it, and no input that no output names in alias_of. The workspace is scratch: its contents are undefined on
 * entry.
 *  8. Tensors are strided with non-negative strides counted in elements; shape and strides are never NULL,
 * also for ndim 0; byte_offset is always 0 (already added to data). Lazy conjugation and negation are
 * resolved before the call. data may be NULL where the tensor has no elements.
 *  9. No C++ exception, longjmp or signal leaves a kernel. Failure is a status other than TP_OK and a
 * message.
 */
#ifndef TORCHPORT_KERNEL_H_
#define TORCHPORT_KERNEL_H_

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TP_ABI_MAJOR 1
#define TP_ABI_MINOR 0

#ifdef __cplusplus
#define TP_EXTERN_C extern "C"
#else
#define TP_EXTERN_C
#endif

#if defined(_WIN32)
#define TP_EXPORT TP_EXTERN_C __declspec(dllexport)
#elif defined(__GNUC__)
#define TP_EXPORT TP_EXTERN_C __attribute__((visibility("default")))
#else
#define TP_EXPORT TP_EXTERN_C
#endif

#if defined(__GNUC__)
#define TP_PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define TP_PRINTF_LIKE(text, first)
#endif

/* True where the writer of *object knew the field. Needed for fields appended after 1.0 only. */
#define TP_HAS(type, object, field) ((object)->struct_size >= offsetof(type, field) + sizeof((object)->field))

/* --- DLPack
 * --------------------------------------------------------------------------------------------------- The
 * part of DLPack 1.x that kernels see, laid out as dlpack.h lays it out. A file that includes both includes
 * dlpack.h first; these declarations then step aside.
 */
#ifndef DLPACK_DLPACK_H_

/* Where memory lives: one of tp_device_type (DLDeviceType) and the index among devices of that type. */
typedef struct {
  int32_t device_type;
  int32_t device_id;
} DLDevice;

/* Element type: one of tp_type_code (DLDataTypeCode), its width in bits, and elements per storage unit. */
typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides; /* in elements */
  uint64_t byte_offset;
} DLTensor;

#endif /* DLPACK_DLPACK_H_ */

/* Values of DLDevice.device_type that PyTorch uses; the numbers are DLPack's. */
enum tp_device_type {
  TP_DEVICE_CPU = 1,
  TP_DEVICE_CUDA = 2,
  TP_DEVICE_CUDA_HOST = 3, /* pinned host memory */
  TP_DEVICE_METAL = 8,
  TP_DEVICE_ROCM = 10,
  TP_DEVICE_ROCM_HOST = 11,
  TP_DEVICE_EXT = 12, /* PyTorch's PrivateUse1: a vendor's own device */
  TP_DEVICE_CUDA_MANAGED = 13,
  TP_DEVICE_ONEAPI = 14,
  TP_DEVICE_MAIA = 17
};

/* Values of DLDataType.code that PyTorch uses; the numbers are DLPack's. */
enum tp_type_code {
  TP_TYPE_INT = 0,
  TP_TYPE_UINT = 1,
  TP_TYPE_FLOAT = 2,
  TP_TYPE_BFLOAT = 4,
  TP_TYPE_COMPLEX = 5, /* bits counts both parts */
  TP_TYPE_BOOL = 6,    /* 8 bits, 0 or 1 */
  TP_TYPE_FLOAT8_E4M3FN = 10,
  TP_TYPE_FLOAT8_E4M3FNUZ = 11,
  TP_TYPE_FLOAT8_E5M2 = 12,
  TP_TYPE_FLOAT8_E5M2FNUZ = 13,
  TP_TYPE_FLOAT8_E8M0FNU = 14,
  TP_TYPE_FLOAT4_E2M1FN = 17 /* 4 bits, 2 lanes a byte */
};

/* --- status and errors
 * ---------------------------------------------------------------------------------------- */

/* TP_OK or one of the reasons below; a reader treats a number it does not know as TP_INTERNAL_ERROR. */
typedef int32_t tp_status;

enum tp_status_code {
  TP_OK = 0,
  TP_INVALID_ARGUMENT = 1, /* the call breaks the operator's own rules */
  TP_UNSUPPORTED = 2,      /* a valid call that this kernel does not serve */
  TP_OUT_OF_MEMORY = 3,
  TP_DEVICE_ERROR = 4, /* the driver or the device failed */
  TP_INTERNAL_ERROR = 5
};

#define TP_ERROR_MESSAGE_SIZE 512

/* Written by a kernel that returns a status other than TP_OK; zeroed by the host before each call. */
typedef struct tp_error {
  uint32_t struct_size;
  int32_t code;                        /* the kernel's own number, a driver's error code say; 0 none */
  char message[TP_ERROR_MESSAGE_SIZE]; /* UTF-8, NUL-terminated */
} tp_error;

/* --- extensions
 * ----------------------------------------------------------------------------------------------- */

/* Head of every struct in an extension chain. A reader skips ids that it does not know. 1.0 defines none. */
typedef struct tp_extension {
  uint32_t struct_size;
  uint32_t id;
  const struct tp_extension* next;
} tp_extension;

/* --- arguments
 * ------------------------------------------------------------------------------------------------ */

typedef struct tp_tensor {
  uint32_t struct_size;
  int32_t alias_of; /* for an output that shares memory with an input: that input's index; else -1 */
  DLTensor dl;
} tp_tensor;

/* One of tp_scalar_kind_code. */
typedef int32_t tp_scalar_kind;

enum tp_scalar_kind_code {
  TP_SCALAR_NONE = 0,
  TP_SCALAR_BOOL = 1,    /* value.i: 0 or 1 */
  TP_SCALAR_INT = 2,     /* value.i */
  TP_SCALAR_FLOAT = 3,   /* value.f */
  TP_SCALAR_COMPLEX = 4, /* value.c: real, imaginary */
  TP_SCALAR_STRING = 5,  /* value.s: UTF-8, NUL-terminated; length in bytes without the NUL */
  TP_SCALAR_INTS = 6,    /* value.ints; an empty list of any kind arrives as this one */
  TP_SCALAR_FLOATS = 7,  /* value.floats; a list that mixes integers and floats too */
  TP_SCALAR_BOOLS = 8,   /* value.bools: 0 or 1 each */
  TP_SCALAR_DTYPE = 9    /* value.dtype */
};

/* A non-tensor argument of the operator. Scalars come in schema order; an absent optional one is
 * TP_SCALAR_NONE. A device, layout or memory format arrives as a string without the "torch." prefix
 * ("cuda:0", "channels_last").
 */
typedef struct tp_scalar {
  uint32_t struct_size;
  tp_scalar_kind kind;
  int64_t length; /* elements of a list, bytes of a string; else 0 */
  union {
    int64_t i;
    double f;
    double c[2];
    const char* s;
    const int64_t* ints;
    const double* floats;
    const uint8_t* bools;
    DLDataType dtype;
  } value;
} tp_scalar;

typedef struct tp_prepare_args {
  uint32_t struct_size;
  int32_t input_count;
  int32_t output_count;
  int32_t scalar_count;
  DLDevice device;                 /* where run will execute */
  const tp_tensor* const* inputs;  /* NULL entry: an absent optional tensor */
  const tp_tensor* const* outputs; /* NULL entry: its shape depends on data; run allocates it */
  const tp_scalar* const* scalars; /* never NULL entries */
} tp_prepare_args;

/* Written by prepare; zeroed by the host before the call. */
typedef struct tp_prepare_result {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t workspace_size;      /* bytes of scratch that run needs; 0 none */
  uint64_t workspace_alignment; /* a power of two in bytes; 0 means 64 */
  void* state;                  /* handed to run and release; may be NULL */
} tp_prepare_result;

/* Allocates outputs whose shape depends on data, contiguous, on the device of the call. */
typedef struct tp_allocator {
  uint32_t struct_size;
  uint32_t reserved;
  void* context;
  /* To be called once for every NULL entry of outputs, from the thread that runs the kernel. On TP_OK *tensor
   * is the output, valid until run returns. On failure the error is filled in and the kernel returns the
   * status. */
  tp_status (*allocate)(void* context, int32_t output, int32_t ndim, const int64_t* shape, DLDataType dtype,
                        const tp_tensor** tensor, tp_error* error);
} tp_allocator;

typedef struct tp_run_args {
  uint32_t struct_size;
  int32_t input_count;
  int32_t output_count;
  int32_t scalar_count;
  DLDevice device;
  const tp_tensor* const* inputs;  /* NULL entry: an absent optional tensor */
  const tp_tensor* const* outputs; /* NULL entry: to be allocated with allocator */
  const tp_scalar* const* scalars; /* never NULL entries */
  void* state;                     /* from prepare; NULL without one */
  void* workspace;                 /* in the device's memory; NULL when its size is 0 */
  uint64_t workspace_size;
  void* stream; /* the device's native stream handle (a CUstream say); NULL: the default stream, or none */
  const tp_allocator* allocator;
} tp_run_args;

/* --- kernels and libraries
 * ------------------------------------------------------------------------------------ */

typedef tp_status (*tp_prepare)(const tp_prepare_args* args, tp_prepare_result* result, tp_error* error);
typedef tp_status (*tp_run)(const tp_run_args* args, tp_error* error);
typedef void (*tp_release)(void* state);

typedef struct tp_kernel {
  uint32_t struct_size;
  uint32_t reserved;  /* 0 */
  const char* name;   /* unique in its library */
  tp_prepare prepare; /* may be NULL: no workspace, no state */
  tp_run run;
  tp_release release; /* may be NULL */
  const tp_extension* next;
} tp_kernel;

typedef struct tp_library {
  uint32_t struct_size;
  uint32_t abi_major; /* TP_ABI_MAJOR of the header that the library was compiled with */
  uint32_t abi_minor;
  uint32_t kernel_count;
  const char* name;
  const char* version;
  const tp_kernel* const* kernels;
  const tp_extension* next;
} tp_library;

/* The one symbol that a kernel library exports. */
TP_EXPORT const tp_library* tp_library_get(void);

/* --- for kernel authors
 * --------------------------------------------------------------------------------------- */

/* Number of elements; 1 for ndim 0. */
static inline int64_t tp_numel(const tp_tensor* tensor) {
  int64_t count = 1;
  for (int32_t i = 0; i < tensor->dl.ndim; ++i) count *= tensor->dl.shape[i];
  return count;
}

/* Bytes from one element to the next in a contiguous tensor. */
static inline int64_t tp_itemsize(DLDataType dtype) {
  return ((int64_t)dtype.bits * dtype.lanes + 7) / 8;
}

/* True where elements lie in row-major order without gaps; strides of dimensions of size 1 do not count. */
static inline int tp_is_contiguous(const tp_tensor* tensor) {
  int64_t expected = 1;
  if (tp_numel(tensor) == 0) return 1;
  for (int32_t i = tensor->dl.ndim - 1; i >= 0; --i) {
    if (tensor->dl.shape[i] == 1) continue;
    if (tensor->dl.strides[i] != expected) return 0;
    expected *= tensor->dl.shape[i];
  }
  return 1;
}

/* True where the element type is the given one, as in tp_has_dtype(x, TP_TYPE_FLOAT, 32). */
static inline int tp_has_dtype(const tp_tensor* tensor, int code, int bits) {
  return tensor->dl.dtype.code == code && tensor->dl.dtype.bits == bits;
}

/* Address of the first element. */
static inline void* tp_data(const tp_tensor* tensor) {
  return tensor->dl.data == NULL ? NULL : (void*)((char*)tensor->dl.data + tensor->dl.byte_offset);
}

/* A number argument as a double: PyTorch passes Scalar arguments as whatever the caller wrote, 1 or 1.0 or
 * True. */
static inline double tp_scalar_as_double(const tp_scalar* scalar) {
  return scalar->kind == TP_SCALAR_FLOAT ? scalar->value.f : (double)scalar->value.i;
}

/* A number argument as an integer; a float is truncated toward zero. */
static inline int64_t tp_scalar_as_int(const tp_scalar* scalar) {
  return scalar->kind == TP_SCALAR_FLOAT ? (int64_t)scalar->value.f : scalar->value.i;
}

TP_PRINTF_LIKE(3, 4)
static inline tp_status tp_fail(tp_error* error, tp_status status, const char* format, ...);

/* Writes the message and returns the status: return tp_fail(error, TP_UNSUPPORTED, "rank %d", rank); */
static inline tp_status tp_fail(tp_error* error, tp_status status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(error->message, sizeof(error->message), format, arguments);
  va_end(arguments);
  return status;
}

#endif /* TORCHPORT_KERNEL_H_ */
