// Reads torch tensors into DLTensors, and maps torch dtypes, without linking torch.
#pragma once

#include <pybind11/pybind11.h>

#include <unordered_map>
#include <vector>

#include "dlpack_exchange.h"
#include "torchport/kernel.h"

namespace torchport {

namespace py = pybind11;

// What must outlive a view that did not come from the exchange API. Empty otherwise.
struct ViewKeeper {
  std::vector<py::object> capsules;
  std::vector<std::vector<int64_t>> strides;
};

// What the extension knows about the running torch; looked up at first use, constant afterwards.
class Torch {
 public:
  static const Torch& get();

  // Fills *out with a view of a plain torch.Tensor or Parameter, valid while the tensor and *keeper live:
  // strides and shape non-NULL, byte_offset folded into data. Raises TypeError on subclasses, fake tensors
  // included, and whatever torch raises on tensors without strided memory.
  void view(PyObject* object, DLTensor* out, ViewKeeper* keeper) const {
    if (Py_TYPE(object) != tensor_type_ && Py_TYPE(object) != parameter_type_) refuse_type(object);
    if (api_ != nullptr) {
      if (api_->dltensor_from_object(object, out) != 0) throw py::error_already_set();
    } else {
      view_by_capsule(object, out, keeper);
    }
    normalize(out, keeper);
    if (out->data == nullptr) check_empty(*out);
  }

  // Raises UnresolvedView where a conjugation or negation is still lazy.
  void check_resolved(PyObject* tensor, DLDataType dtype) const;

  // Allocates an uninitialised contiguous tensor where `like` lives; on the CPU when `like` is null.
  py::object empty(const py::tuple& shape, DLDataType dtype, PyObject* like) const;

  bool is_dtype(PyObject* object) const { return Py_TYPE(object) == dtype_type_; }

  // Both raise TypeError on a type that kernel.h has no code for.
  DLDataType dtype(PyObject* torch_dtype) const;
  PyObject* torch_dtype(DLDataType dtype) const;

  // True where tensors are read through the exchange API.
  bool has_exchange_api() const { return api_ != nullptr; }

 private:
  Torch();
  [[noreturn]] void refuse_type(PyObject* object) const;
  void view_by_capsule(PyObject* object, DLTensor* out, ViewKeeper* keeper) const;
  static void check_empty(const DLTensor& view);
  static void normalize(DLTensor* out, ViewKeeper* keeper);

  // Borrowed from references that are kept for the life of the process.
  PyTypeObject* tensor_type_;
  PyTypeObject* parameter_type_;
  PyTypeObject* dtype_type_;
  PyObject* empty_;
  PyObject *is_conj_, *is_neg_, *new_empty_, *dtype_keyword_;
  const ExchangeApi* api_ = nullptr;
  std::unordered_map<PyObject*, DLDataType> to_dlpack_;
  std::unordered_map<uint32_t, PyObject*> from_dlpack_;
};

}  // namespace torchport
