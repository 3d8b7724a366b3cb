#include "prepared.h"

#include <cstring>
#include <exception>

#include "errors.h"

namespace torchport {
namespace {

struct StatusText {
  const char* name;
  const char* hint;
};

StatusText status_text(tp_status status) {
  switch (status) {
    case TP_INVALID_ARGUMENT:
      return {"invalid argument", "check the call against the operator's rules: eager should refuse it too"};
    case TP_UNSUPPORTED:
      return {"unsupported",
              "narrow what the backend claims for this operator, so that such calls go elsewhere"};
    case TP_OUT_OF_MEMORY:
      return {"out of memory", "free memory on the device or make the problem smaller"};
    case TP_DEVICE_ERROR:
      return {"device error", "look in the driver's log; later calls on this device may fail too"};
    default:
      return {"internal error", "report it to the kernel library's vendor with the message"};
  }
}

bool is_power_of_two(uint64_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

}  // namespace

void raise_kernel_failed(const Library& library, const tp_kernel& kernel, const char* what, tp_status status,
                         const tp_error& error) {
  const StatusText reason = status_text(status);
  std::string text = std::string("kernel '") + kernel.name + "' of library '" + library.table().name + "' " +
                     library.table().version + " failed to " + what + ": " + reason.name;
  const std::string message(error.message, strnlen(error.message, sizeof(error.message)));
  if (!message.empty()) text += ": " + message;
  if (error.code != 0) text += " (code " + std::to_string(error.code) + ")";
  throw KernelFailed(text, reason.hint, status, error.code);
}

Signature::Signature(const tp_prepare_args& args) {
  words_.reserve(96);
  add(args.device);
  words_.push_back(args.input_count);
  for (int32_t i = 0; i < args.input_count; ++i) add(args.inputs[i]);
  words_.push_back(args.output_count);
  for (int32_t i = 0; i < args.output_count; ++i) add(args.outputs[i]);
  for (int32_t i = 0; i < args.scalar_count; ++i) add(*args.scalars[i]);
}

void Signature::add(DLDevice device) {
  words_.push_back((static_cast<int64_t>(device.device_type) << 32) |
                   static_cast<uint32_t>(device.device_id));
}

void Signature::add(const tp_tensor* tensor) {
  if (tensor == nullptr) {
    words_.push_back(-1);
    return;
  }
  const DLTensor& dl = tensor->dl;
  words_.push_back((static_cast<int64_t>(dl.ndim) << 32) | (dl.dtype.code << 24) | (dl.dtype.bits << 16) |
                   dl.dtype.lanes);
  words_.push_back(tensor->alias_of);
  add(dl.device);
  words_.insert(words_.end(), dl.shape, dl.shape + dl.ndim);
  words_.insert(words_.end(), dl.strides, dl.strides + dl.ndim);
}

void Signature::add_bytes(const void* bytes, size_t count) {
  const size_t start = words_.size();
  words_.resize(start + (count + 7) / 8, 0);
  if (count != 0) std::memcpy(&words_[start], bytes, count);
}

void Signature::add(const tp_scalar& scalar) {
  words_.push_back(scalar.kind);
  words_.push_back(scalar.length);
  switch (scalar.kind) {
    case TP_SCALAR_STRING:
      add_bytes(scalar.value.s, scalar.length);
      break;
    case TP_SCALAR_INTS:
      add_bytes(scalar.value.ints, scalar.length * sizeof(int64_t));
      break;
    case TP_SCALAR_FLOATS:
      add_bytes(scalar.value.floats, scalar.length * sizeof(double));
      break;
    case TP_SCALAR_BOOLS:
      add_bytes(scalar.value.bools, scalar.length);
      break;
    default:
      add_bytes(&scalar.value, sizeof(scalar.value));
      break;  // zeroed before it was set
  }
}

size_t Signature::hash() const {
  uint64_t state = 0xcbf29ce484222325u;
  for (const int64_t word : words_) {
    state ^= static_cast<uint64_t>(word);
    state *= 0x9e3779b97f4a7c15u;
    state ^= state >> 29;
  }
  return state;
}

PreparedCache::PreparedCache(std::shared_ptr<const Library> library, const tp_kernel& kernel, size_t limit)
    : library_(std::move(library)),
      kernel_(kernel),
      limit_(limit),
      stateless_(kernel.prepare == nullptr ? std::make_shared<Prepared>(library_, kernel, tp_prepare_result{})
                                           : nullptr) {}

std::shared_ptr<const Prepared> PreparedCache::find(const Signature& signature) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!entries_.empty() && entries_.front().first == signature) return entries_.front().second;
  const auto found = index_.find(signature);
  if (found == index_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->second;
}

std::shared_ptr<const Prepared> PreparedCache::prepare(const Signature& signature,
                                                       const tp_prepare_args& args) {
  const std::lock_guard<std::mutex> one_at_a_time(preparing_);
  if (std::shared_ptr<const Prepared> found = find(signature)) return found;
  auto prepared = std::make_shared<const Prepared>(library_, kernel_, call_prepare(args));
  std::shared_ptr<const Prepared> dropped;  // released after the lock
  const std::lock_guard<std::mutex> lock(mutex_);
  entries_.emplace_front(signature, prepared);
  index_.emplace(signature, entries_.begin());
  if (entries_.size() > limit_) {
    index_.erase(entries_.back().first);
    dropped = std::move(entries_.back().second);
    entries_.pop_back();
  }
  return prepared;
}

tp_prepare_result PreparedCache::call_prepare(const tp_prepare_args& args) const {
  tp_prepare_result result = {};
  tp_error error = {};
  result.struct_size = sizeof(result);
  error.struct_size = sizeof(error);
  tp_status status = TP_OK;
  try {
    status = kernel_.prepare(&args, &result, &error);
  } catch (const std::exception& exception) {
    status = tp_fail(&error, TP_INTERNAL_ERROR, "a C++ exception left the kernel: %s", exception.what());
  }
  if (status != TP_OK) raise_kernel_failed(*library_, kernel_, "prepare", status, error);
  if (result.workspace_alignment == 0) result.workspace_alignment = 64;
  if (!is_power_of_two(result.workspace_alignment)) {
    if (kernel_.release != nullptr) kernel_.release(result.state);
    (void)tp_fail(&error, TP_INTERNAL_ERROR, "workspace_alignment %llu is no power of two",
                  static_cast<unsigned long long>(result.workspace_alignment));
    raise_kernel_failed(*library_, kernel_, "prepare", TP_INTERNAL_ERROR, error);
  }
  return result;
}

size_t PreparedCache::size() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return entries_.size();
}

}  // namespace torchport
