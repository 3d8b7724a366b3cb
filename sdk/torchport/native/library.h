// A loaded kernel library: dlopen, tp_library_get, and the checks of what it returned. Knows nothing of
// Python.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "torchport/kernel.h"

namespace torchport {

class Library {
 public:
  // Raises LibraryNotLoadable or AbiMismatch. The image stays mapped until the process ends: kernels may have
  // started threads or registered exit handlers, which unmapping would leave dangling.
  static std::shared_ptr<const Library> open(const std::string& path);

  // Raises UnknownKernel, naming the kernels that exist.
  const tp_kernel& kernel(const std::string& name) const;

  std::vector<std::string> kernel_names() const;
  const tp_library& table() const { return *table_; }
  const std::string& path() const { return path_; }

 private:
  Library(std::string path, const tp_library* table) : path_(std::move(path)), table_(table) {}

  const std::string path_;
  const tp_library* const table_;
};

}  // namespace torchport
