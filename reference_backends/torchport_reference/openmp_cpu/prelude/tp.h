// Everything a generated kernel may use. Self-contained: no standard C++ header, no PyTorch.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "functions.h"
#include "memory.h"
