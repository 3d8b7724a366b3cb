// The DLPack 1.x structures that the extension meets besides DLTensor: the C exchange API, through which
// torch.Tensor hands out DLTensors without linking torch, and the payload of a capsule, for when it is
// absent.
#pragma once

#include <cstdint>

#include "torchport/kernel.h"

namespace torchport {

constexpr uint32_t kDlpackMajor = 1;

// Begins every exchange API of any major; older majors hang behind it.
struct ExchangeHeader {
  uint32_t major;
  uint32_t minor;
  ExchangeHeader* older;
};

// The functions between the header and dltensor_from_object have signatures that this extension never needs.
struct ExchangeApi {
  ExchangeHeader header;
  void (*managed_allocate)();
  void (*managed_from_object)();
  void (*managed_to_object)();
  // Fills a borrowed view that is valid while the object lives; no stream synchronisation. Non-zero: a Python
  // error is set. May be NULL.
  int (*dltensor_from_object)(void* object, DLTensor* out);
  void (*current_work_stream)();
};

// What a capsule named "dltensor_versioned" points to. One named "dltensor" points to the DLTensor itself.
struct VersionedManagedTensor {
  uint32_t major;
  uint32_t minor;
  void* context;
  void (*deleter)(VersionedManagedTensor*);
  uint64_t flags;
  DLTensor tensor;
};

}  // namespace torchport
