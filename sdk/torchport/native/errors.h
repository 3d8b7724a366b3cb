// What a kernel library, a kernel or its caller can do wrong, each with its Python exception in module.cpp.
#pragma once

#include <stdexcept>
#include <string>

#include "torchport/kernel.h"

namespace torchport {

// The text says what was found and what was needed; the hint what to do. what() is both.
class KernelLibraryError : public std::runtime_error {
 public:
  KernelLibraryError(const std::string& message_, const std::string& hint_)
      : std::runtime_error(message_ + "; " + hint_ + "."), message(message_), hint(hint_) {}
  const std::string message;
  const std::string hint;
};

// The file is missing, is no shared library, or needs symbols that nobody provides.
class LibraryNotLoadable : public KernelLibraryError {
 public:
  using KernelLibraryError::KernelLibraryError;
};

// The file loads, yet is no kernel library of this ABI major, or its description is malformed.
class AbiMismatch : public KernelLibraryError {
 public:
  using KernelLibraryError::KernelLibraryError;
};

// The library has no kernel of that name.
class UnknownKernel : public KernelLibraryError {
 public:
  using KernelLibraryError::KernelLibraryError;
};

// prepare or run returned a status other than TP_OK, or broke a rule of the ABI.
class KernelFailed : public KernelLibraryError {
 public:
  KernelFailed(const std::string& message_, const std::string& hint_, tp_status status_, int32_t code_)
      : KernelLibraryError(message_, hint_), status(status_), code(code_) {}
  const tp_status status;
  const int32_t code;  // the kernel's own number
};

// A tensor is lazily conjugated or negated: its memory does not hold its values.
class UnresolvedView : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace torchport
