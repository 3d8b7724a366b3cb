// Scratch memory for kernels, reused from call to call.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <list>

#include "torchport/kernel.h"

namespace torchport {

namespace py = pybind11;

// Buffers of one kernel. A buffer serves one run at a time and, on a device with streams, one stream: work
// that is still queued on a stream is ordered before the next run that gets the buffer. The GIL guards all of
// it.
class WorkspacePool {
 public:
  struct Buffer {
    DLDevice device;
    void* stream;
    uint64_t capacity;
    uint64_t alignment;
    void* address;
    py::object tensor;  // owns the memory
  };

  // A buffer on loan; it goes back when this is destroyed. Empty for size 0.
  class Loan {
   public:
    Loan() = default;
    Loan(WorkspacePool* pool, std::list<Buffer>&& buffer) : pool_(pool), buffer_(std::move(buffer)) {}
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan() {
      if (pool_ != nullptr) pool_->give_back(std::move(buffer_));
    }
    void* address() const { return buffer_.empty() ? nullptr : buffer_.front().address; }

   private:
    WorkspacePool* pool_ = nullptr;
    std::list<Buffer> buffer_;
  };

  // `like`: a tensor on `device`, or null for the CPU.
  Loan take(DLDevice device, void* stream, uint64_t size, uint64_t alignment, PyObject* like);

 private:
  void give_back(std::list<Buffer>&& buffer);

  std::list<Buffer> idle_;  // the most recently used first
};

}  // namespace torchport
