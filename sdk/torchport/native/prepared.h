// What prepare returned, kept once per distinct signature of a kernel's arguments. Knows nothing of Python.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "library.h"
#include "torchport/kernel.h"

namespace torchport {

// "kernel 'add' of library 'mine' 1.0 failed to run: unsupported: rank 5"
[[noreturn]] void raise_kernel_failed(const Library& library, const tp_kernel& kernel, const char* what,
                                      tp_status status, const tp_error& error);

// Everything that prepare may depend on, as words that compare and hash.
class Signature {
 public:
  explicit Signature(const tp_prepare_args& args);
  bool operator==(const Signature& other) const { return words_ == other.words_; }
  size_t hash() const;

 private:
  void add(const tp_tensor* tensor);
  void add(const tp_scalar& scalar);
  void add(DLDevice device);
  void add_bytes(const void* bytes, size_t count);

  std::vector<int64_t> words_;
};

// One successful prepare; its destructor is the matching release.
class Prepared {
 public:
  Prepared(std::shared_ptr<const Library> library, const tp_kernel& kernel, const tp_prepare_result& result)
      : result(result), library_(std::move(library)), kernel_(kernel) {}
  ~Prepared() {
    if (kernel_.prepare != nullptr && kernel_.release != nullptr) kernel_.release(result.state);
  }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  const tp_prepare_result result;

 private:
  const std::shared_ptr<const Library> library_;
  const tp_kernel& kernel_;
};

// The most recently used signatures of one kernel. A signature that is dropped while a run uses it is
// released when that run ends.
class PreparedCache {
 public:
  PreparedCache(std::shared_ptr<const Library> library, const tp_kernel& kernel, size_t limit);

  // Null where the signature is not held.
  std::shared_ptr<const Prepared> find(const Signature& signature);

  // Calls prepare unless another thread did meanwhile. May take long: the caller holds no lock, the GIL
  // included. Raises KernelFailed.
  std::shared_ptr<const Prepared> prepare(const Signature& signature, const tp_prepare_args& args);

  // For a kernel without prepare: no state, no workspace, no signature.
  const std::shared_ptr<const Prepared>& stateless() const { return stateless_; }

  size_t size();

 private:
  struct Hash {
    size_t operator()(const Signature& signature) const { return signature.hash(); }
  };
  using Entry = std::pair<Signature, std::shared_ptr<const Prepared>>;

  tp_prepare_result call_prepare(const tp_prepare_args& args) const;

  const std::shared_ptr<const Library> library_;
  const tp_kernel& kernel_;
  const size_t limit_;
  const std::shared_ptr<const Prepared> stateless_;
  std::mutex preparing_;      // one prepare at a time
  std::mutex mutex_;          // guards the two below; never held while foreign code runs
  std::list<Entry> entries_;  // the most recently used first
  std::unordered_map<Signature, std::list<Entry>::iterator, Hash> index_;
};

}  // namespace torchport
