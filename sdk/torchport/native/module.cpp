// torchport._native: binds the kernel loader and the launcher.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "errors.h"
#include "kernel_call.h"
#include "launch.h"
#include "tensors.h"

namespace py = pybind11;
using namespace py::literals;

namespace {

using torchport::Kernel;
using torchport::KernelLibrary;

void add_details(const py::object& error, const torchport::KernelLibraryError& raised) {
  error.attr("message") = raised.message;
  error.attr("hint") = raised.hint;
}

void add_details(const py::object& error, const torchport::KernelFailed& raised) {
  add_details(error, static_cast<const torchport::KernelLibraryError&>(raised));
  error.attr("status") = raised.status;
  error.attr("code") = raised.code;
}

// pybind11's own registration passes the text on; this one the details too, as attributes.
template <typename Raised>
void register_error(const py::module_& m, const char* name) {
  static const py::handle type = py::exception<Raised>(m, name, PyExc_RuntimeError).release();
  py::register_local_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const Raised& raised) {
      const py::object error = type(raised.what());
      add_details(error, raised);
      PyErr_SetObject(type.ptr(), error.ptr());
    }
  });
}

void bind_kernels(py::module_& m) {
  py::class_<Kernel, std::shared_ptr<Kernel>>(m, "Kernel",
                                              "One kernel of a library; it keeps the library loaded.")
      .def("run", &Kernel::run, "inputs"_a, "outputs"_a, "scalars"_a = py::tuple(), "stream"_a = 0,
           "aliases"_a = py::tuple(), "Prepare once per signature, then run; returns the outputs.")
      .def_property_readonly("name", &Kernel::name)
      .def_property_readonly("library", &Kernel::library_name)
      .def_property_readonly("prepared", &Kernel::prepared,
                             "Number of signatures whose prepared state is held.");
  py::class_<KernelLibrary>(m, "KernelLibrary", "A shared library that exports tp_library_get.")
      .def(py::init<const std::string&, size_t>(), "path"_a, "cache_limit"_a = 256)
      .def("kernel", &KernelLibrary::kernel, "name"_a)
      .def_property_readonly("path", [](const KernelLibrary& self) { return self.library().path(); })
      .def_property_readonly("name", [](const KernelLibrary& self) { return self.library().table().name; })
      .def_property_readonly("version",
                             [](const KernelLibrary& self) { return self.library().table().version; })
      .def_property_readonly("abi",
                             [](const KernelLibrary& self) {
                               const tp_library& table = self.library().table();
                               return py::make_tuple(table.abi_major, table.abi_minor);
                             })
      .def_property_readonly("kernel_names", [](const KernelLibrary& self) {
        return py::tuple(py::cast(self.library().kernel_names()));
      });
}

}  // namespace

PYBIND11_MODULE(_native, m) {
  m.doc() = "Loads kernel libraries built on torchport/kernel.h and launches compiled code.";
  register_error<torchport::LibraryNotLoadable>(m, "LibraryNotLoadable");
  register_error<torchport::AbiMismatch>(m, "AbiMismatch");
  register_error<torchport::UnknownKernel>(m, "UnknownKernel");
  register_error<torchport::KernelFailed>(m, "KernelFailed");
  py::register_local_exception<torchport::UnresolvedView>(m, "UnresolvedView", PyExc_ValueError);
  bind_kernels(m);
  torchport::add_launch(m.ptr());
  m.attr("ABI_VERSION") = py::make_tuple(TP_ABI_MAJOR, TP_ABI_MINOR);
  m.def(
      "has_exchange_api", [] { return torchport::Torch::get().has_exchange_api(); },
      "Whether tensors are read through the DLPack C exchange API.");
}
