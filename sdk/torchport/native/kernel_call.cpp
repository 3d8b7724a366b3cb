#include "kernel_call.h"

#include <algorithm>
#include <exception>
#include <list>

#include "errors.h"
#include "inline_buffer.h"
#include "scalars.h"
#include "tensors.h"

namespace torchport {
namespace {

class GilRelease {
 public:
  GilRelease() : state_(PyEval_SaveThread()) {}
  ~GilRelease() { PyEval_RestoreThread(state_); }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

 private:
  PyThreadState* state_;
};

// A tuple of its own even when given one's list: another thread may change a list while the GIL is released.
py::tuple as_tuple(const py::object& values, const char* what) {
  PyObject* tuple = PySequence_Tuple(values.ptr());
  if (tuple != nullptr) return py::reinterpret_steal<py::tuple>(tuple);
  PyErr_Clear();
  throw py::type_error(std::string(what) + " must be a sequence, got " + Py_TYPE(values.ptr())->tp_name +
                       ".");
}

// Descriptors of a tuple of tensors; None becomes a NULL pointer.
class TensorList {
 public:
  TensorList(const Torch& torch, const py::tuple& tensors, const char* role)
      : tensors_(tensors.size()), pointers_(tensors.size()) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      PyObject* object = PyTuple_GET_ITEM(tensors.ptr(), i);
      pointers_[i] = nullptr;
      if (object == Py_None) continue;
      tp_tensor* tensor = &tensors_[i];
      read(torch, object, tensor, role, i);
      pointers_[i] = tensor;
    }
  }

  void set_aliases(const py::tuple& aliases, const TensorList& inputs);

  const tp_tensor* const* pointers() const { return pointers_.data(); }
  int32_t size() const { return static_cast<int32_t>(pointers_.size()); }

 private:
  void read(const Torch& torch, PyObject* object, tp_tensor* tensor, const char* role, size_t position);

  InlineBuffer<tp_tensor, 12> tensors_;
  InlineBuffer<const tp_tensor*, 12> pointers_;
  ViewKeeper keeper_;
};

void TensorList::read(const Torch& torch, PyObject* object, tp_tensor* tensor, const char* role,
                      size_t position) {
  tensor->struct_size = sizeof(tp_tensor);
  tensor->alias_of = -1;
  try {
    torch.view(object, &tensor->dl, &keeper_);
    torch.check_resolved(object, tensor->dl.dtype);
  } catch (const py::type_error& error) {
    throw py::type_error(role + std::to_string(position) + ": " + error.what());
  } catch (const UnresolvedView& error) {
    throw UnresolvedView(role + std::to_string(position) + ": " + error.what());
  }
}

void TensorList::set_aliases(const py::tuple& aliases, const TensorList& inputs) {
  if (aliases.size() == 0) return;
  if (aliases.size() != pointers_.size())
    throw py::value_error("aliases has " + std::to_string(aliases.size()) + " entries for " +
                          std::to_string(pointers_.size()) +
                          " outputs; give one input index or -1 for each.");
  for (size_t i = 0; i < aliases.size(); ++i) {
    const auto alias = aliases[i].cast<int32_t>();
    if (alias == -1) continue;
    if (alias < 0 || alias >= inputs.size() || inputs.pointers()[alias] == nullptr || pointers_[i] == nullptr)
      throw py::value_error("aliases[" + std::to_string(i) + "] is " + std::to_string(alias) +
                            ": an output that is given can alias an input that is given, or -1.");
    tensors_[i].alias_of = alias;
  }
}

// The device of a call: that of the first output, else of the first input, else the CPU.
struct Place {
  DLDevice device = {static_cast<decltype(DLDevice::device_type)>(TP_DEVICE_CPU), 0};
  PyObject* like = nullptr;  // a tensor there

  bool look_in(const TensorList& tensors, const py::tuple& objects) {
    for (int32_t i = 0; i < tensors.size(); ++i) {
      if (tensors.pointers()[i] == nullptr) continue;
      device = tensors.pointers()[i]->dl.device;
      like = PyTuple_GET_ITEM(objects.ptr(), i);
      return true;
    }
    return false;
  }
};

// Serves tp_allocator: allocates the outputs that were passed as None.
class OutputAllocator {
 public:
  OutputAllocator(const Torch& torch, const TensorList& outputs, PyObject* like)
      : torch_(torch), outputs_(outputs), like_(like) {
    allocator_.struct_size = sizeof(tp_allocator);
    allocator_.context = this;
    allocator_.allocate = &allocate;
  }
  OutputAllocator(const OutputAllocator&) = delete;
  OutputAllocator& operator=(const OutputAllocator&) = delete;

  const tp_allocator* allocator() const { return &allocator_; }

  // What Python raised while allocating is more telling than what the kernel made of it.
  void rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
  }

  // Index of an output that the kernel left unallocated; -1 none.
  int32_t missing() const {
    for (int32_t i = 0; i < outputs_.size(); ++i)
      if (outputs_.pointers()[i] == nullptr && find(i) == nullptr) return i;
    return -1;
  }

  py::tuple fill_in(const py::tuple& given) const {
    if (allocated_.empty()) return given;
    py::tuple all(given.size());
    for (size_t i = 0; i < given.size(); ++i) {
      const Allocated* own = find(static_cast<int32_t>(i));
      all[i] = own != nullptr ? own->object : py::object(given[i]);
    }
    return all;
  }

 private:
  struct Allocated {
    int32_t output;
    py::object object;
    tp_tensor tensor;
  };

  const Allocated* find(int32_t output) const {
    const auto found = std::find_if(allocated_.begin(), allocated_.end(),
                                    [output](const Allocated& entry) { return entry.output == output; });
    return found == allocated_.end() ? nullptr : &*found;
  }

  static tp_status allocate(void* context, int32_t output, int32_t ndim, const int64_t* shape,
                            DLDataType dtype, const tp_tensor** tensor, tp_error* error) {
    auto* self = static_cast<OutputAllocator*>(context);
    if (output < 0 || output >= self->outputs_.size() || self->outputs_.pointers()[output] != nullptr)
      return tp_fail(error, TP_INVALID_ARGUMENT, "output %d is not one to allocate", output);
    const py::gil_scoped_acquire gil;
    if (self->find(output) != nullptr)
      return tp_fail(error, TP_INVALID_ARGUMENT, "output %d was already allocated", output);
    try {
      *tensor = self->allocate_tensor(output, ndim, shape, dtype);
      return TP_OK;
    } catch (const std::exception& exception) {
      self->raised_ = std::current_exception();
      return tp_fail(error, TP_OUT_OF_MEMORY, "cannot allocate output %d: %s", output, exception.what());
    }
  }

  const tp_tensor* allocate_tensor(int32_t output, int32_t ndim, const int64_t* shape, DLDataType dtype) {
    py::tuple sizes(ndim);
    for (int32_t i = 0; i < ndim; ++i) sizes[i] = py::int_(shape[i]);
    Allocated entry{output, torch_.empty(sizes, dtype, like_), {}};
    entry.tensor.struct_size = sizeof(tp_tensor);
    entry.tensor.alias_of = -1;
    torch_.view(entry.object.ptr(), &entry.tensor.dl, &keeper_);
    allocated_.push_back(std::move(entry));
    return &allocated_.back().tensor;
  }

  const Torch& torch_;
  const TensorList& outputs_;
  PyObject* const like_;
  tp_allocator allocator_ = {};
  std::list<Allocated> allocated_;
  ViewKeeper keeper_;
  std::exception_ptr raised_;
};

}  // namespace

py::tuple Kernel::run(const py::object& inputs, const py::object& outputs, const py::object& scalars,
                      uintptr_t stream, const py::object& aliases) {
  const Torch& torch = Torch::get();
  const py::tuple input_objects = as_tuple(inputs, "inputs"), output_objects = as_tuple(outputs, "outputs");
  const py::tuple scalar_objects = as_tuple(scalars, "scalars");
  const TensorList input_list(torch, input_objects, "input ");
  TensorList output_list(torch, output_objects, "output ");
  output_list.set_aliases(as_tuple(aliases, "aliases"), input_list);
  const ScalarList scalar_list(scalar_objects);
  Place place;
  if (!place.look_in(output_list, output_objects)) place.look_in(input_list, input_objects);
  OutputAllocator allocator(torch, output_list, place.like);

  tp_run_args args = {};
  args.struct_size = sizeof(args);
  args.input_count = input_list.size();
  args.output_count = output_list.size();
  args.scalar_count = scalar_list.size();
  args.device = place.device;
  args.inputs = input_list.pointers();
  args.outputs = output_list.pointers();
  args.scalars = scalar_list.pointers();
  args.stream = reinterpret_cast<void*>(stream);
  args.allocator = allocator.allocator();

  const std::shared_ptr<const Prepared> prepared =
      kernel_.prepare == nullptr ? cache_.stateless() : prepare(args);
  const tp_prepare_result& needs = prepared->result;
  const WorkspacePool::Loan workspace = workspaces_.take(place.device, args.stream, needs.workspace_size,
                                                         needs.workspace_alignment, place.like);
  args.state = needs.state;
  args.workspace = workspace.address();
  args.workspace_size = needs.workspace_size;

  tp_error error = {};
  error.struct_size = sizeof(error);
  const tp_status status = call(args, &error);
  allocator.rethrow();
  if (status != TP_OK) raise_kernel_failed(*library_, kernel_, "run", status, error);
  const int32_t missing = allocator.missing();
  if (missing >= 0) {
    (void)tp_fail(&error, TP_INTERNAL_ERROR, "it returned without allocating output %d", missing);
    raise_kernel_failed(*library_, kernel_, "run", TP_INTERNAL_ERROR, error);
  }
  return allocator.fill_in(output_objects);
}

tp_status Kernel::call(const tp_run_args& args, tp_error* error) const {
  const GilRelease released;
  try {
    return kernel_.run(&args, error);
  } catch (const std::exception& exception) {
    return tp_fail(error, TP_INTERNAL_ERROR, "a C++ exception left the kernel: %s", exception.what());
  }
}

std::shared_ptr<const Prepared> Kernel::prepare(const tp_run_args& args) {
  tp_prepare_args shapes = {};
  shapes.struct_size = sizeof(shapes);
  shapes.input_count = args.input_count;
  shapes.output_count = args.output_count;
  shapes.scalar_count = args.scalar_count;
  shapes.device = args.device;
  shapes.inputs = args.inputs;
  shapes.outputs = args.outputs;
  shapes.scalars = args.scalars;
  const Signature signature(shapes);
  if (std::shared_ptr<const Prepared> found = cache_.find(signature)) return found;

  // A state must not depend on addresses, which differ from call to call: prepare does not get to see them.
  const size_t count = static_cast<size_t>(args.input_count) + args.output_count;
  InlineBuffer<tp_tensor, 12> tensors(count);
  InlineBuffer<const tp_tensor*, 12> pointers(count);
  for (size_t i = 0; i < count; ++i) {
    const size_t inputs = args.input_count;
    const tp_tensor* tensor = i < inputs ? args.inputs[i] : args.outputs[i - inputs];
    pointers[i] = nullptr;
    if (tensor == nullptr) continue;
    tensors[i] = *tensor;
    tensors[i].dl.data = nullptr;
    pointers[i] = &tensors[i];
  }
  shapes.inputs = pointers.data();
  shapes.outputs = pointers.data() + args.input_count;
  const GilRelease released;
  return cache_.prepare(signature, shapes);
}

KernelLibrary::KernelLibrary(const std::string& path, size_t cache_limit)
    : library_(Library::open(path)), cache_limit_(cache_limit) {
  if (cache_limit == 0) throw py::value_error("cache_limit must be at least 1.");
}

std::shared_ptr<Kernel> KernelLibrary::kernel(const std::string& name) {
  std::shared_ptr<Kernel>& kernel = kernels_[name];
  if (!kernel) {
    try {
      kernel = std::make_shared<Kernel>(library_, library_->kernel(name), cache_limit_);
    } catch (const UnknownKernel&) {
      kernels_.erase(name);
      throw;
    }
  }
  return kernel;
}

}  // namespace torchport
