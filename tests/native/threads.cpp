// A C++ kernel library: concurrency, and exceptions that a kernel must not, but may, let out.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include "torchport/kernel.h"

namespace {

std::mutex mutex;
std::condition_variable arrival;
int waiting = 0;

tp_status prepare_scratch(const tp_prepare_args*, tp_prepare_result* result, tp_error*) {
  result->workspace_size = 16;
  return TP_OK;
}

// Returns once two runs are inside at the same time; out (int64) = address of the workspace.
tp_status meet(const tp_run_args* args, tp_error* error) {
  std::unique_lock<std::mutex> lock(mutex);
  ++waiting;
  arrival.notify_all();
  if (!arrival.wait_for(lock, std::chrono::seconds(20), [] { return waiting >= 2; }))
    return tp_fail(error, TP_INTERNAL_ERROR, "nobody else came");
  *static_cast<int64_t*>(tp_data(args->outputs[0])) = reinterpret_cast<int64_t>(args->workspace);
  return TP_OK;
}

tp_status throws(const tp_run_args*, tp_error*) {
  throw std::runtime_error("out of cheese");
}

tp_status throws_early(const tp_prepare_args*, tp_prepare_result*, tp_error*) {
  throw std::runtime_error("out of milk");
}

const tp_kernel kMeet = {sizeof(tp_kernel), 0, "meet", prepare_scratch, meet, nullptr, nullptr};
const tp_kernel kThrows = {sizeof(tp_kernel), 0, "throws", nullptr, throws, nullptr, nullptr};
const tp_kernel kThrowsEarly = {sizeof(tp_kernel), 0, "throws_early", throws_early, throws, nullptr, nullptr};
const tp_kernel* const kKernels[] = {&kMeet, &kThrows, &kThrowsEarly};
const tp_library kLibrary = {sizeof(tp_library), TP_ABI_MAJOR, TP_ABI_MINOR, 3,
                             "threads",          "0.1",        kKernels,     nullptr};

}  // namespace

TP_EXPORT const tp_library* tp_library_get(void) {
  return &kLibrary;
}
