// An array whose size is known once, kept on the stack while it is small: a call of a kernel should not
// allocate.
#pragma once

#include <cstddef>
#include <memory>

namespace torchport {

template <typename T, size_t N>
class InlineBuffer {
 public:
  explicit InlineBuffer(size_t size) : size_(size) {
    if (size > N) heap_.reset(new T[size]);
  }
  InlineBuffer(const InlineBuffer&) = delete;
  InlineBuffer& operator=(const InlineBuffer&) = delete;

  T* data() { return heap_ ? heap_.get() : inline_; }
  const T* data() const { return heap_ ? heap_.get() : inline_; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  size_t size() const { return size_; }

 private:
  const size_t size_;
  T inline_[N];
  std::unique_ptr<T[]> heap_;
};

}  // namespace torchport
