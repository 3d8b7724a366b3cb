// Loop skeletons of generated kernels: full and partial vectors under one name, chunks, scratch memory,
// checks.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <stdlib.h>

#include "memory.h"

namespace tp {

// The lane count of a full vector. A partial one is an int64_t.
struct whole {};

TP_INLINE vec<bool> on(whole) {
  return vec<bool>(true);
}
TP_INLINE vec<bool> on(int64_t n) {
  return first_lanes(n);
}

template <class T>
TP_INLINE vec<loaded_t<T>> load(const T* p, whole) {
  return load(p);
}
template <class T, class N>
TP_INLINE vec<loaded_t<T>> load(const T* p, vec<bool> m, N n) {
  return load(p, m & on(n));
}
template <class T>
TP_INLINE void store(T* p, vec<loaded_t<T>> v, whole) {
  store(p, v);
}
template <class T>
TP_INLINE vec<loaded_t<T>> gather(const T* p, vec<int64_t> at, whole) {
  return gather(p, at);
}
template <class T, class N>
TP_INLINE vec<loaded_t<T>> gather(const T* p, vec<int64_t> at, vec<bool> m, N n) {
  return gather(p, at, m & on(n));
}
template <class T>
TP_INLINE void scatter(T* p, vec<int64_t> at, vec<loaded_t<T>> v, whole) {
  scatter(p, at, v, int64_t(lanes));
}
// One element in every lane.
template <class T>
TP_INLINE vec<loaded_t<T>> spread(const T* p) {
  return vec<loaded_t<T>>(load_one(p));
}
template <class T>
TP_INLINE vec<loaded_t<T>> spread(const T* p, vec<bool> m) {
  return vec<loaded_t<T>>(first(m) ? load_one(p) : loaded_t<T>(0));
}
// The lanes that count from a, the others from b.
template <class T>
TP_INLINE vec<T> take(whole, vec<T> a, vec<T>) {
  return a;
}
template <class T>
TP_INLINE vec<T> take(int64_t n, vec<T> a, vec<T> b) {
  return where(first_lanes(n), a, b);
}

template <int k>
struct constant {
  static constexpr int value = k;
};

// Calls f(i, lane count, accumulator number) for [begin, end); unroll is 1 or 4.
template <int unroll, class F>
TP_INLINE void over(int64_t begin, int64_t end, F f) {
  int64_t i = begin;
  if constexpr (unroll == 4)
    for (; i + 4 * lanes <= end; i += 4 * lanes) {
      f(i, whole{}, constant<0>{});
      f(i + lanes, whole{}, constant<1>{});
      f(i + 2 * lanes, whole{}, constant<2>{});
      f(i + 3 * lanes, whole{}, constant<3>{});
    }
  for (; i + lanes <= end; i += lanes) f(i, whole{}, constant<0>{});
  if (i < end) f(i, end - i, constant<0>{});
}

// How many chunks `count` iterations of `work` elements in all are cut into; depends on sizes alone.
TP_INLINE int64_t chunks(int64_t count, int64_t work) {
  int64_t wanted = work / 32768;
  if (wanted > 64) wanted = 64;
  if (wanted > count) wanted = count;
  return wanted < 1 ? 1 : wanted;
}

TP_INLINE int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}
TP_INLINE int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}
TP_INLINE int64_t blocks(int64_t count, int64_t size) {
  return (count + size - 1) / size;
}

// Uninitialised memory, aligned to a cache line.
template <class T>
struct scratch {
  T* data;
  explicit scratch(int64_t count)
      : data((T*)::aligned_alloc(64, (count * int64_t(sizeof(T)) + 64) / 64 * 64)) {}
  ~scratch() { ::free(data); }
  scratch(const scratch&) = delete;
  operator T*() const { return data; }
};

// Adds the sums of a block, in registers or in an array, to totals of a wider type; the block begins anew.
template <class W, class T, int n>
TP_INLINE void fold(vec<W>& total, vec<T> (&block)[n]) {
  for (vec<T>& sum : block) {
    total += cast<W>(sum);
    sum = vec<T>(T(0));
  }
}
template <class W, class T>
TP_INLINE void fold(W* totals, T* block, int64_t count) {
  for (int64_t c = 0; c < count; ++c) {
    totals[c] += W(block[c]);
    block[c] = 0;
  }
}

// An index read from memory; where it is out of range, `failed` is set to `code` and the lane gives 0.
template <class N>
TP_INLINE vec<int64_t> check(vec<int64_t> i, int64_t size, bool wrap, N n, int64_t& failed, int64_t code) {
  vec<int64_t> zero(int64_t(0)), top(size);
  if (wrap) i = where(i < zero, i + top, i);
  vec<bool> bad = ((i < zero) | (i >= top)) & on(n);
  if (any(bad)) {
    failed = code;
    return zero;
  }
  return i;
}
// The same where `live` holds; elsewhere the lane gives 0, whatever it is.
template <class N>
TP_INLINE vec<int64_t> check(vec<int64_t> i, int64_t size, bool wrap, N n, int64_t& failed, int64_t code,
                             vec<bool> live) {
  vec<int64_t> zero(int64_t(0)), top(size);
  if (wrap) i = where(i < zero, i + top, i);
  live = live & on(n);
  if (any(((i < zero) | (i >= top)) & live)) {
    failed = code;
    return zero;
  }
  return where(live, i, zero);
}

// Candidates of argmax (largest = true) and argmin: NaN first, then the value, then the lower position.
template <bool largest, class T>
TP_INLINE vec<bool> better(vec<T> a, vec<int64_t> i, vec<T> b, vec<int64_t> j) {
  vec<bool> nan_a = isnan(a), nan_b = isnan(b);
  vec<bool> ahead = (largest ? a > b : a < b) | (nan_a & !nan_b);
  return (ahead & !(nan_b & !nan_a)) | (((a == b) | (nan_a & nan_b)) & (i < j));
}
template <bool largest, class T>
TP_INLINE int64_t best_lane(vec<T> a, vec<int64_t> i) {
  int best = 0;
  for (int k = 1; k < lanes; ++k)
    if (first(better<largest>(vec<T>(a[k]), vec<int64_t>(i[k]), vec<T>(a[best]), vec<int64_t>(i[best]))))
      best = k;
  return best;
}

}  // namespace tp

// Short names of generated code.
#define KERNEL extern "C" __attribute__((visibility("default"))) void
using f32 = tp::vec<float>;
using f64 = tp::vec<double>;
using i64 = tp::vec<int64_t>;
using i32 = tp::vec<int32_t>;
using i16 = tp::vec<int16_t>;
using i8 = tp::vec<int8_t>;
using u8 = tp::vec<uint8_t>;
using b1 = tp::vec<bool>;
