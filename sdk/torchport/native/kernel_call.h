// Kernels of a library as Python calls them.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "library.h"
#include "prepared.h"
#include "workspace.h"

namespace torchport {

namespace py = pybind11;

class Kernel {
 public:
  Kernel(std::shared_ptr<const Library> library, const tp_kernel& kernel, size_t cache_limit)
      : library_(library), kernel_(kernel), cache_(std::move(library), kernel, cache_limit) {}

  // See _native.pyi. Returns the outputs, those that the kernel allocated among them.
  py::tuple run(const py::object& inputs, const py::object& outputs, const py::object& scalars,
                uintptr_t stream, const py::object& aliases);

  std::string name() const { return kernel_.name; }
  std::string library_name() const { return library_->table().name; }
  size_t prepared() { return cache_.size(); }

 private:
  std::shared_ptr<const Prepared> prepare(const tp_run_args& args);
  tp_status call(const tp_run_args& args, tp_error* error) const;

  const std::shared_ptr<const Library> library_;
  const tp_kernel& kernel_;
  PreparedCache cache_;
  WorkspacePool workspaces_;
};

class KernelLibrary {
 public:
  KernelLibrary(const std::string& path, size_t cache_limit);

  // The same object for the same name, so that its prepared states are shared.
  std::shared_ptr<Kernel> kernel(const std::string& name);
  const Library& library() const { return *library_; }

 private:
  const std::shared_ptr<const Library> library_;
  const size_t cache_limit_;
  std::unordered_map<std::string, std::shared_ptr<Kernel>> kernels_;
};

}  // namespace torchport
