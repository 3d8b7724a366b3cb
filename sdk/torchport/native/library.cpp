#include "library.h"

#include <dlfcn.h>

#include <set>
#include <sstream>

#include "errors.h"

namespace torchport {
namespace {

constexpr const char* kSymbol = "tp_library_get";

// What a reader may count on in version 1.0 of each struct; fields appended later are asked for with TP_HAS.
constexpr size_t kLibrarySize10 = offsetof(tp_library, next) + sizeof(tp_library::next);
constexpr size_t kKernelSize10 = offsetof(tp_kernel, next) + sizeof(tp_kernel::next);

template <typename... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream stream;
  (stream << ... << parts);
  return stream.str();
}

[[noreturn]] void malformed(const std::string& path, const std::string& what) {
  throw AbiMismatch(text("kernel library ", path, ": ", what),
                    text("rebuild it against torchport/kernel.h ", TP_ABI_MAJOR, ".", TP_ABI_MINOR,
                         " and fill every field of the struct in"));
}

void check_kernels(const std::string& path, const tp_library& table) {
  if (table.kernel_count != 0 && table.kernels == nullptr)
    malformed(path, text("kernel_count is ", table.kernel_count, " and kernels is NULL"));
  std::set<std::string> names;
  for (uint32_t i = 0; i < table.kernel_count; ++i) {
    const tp_kernel* kernel = table.kernels[i];
    if (kernel == nullptr) malformed(path, text("kernels[", i, "] is NULL"));
    if (kernel->struct_size < kKernelSize10)
      malformed(path, text("kernels[", i, "].struct_size is ", kernel->struct_size, ", at least ",
                           kKernelSize10, " is needed"));
    if (kernel->name == nullptr || kernel->name[0] == '\0')
      malformed(path, text("kernels[", i, "] has no name"));
    if (kernel->run == nullptr) malformed(path, text("kernel '", kernel->name, "' has no run function"));
    if (!names.insert(kernel->name).second) malformed(path, text("kernel '", kernel->name, "' occurs twice"));
  }
}

// Order matters: only the first three fields keep their place across majors, so nothing else is read before
// them.
void check_table(const std::string& path, const tp_library* table) {
  if (table == nullptr) malformed(path, text(kSymbol, "() returned NULL"));
  if (table->abi_major != TP_ABI_MAJOR)
    throw AbiMismatch(text("kernel library ", path, " was built for kernel ABI ", table->abi_major, ".",
                           table->abi_minor, ", this torchport serves ", TP_ABI_MAJOR, ".x"),
                      table->abi_major < TP_ABI_MAJOR
                          ? "rebuild the library against the installed torchport/kernel.h"
                          : "update torchport, or rebuild against its torchport/kernel.h");
  if (table->struct_size < kLibrarySize10)
    malformed(path, text("tp_library.struct_size is ", table->struct_size, ", at least ", kLibrarySize10,
                         " is needed"));
  if (table->name == nullptr || table->version == nullptr) malformed(path, "name or version is NULL");
  check_kernels(path, *table);
}

}  // namespace

std::shared_ptr<const Library> Library::open(const std::string& path) {
  // A bare file name would be looked up in the system's library folders.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* image = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (image == nullptr) {
    const char* reason = dlerror();
    throw LibraryNotLoadable(
        text("cannot load kernel library ", path, ": ", reason ? reason : "no reason given"),
        "check that the file exists, was built for this machine, and that the libraries it "
        "links (ldd) are found");
  }
  auto get = reinterpret_cast<decltype(&tp_library_get)>(dlsym(image, kSymbol));
  if (get == nullptr) {
    dlclose(image);
    throw AbiMismatch(
        text("kernel library ", path, " exports no symbol ", kSymbol),
        "define it with TP_EXPORT const tp_library* tp_library_get(void), see torchport/kernel.h");
  }
  const tp_library* table = get();
  try {
    check_table(path, table);
  } catch (const AbiMismatch&) {
    dlclose(image);
    throw;
  }
  return std::shared_ptr<const Library>(new Library(path, table));
}

const tp_kernel& Library::kernel(const std::string& name) const {
  for (uint32_t i = 0; i < table_->kernel_count; ++i)
    if (name == table_->kernels[i]->name) return *table_->kernels[i];
  std::string known;
  for (const std::string& other : kernel_names()) known += (known.empty() ? "" : ", ") + other;
  throw UnknownKernel(text("kernel library ", table_->name, " ", table_->version, " (", path_,
                           ") has no kernel '", name, "'"),
                      text("it has: ", known.empty() ? "none" : known));
}

std::vector<std::string> Library::kernel_names() const {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < table_->kernel_count; ++i) names.emplace_back(table_->kernels[i]->name);
  return names;
}

}  // namespace torchport
