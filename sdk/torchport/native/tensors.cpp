#include "tensors.h"

#include <pybind11/gil_safe_call_once.h>

#include <string>

#include "errors.h"

namespace torchport {
namespace {

struct NamedDtype {
  const char* name;
  DLDataType dtype;
};

constexpr NamedDtype kDtypes[] = {
    {"bool", {TP_TYPE_BOOL, 8, 1}},
    {"uint8", {TP_TYPE_UINT, 8, 1}},
    {"uint16", {TP_TYPE_UINT, 16, 1}},
    {"uint32", {TP_TYPE_UINT, 32, 1}},
    {"uint64", {TP_TYPE_UINT, 64, 1}},
    {"int8", {TP_TYPE_INT, 8, 1}},
    {"int16", {TP_TYPE_INT, 16, 1}},
    {"int32", {TP_TYPE_INT, 32, 1}},
    {"int64", {TP_TYPE_INT, 64, 1}},
    {"float16", {TP_TYPE_FLOAT, 16, 1}},
    {"bfloat16", {TP_TYPE_BFLOAT, 16, 1}},
    {"float32", {TP_TYPE_FLOAT, 32, 1}},
    {"float64", {TP_TYPE_FLOAT, 64, 1}},
    {"complex32", {TP_TYPE_COMPLEX, 32, 1}},
    {"complex64", {TP_TYPE_COMPLEX, 64, 1}},
    {"complex128", {TP_TYPE_COMPLEX, 128, 1}},
    {"float8_e4m3fn", {TP_TYPE_FLOAT8_E4M3FN, 8, 1}},
    {"float8_e4m3fnuz", {TP_TYPE_FLOAT8_E4M3FNUZ, 8, 1}},
    {"float8_e5m2", {TP_TYPE_FLOAT8_E5M2, 8, 1}},
    {"float8_e5m2fnuz", {TP_TYPE_FLOAT8_E5M2FNUZ, 8, 1}},
    {"float8_e8m0fnu", {TP_TYPE_FLOAT8_E8M0FNU, 8, 1}},
    {"float4_e2m1fn_x2", {TP_TYPE_FLOAT4_E2M1FN, 4, 2}},
};

uint32_t packed(DLDataType dtype) {
  return (static_cast<uint32_t>(dtype.code) << 24) | (static_cast<uint32_t>(dtype.bits) << 16) | dtype.lanes;
}

std::string type_name(PyObject* object) {
  return Py_TYPE(object)->tp_name;
}

// The newest exchange API of the major that this extension was written for; null where there is none.
const ExchangeApi* exchange_api(const py::object& tensor_type) {
  if (!py::hasattr(tensor_type, "__dlpack_c_exchange_api__")) return nullptr;
  const py::object capsule = tensor_type.attr("__dlpack_c_exchange_api__");
  auto* header = static_cast<ExchangeHeader*>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  if (header == nullptr) throw py::error_already_set();
  while (header != nullptr && header->major != kDlpackMajor) header = header->older;
  const auto* api = reinterpret_cast<const ExchangeApi*>(header);
  return api != nullptr && api->dltensor_from_object != nullptr ? api : nullptr;
}

bool method_is_true(PyObject* object, PyObject* name) {
  const py::object result = py::reinterpret_steal<py::object>(PyObject_CallMethodNoArgs(object, name));
  if (!result) throw py::error_already_set();
  return result.ptr() == Py_True;
}

}  // namespace

const Torch& Torch::get() {
  PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<const Torch*> storage;
  return *storage.call_once_and_store_result([] { return new Torch(); }).get_stored();
}

Torch::Torch() {
  const py::module_ torch = py::module_::import("torch");
  const py::object tensor = torch.attr("Tensor");
  tensor_type_ = reinterpret_cast<PyTypeObject*>(py::object(tensor).release().ptr());
  parameter_type_ =
      reinterpret_cast<PyTypeObject*>(py::object(torch.attr("nn").attr("Parameter")).release().ptr());
  dtype_type_ = reinterpret_cast<PyTypeObject*>(py::object(torch.attr("dtype")).release().ptr());
  empty_ = py::object(torch.attr("empty")).release().ptr();
  is_conj_ = py::str("is_conj").release().ptr();
  is_neg_ = py::str("is_neg").release().ptr();
  new_empty_ = py::str("new_empty").release().ptr();
  dtype_keyword_ = py::str("dtype").release().ptr();
  api_ = exchange_api(tensor);
  for (const NamedDtype& entry : kDtypes) {
    if (!py::hasattr(torch, entry.name)) continue;
    PyObject* dtype = py::object(torch.attr(entry.name)).release().ptr();
    to_dlpack_.emplace(dtype, entry.dtype);
    from_dlpack_.emplace(packed(entry.dtype), dtype);
  }
}

void Torch::refuse_type(PyObject* object) const {
  if (PyObject_TypeCheck(object, tensor_type_))
    throw py::type_error(
        "a kernel needs plain tensors, got the subclass " + type_name(object) +
        "; pass the tensor that it wraps. Fake tensors hold no data: kernels run after tracing.");
  throw py::type_error("a kernel needs torch.Tensor arguments, got " + type_name(object) + ".");
}

void Torch::view_by_capsule(PyObject* object, DLTensor* out, ViewKeeper* keeper) const {
  using namespace py::literals;
  // DLPack export refuses tensors that require grad; what a kernel computes is never recorded by autograd.
  const py::object tensor = py::reinterpret_borrow<py::object>(object).attr("detach")();
  const py::tuple version = py::make_tuple(kDlpackMajor, 0);
  const bool on_cpu = tensor.attr("device").attr("type").cast<std::string>() == "cpu";
  // -1: no synchronisation. The CPU has no streams and wants None.
  const py::object stream = on_cpu ? py::object(py::none()) : py::object(py::int_(-1));
  const py::object capsule = tensor.attr("__dlpack__")("max_version"_a = version, "stream"_a = stream);
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
    void* payload = PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned");
    const auto* managed = static_cast<const VersionedManagedTensor*>(payload);
    if (managed->major != kDlpackMajor)
      throw py::type_error("torch exported DLPack version " + std::to_string(managed->major) + ", " +
                           std::to_string(kDlpackMajor) + " was asked for.");
    *out = managed->tensor;
  } else {
    void* payload = PyCapsule_GetPointer(capsule.ptr(), "dltensor");
    if (payload == nullptr) throw py::error_already_set();
    *out = *static_cast<const DLTensor*>(payload);
  }
  keeper->capsules.push_back(capsule);
}

void Torch::check_empty(const DLTensor& view) {
  for (int32_t i = 0; i < view.ndim; ++i)
    if (view.shape[i] == 0) return;
  throw py::type_error(
      "a kernel needs tensors with memory, got one whose data pointer is NULL: a tensor of symbolic zeros or "
      "a "
      "functionalization wrapper.");
}

void Torch::normalize(DLTensor* out, ViewKeeper* keeper) {
  static int64_t none = 0;  // never read or written: what the arrays of a 0-dimensional tensor point to
  if (out->byte_offset != 0) {
    out->data = static_cast<char*>(out->data) + out->byte_offset;
    out->byte_offset = 0;
  }
  if (out->ndim == 0) {
    out->shape = &none;
    out->strides = &none;
  } else if (out->strides == nullptr) {  // DLPack before 1.2: contiguous
    std::vector<int64_t> strides(out->ndim);
    int64_t step = 1;
    for (int32_t i = out->ndim - 1; i >= 0; --i) {
      strides[i] = step;
      step *= out->shape[i];
    }
    keeper->strides.push_back(std::move(strides));
    out->strides = keeper->strides.back().data();
  }
}

void Torch::check_resolved(PyObject* tensor, DLDataType dtype) const {
  if (dtype.code == TP_TYPE_BOOL) return;
  if (dtype.code == TP_TYPE_COMPLEX && method_is_true(tensor, is_conj_))
    throw UnresolvedView("a tensor with a lazy conjugation reached a kernel; call resolve_conj() first.");
  if (method_is_true(tensor, is_neg_))
    throw UnresolvedView("a tensor with a lazy negation reached a kernel; call resolve_neg() first.");
}

py::object Torch::empty(const py::tuple& shape, DLDataType dtype, PyObject* like) const {
  const py::tuple names = py::make_tuple(py::handle(dtype_keyword_));
  PyObject* arguments[] = {like, shape.ptr(), torch_dtype(dtype)};
  PyObject* result = like != nullptr ? PyObject_VectorcallMethod(new_empty_, arguments, 2, names.ptr())
                                     : PyObject_Vectorcall(empty_, arguments + 1, 1, names.ptr());
  if (result == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(result);
}

DLDataType Torch::dtype(PyObject* torch_dtype) const {
  const auto found = to_dlpack_.find(torch_dtype);
  if (found == to_dlpack_.end())
    throw py::type_error("torchport/kernel.h has no type code for " +
                         py::repr(torch_dtype).cast<std::string>() + ".");
  return found->second;
}

PyObject* Torch::torch_dtype(DLDataType dtype) const {
  const auto found = from_dlpack_.find(packed(dtype));
  if (found == from_dlpack_.end())
    throw py::type_error("torch has no dtype for code " + std::to_string(dtype.code) + " with " +
                         std::to_string(dtype.bits) + " bits and " + std::to_string(dtype.lanes) + " lanes.");
  return found->second;
}

}  // namespace torchport
