// Converts Python values into tp_scalar.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <vector>

#include "inline_buffer.h"
#include "torchport/kernel.h"

namespace torchport {

namespace py = pybind11;

// The scalars of one call. Strings are borrowed from the Python objects, so the tuple outlives this.
class ScalarList {
 public:
  // Accepts None, bool, int, float, complex, str, torch.dtype, and lists or tuples of bool, int and float.
  // Raises TypeError on anything else and OverflowError past int64.
  explicit ScalarList(const py::tuple& values);

  const tp_scalar* const* pointers() const { return pointers_.data(); }
  int32_t size() const { return static_cast<int32_t>(pointers_.size()); }

 private:
  void convert(PyObject* value, size_t position, tp_scalar* out);
  void convert_list(PyObject* value, size_t position, tp_scalar* out);

  InlineBuffer<tp_scalar, 8> scalars_;
  InlineBuffer<const tp_scalar*, 8> pointers_;
  std::vector<std::vector<int64_t>> ints_;
  std::vector<std::vector<double>> floats_;
  std::vector<std::vector<uint8_t>> bools_;
};

}  // namespace torchport
