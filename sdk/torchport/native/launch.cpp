#include "launch.h"

#include "inline_buffer.h"
#include "tensors.h"

namespace torchport {
namespace {

using Function = void (*)(void** buffers, const int64_t* sizes);

constexpr const char* kDoc =
    "launch(fn_ptr, pointers, ints, *, nogil=False)\n--\n\n"
    "Calls void f(void** buffers, const int64_t* sizes) at address fn_ptr.";

Function function_at(PyObject* address) {
  void* pointer = PyLong_AsVoidPtr(address);
  if (pointer == nullptr) {
    if (PyErr_Occurred()) throw py::error_already_set();
    throw py::value_error("launch got the address 0.");
  }
  return reinterpret_cast<Function>(pointer);
}

bool wants_nogil(PyObject* const* args, Py_ssize_t positional, PyObject* keywords) {
  const Py_ssize_t named = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
  const bool known = named == 0 || (named == 1 && PyUnicode_CompareWithASCIIString(
                                                      PyTuple_GET_ITEM(keywords, 0), "nogil") == 0);
  if (positional != 3 || !known)
    throw py::type_error("launch takes (fn_ptr, pointers, ints, *, nogil=False).");
  if (named == 0) return false;
  const int truth = PyObject_IsTrue(args[3]);
  if (truth < 0) throw py::error_already_set();
  return truth != 0;
}

// With the GIL held nobody can change a list under us; without it a tuple of our own is needed.
py::object frozen(PyObject* sequence, bool nogil, const char* complaint) {
  PyObject* result = nogil ? PySequence_Tuple(sequence) : PySequence_Fast(sequence, complaint);
  if (result == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(result);
}

void call(PyObject* const* args, Py_ssize_t positional, PyObject* keywords) {
  const bool nogil = wants_nogil(args, positional, keywords);
  const Function function = function_at(args[0]);
  const py::object tensors = frozen(args[1], nogil, "launch needs a sequence of tensors.");
  const py::object ints = frozen(args[2], nogil, "launch needs a sequence of integers.");

  const Torch& torch = Torch::get();
  ViewKeeper keeper;
  InlineBuffer<void*, 32> buffers(PySequence_Fast_GET_SIZE(tensors.ptr()));
  PyObject** objects = PySequence_Fast_ITEMS(tensors.ptr());
  for (size_t i = 0; i < buffers.size(); ++i) {
    DLTensor view;
    torch.view(objects[i], &view, &keeper);
    buffers[i] = view.data;
  }
  InlineBuffer<int64_t, 64> sizes(PySequence_Fast_GET_SIZE(ints.ptr()));
  PyObject** numbers = PySequence_Fast_ITEMS(ints.ptr());
  for (size_t i = 0; i < sizes.size(); ++i) {
    sizes[i] = PyLong_AsLongLong(numbers[i]);
    if (sizes[i] == -1 && PyErr_Occurred()) throw py::error_already_set();
  }
  if (nogil) {
    const py::gil_scoped_release released;
    function(buffers.data(), sizes.data());
  } else {
    function(buffers.data(), sizes.data());
  }
}

PyObject* launch(PyObject*, PyObject* const* args, Py_ssize_t positional, PyObject* keywords) {
  try {
    call(args, positional, keywords);
    Py_RETURN_NONE;
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const py::builtin_exception& error) {
    error.set_error();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

}  // namespace

void add_launch(PyObject* module) {
  static PyMethodDef methods[] = {
      {"launch", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&launch)),
       METH_FASTCALL | METH_KEYWORDS, kDoc},
      {nullptr, nullptr, 0, nullptr}};
  if (PyModule_AddFunctions(module, methods) != 0) throw py::error_already_set();
}

}  // namespace torchport
