// torchport._native: binds the kernel loader and the launcher.
#include <pybind11/pybind11.h>

PYBIND11_MODULE(_native, m) { m.doc() = "Kernel loader and launcher of torchport."; }
