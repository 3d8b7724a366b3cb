// Fast call of generated code by address.
#pragma once

#include <Python.h>

namespace torchport {

// Adds launch(fn_ptr, pointers, ints, *, nogil=False) to the module; see _native.pyi. A plain C function
// rather than a pybind11 one, whose dispatch would cost as much as the rest of the call.
void add_launch(PyObject* module);

}  // namespace torchport
