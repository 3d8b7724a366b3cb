#include "workspace.h"

#include "tensors.h"

namespace torchport {
namespace {

// Streams come and go; buffers of those that are gone are the first to be dropped.
constexpr size_t kMaxIdle = 16;

bool same_place(const WorkspacePool::Buffer& buffer, DLDevice device, void* stream) {
  return buffer.device.device_type == device.device_type && buffer.device.device_id == device.device_id &&
         buffer.stream == stream;
}

}  // namespace

WorkspacePool::Loan WorkspacePool::take(DLDevice device, void* stream, uint64_t size, uint64_t alignment,
                                        PyObject* like) {
  if (size == 0) return {};
  std::list<Buffer> loan;
  for (auto buffer = idle_.begin(); buffer != idle_.end(); ++buffer) {
    if (!same_place(*buffer, device, stream)) continue;
    loan.splice(loan.begin(), idle_, buffer);
    if (loan.front().capacity >= size && loan.front().alignment >= alignment) return {this, std::move(loan)};
    loan.clear();  // outgrown
    break;
  }
  const Torch& torch = Torch::get();
  const py::tuple shape = py::make_tuple(size + alignment - 1);
  py::object tensor = torch.empty(shape, DLDataType{TP_TYPE_UINT, 8, 1}, like);
  DLTensor view;
  ViewKeeper keeper;
  torch.view(tensor.ptr(), &view, &keeper);
  const auto start = reinterpret_cast<uintptr_t>(view.data);
  void* address = reinterpret_cast<void*>((start + alignment - 1) & ~(static_cast<uintptr_t>(alignment) - 1));
  loan.push_back({device, stream, size, alignment, address, std::move(tensor)});
  return {this, std::move(loan)};
}

void WorkspacePool::give_back(std::list<Buffer>&& buffer) {
  idle_.splice(idle_.begin(), buffer);
  if (idle_.size() > kMaxIdle) idle_.pop_back();
}

}  // namespace torchport
