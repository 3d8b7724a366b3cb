#pragma once

#include <torchport/kernel.h>

#include <array>

constexpr int kMaxRank = 64;  // as in PyTorch

// Visits every index of a shape in row-major order. The body gets one element offset per operand.
template <int N>
class Walk {
 public:
  using Offsets = std::array<int64_t, N>;

  // Appends a dimension: its size and every operand's stride along it, 0 where the operand broadcasts.
  void add(int64_t size, Offsets strides) {
    size_[rank_] = size;
    strides_[rank_++] = strides;
  }

  template <class Body>
  void each(const Body& body, int dim = 0, Offsets at = {}) const {
    if (dim == rank_) return body(at);
    for (int64_t i = 0; i < size_[dim]; ++i) {
      each(body, dim + 1, at);
      for (int k = 0; k < N; ++k) at[k] += strides_[dim][k];
    }
  }

 private:
  int rank_ = 0;
  int64_t size_[kMaxRank];
  Offsets strides_[kMaxRank];
};

// Walk over the elements of the output: operand 0 is the output, the others are the first N inputs, broadcast.
template <int N>
Walk<N + 1> elements(const tp_run_args* args) {
  const DLTensor& out = args->outputs[0]->dl;
  Walk<N + 1> walk;
  for (int d = 0; d < out.ndim; ++d) {
    std::array<int64_t, N + 1> strides{out.strides[d]};
    for (int k = 0; k < N; ++k) {
      const DLTensor& in = args->inputs[k]->dl;
      const int e = d - (out.ndim - in.ndim);
      if (e >= 0 && in.shape[e] != 1) strides[k + 1] = in.strides[e];
    }
    walk.add(out.shape[d], strides);
  }
  return walk;
}
