#include "scalars.h"

#include <string>

#include "tensors.h"

namespace torchport {
namespace {

int64_t to_int(PyObject* value) {
  const long long number = PyLong_AsLongLong(value);
  if (number == -1 && PyErr_Occurred()) throw py::error_already_set();
  return number;
}

double to_double(PyObject* value) {
  const double number = PyFloat_AsDouble(value);
  if (number == -1.0 && PyErr_Occurred()) throw py::error_already_set();
  return number;
}

[[noreturn]] void refuse(PyObject* value, size_t position) {
  throw py::type_error(
      "scalar " + std::to_string(position) + " is a " + Py_TYPE(value)->tp_name +
      "; a kernel takes None, bool, int, float, complex, str, torch.dtype, and lists of bool, "
      "int or float.");
}

}  // namespace

ScalarList::ScalarList(const py::tuple& values) : scalars_(values.size()), pointers_(values.size()) {
  for (size_t i = 0; i < values.size(); ++i) {
    tp_scalar* scalar = &scalars_[i];
    *scalar = {};
    scalar->struct_size = sizeof(tp_scalar);
    convert(PyTuple_GET_ITEM(values.ptr(), i), i, scalar);
    pointers_[i] = scalar;
  }
}

void ScalarList::convert(PyObject* value, size_t position, tp_scalar* out) {
  if (value == Py_None) {
    out->kind = TP_SCALAR_NONE;
  } else if (PyBool_Check(value)) {  // before int, of which bool is a subclass
    out->kind = TP_SCALAR_BOOL;
    out->value.i = value == Py_True;
  } else if (PyLong_Check(value)) {
    out->kind = TP_SCALAR_INT;
    out->value.i = to_int(value);
  } else if (PyFloat_Check(value)) {
    out->kind = TP_SCALAR_FLOAT;
    out->value.f = PyFloat_AS_DOUBLE(value);
  } else if (PyComplex_Check(value)) {
    out->kind = TP_SCALAR_COMPLEX;
    out->value.c[0] = PyComplex_RealAsDouble(value);
    out->value.c[1] = PyComplex_ImagAsDouble(value);
  } else if (PyUnicode_Check(value)) {
    Py_ssize_t length = 0;
    out->kind = TP_SCALAR_STRING;
    out->value.s = PyUnicode_AsUTF8AndSize(value, &length);
    if (out->value.s == nullptr) throw py::error_already_set();
    out->length = length;
  } else if (PyList_Check(value) || PyTuple_Check(value)) {
    convert_list(value, position, out);
  } else if (Torch::get().is_dtype(value)) {
    out->kind = TP_SCALAR_DTYPE;
    out->value.dtype = Torch::get().dtype(value);
  } else {
    refuse(value, position);
  }
}

// All bool: bools. All integers, bools among them: ints. Any float: floats. Empty: ints.
void ScalarList::convert_list(PyObject* value, size_t position, tp_scalar* out) {
  const Py_ssize_t length = PySequence_Fast_GET_SIZE(value);
  PyObject** items = PySequence_Fast_ITEMS(value);
  bool all_bool = length != 0, any_float = false;
  for (Py_ssize_t i = 0; i < length; ++i) {
    if (PyFloat_Check(items[i])) {
      any_float = true;
    } else if (!PyLong_Check(items[i])) {
      refuse(items[i], position);
    }
    all_bool = all_bool && PyBool_Check(items[i]);
  }
  out->length = length;
  if (all_bool) {
    out->kind = TP_SCALAR_BOOLS;
    std::vector<uint8_t>& list = bools_.emplace_back();
    for (Py_ssize_t i = 0; i < length; ++i) list.push_back(items[i] == Py_True);
    out->value.bools = list.data();
  } else if (any_float) {
    out->kind = TP_SCALAR_FLOATS;
    std::vector<double>& list = floats_.emplace_back();
    for (Py_ssize_t i = 0; i < length; ++i) list.push_back(to_double(items[i]));
    out->value.floats = list.data();
  } else {
    out->kind = TP_SCALAR_INTS;
    std::vector<int64_t>& list = ints_.emplace_back();
    for (Py_ssize_t i = 0; i < length; ++i) list.push_back(to_int(items[i]));
    out->value.ints = list.data();
  }
}

}  // namespace torchport
