// Loads, stores, gathers and scatters of tp::vec. `n` is a count of leading lanes: lanes past it are neither
// read nor written, and a load gives them 0. No address needs alignment.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "vec.h"

namespace tp {

// What a load from T gives: the element type of the vec.
template <class T>
struct loaded {
  typedef T type;
};
template <>
struct loaded<bf16> {
  typedef float type;
};
template <>
struct loaded<f16> {
  typedef float type;
};
template <class T>
using loaded_t = typename loaded<T>::type;

template <class T>
TP_INLINE vec<T> load(const T* p) {
  vec<T> v;
  for (int k = 0; k < vec<T>::regs; ++k) memcpy(&v.r[k], p + k * vec<T>::per, sizeof(v.r[k]));
  return v;
}
template <class T>
TP_INLINE void store(T* p, vec<T> v) {
  for (int k = 0; k < vec<T>::regs; ++k) memcpy(p + k * vec<T>::per, &v.r[k], sizeof(v.r[k]));
}

#if defined(TP_AVX512)
#define TP_MASKED(T, n, raw, load_call, store_call)             \
  TP_INLINE pack<T, n> load_masked(const T* p, unsigned m) {    \
    return (pack<T, n>)load_call(m, p);                         \
  }                                                             \
  TP_INLINE void store_masked(T* p, unsigned m, pack<T, n> v) { \
    store_call(p, m, (raw)v);                                   \
  }
TP_MASKED(float, 16, __m512, _mm512_maskz_loadu_ps, _mm512_mask_storeu_ps)
TP_MASKED(double, 8, __m512d, _mm512_maskz_loadu_pd, _mm512_mask_storeu_pd)
TP_MASKED(int8_t, 16, __m128i, _mm_maskz_loadu_epi8, _mm_mask_storeu_epi8)
TP_MASKED(uint8_t, 16, __m128i, _mm_maskz_loadu_epi8, _mm_mask_storeu_epi8)
TP_MASKED(int16_t, 16, __m256i, _mm256_maskz_loadu_epi16, _mm256_mask_storeu_epi16)
TP_MASKED(uint16_t, 16, __m256i, _mm256_maskz_loadu_epi16, _mm256_mask_storeu_epi16)
TP_MASKED(int32_t, 16, __m512i, _mm512_maskz_loadu_epi32, _mm512_mask_storeu_epi32)
TP_MASKED(int64_t, 8, __m512i, _mm512_maskz_loadu_epi64, _mm512_mask_storeu_epi64)
#undef TP_MASKED
template <class T>
TP_INLINE vec<T> load(const T* p, vec<bool> m) {
  vec<T> v;
  for (int k = 0; k < vec<T>::regs; ++k) v.r[k] = load_masked(p + k * vec<T>::per, m.m >> (k * vec<T>::per));
  return v;
}
template <class T>
TP_INLINE void store(T* p, vec<T> v, vec<bool> m) {
  for (int k = 0; k < vec<T>::regs; ++k) store_masked(p + k * vec<T>::per, m.m >> (k * vec<T>::per), v.r[k]);
}
TP_INLINE pack<uint16_t, lanes> load_bits(const uint16_t* p, vec<bool> m) {
  return load_masked(p, m.m);
}
TP_INLINE void store_bits(uint16_t* p, pack<uint16_t, lanes> v, vec<bool> m) {
  store_masked(p, m.m, v);
}
#else
template <class T>
TP_INLINE vec<T> load(const T* p, vec<bool> m) {
  vec<T> v(T(0));
  for (int i = 0; i < lanes; ++i)
    if (m[i]) v.set(i, p[i]);
  return v;
}
template <class T>
TP_INLINE void store(T* p, vec<T> v, vec<bool> m) {
  for (int i = 0; i < lanes; ++i)
    if (m[i]) p[i] = v[i];
}
TP_INLINE pack<uint16_t, lanes> load_bits(const uint16_t* p, vec<bool> m) {
  pack<uint16_t, lanes> v{};
  for (int i = 0; i < lanes; ++i)
    if (m[i]) v[i] = p[i];
  return v;
}
TP_INLINE void store_bits(uint16_t* p, pack<uint16_t, lanes> v, vec<bool> m) {
  for (int i = 0; i < lanes; ++i)
    if (m[i]) p[i] = v[i];
}
#endif

// bool memory: one byte a lane, 0 or 1.
TP_INLINE vec<bool> load(const bool* p) {
  return load((const uint8_t*)p) != vec<uint8_t>(uint8_t(0));
}
TP_INLINE vec<bool> load(const bool* p, vec<bool> m) {
  return load((const uint8_t*)p, m) != vec<uint8_t>(uint8_t(0));
}
TP_INLINE void store(bool* p, vec<bool> v) {
  store((uint8_t*)p, cast<uint8_t>(v));
}
TP_INLINE void store(bool* p, vec<bool> v, vec<bool> m) {
  store((uint8_t*)p, cast<uint8_t>(v), m);
}

#define TP_HALF(H)                                        \
  TP_INLINE vec<float> load(const H* p) {                 \
    pack<uint16_t, lanes> bits;                           \
    memcpy(&bits, p, sizeof(bits));                       \
    return widen(bits, H{});                              \
  }                                                       \
  TP_INLINE vec<float> load(const H* p, vec<bool> m) {    \
    return widen(load_bits(&p->bits, m), H{});            \
  }                                                       \
  TP_INLINE void store(H* p, vec<float> v) {              \
    pack<uint16_t, lanes> bits = narrow(v, H{});          \
    memcpy(p, &bits, sizeof(bits));                       \
  }                                                       \
  TP_INLINE void store(H* p, vec<float> v, vec<bool> m) { \
    store_bits(&p->bits, narrow(v, H{}), m);              \
  }
TP_HALF(bf16)
TP_HALF(f16)
#undef TP_HALF

template <class T>
TP_INLINE vec<loaded_t<T>> load(const T* p, int64_t n) {
  return load(p, first_lanes(n));
}
template <class T>
TP_INLINE void store(T* p, vec<loaded_t<T>> v, int64_t n) {
  store(p, v, first_lanes(n));
}

// --- one element -------------------------------------------------------------------------------------

template <class T>
TP_INLINE loaded_t<T> load_one(const T* p) {
  if constexpr (sizeof(loaded_t<T>) == sizeof(T))
    return *p;
  else
    return first(widen(pack<uint16_t, lanes>{p->bits}, T{}));
}
template <class T>
TP_INLINE void store_one(T* p, loaded_t<T> x) {
  if constexpr (sizeof(loaded_t<T>) == sizeof(T))
    *p = x;
  else
    p->bits = narrow(vec<float>(x), T{})[0];
}

// --- indexed -----------------------------------------------------------------------------------------

// base[index[i]] in each lane where m holds, 0 elsewhere; index counts elements of T.
template <class T>
TP_INLINE vec<loaded_t<T>> gather(const T* base, vec<int64_t> index, vec<bool> m) {
#if defined(TP_AVX512)
  if constexpr (sizeof(T) == 4) {
    __m256i low = _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), m.m, (__m512i)index.r[0], base, 4);
    __m256i high =
        _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), m.m >> 8, (__m512i)index.r[1], base, 4);
    vec<T> v;
    v.r[0] = (typename vec<T>::reg)_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    return v;
  } else if constexpr (sizeof(T) == 8) {
    vec<T> v;
    for (int k = 0; k < 2; ++k)
      v.r[k] = (typename vec<T>::reg)_mm512_mask_i64gather_epi64(_mm512_setzero_si512(), m.m >> (8 * k),
                                                                 (__m512i)index.r[k], base, 8);
    return v;
  }
#endif
  vec<loaded_t<T>> v(loaded_t<T>(0));
  for (int i = 0; i < lanes; ++i)
    if (m[i]) v.set(i, load_one(base + index[i]));
  return v;
}
template <class T>
TP_INLINE vec<loaded_t<T>> gather(const T* base, vec<int64_t> index) {
  return gather(base, index, vec<bool>(true));
}
template <class T>
TP_INLINE vec<loaded_t<T>> gather(const T* base, vec<int64_t> index, int64_t n) {
  return gather(base, index, first_lanes(n));
}

// p[0], p[stride], p[2 * stride], ...: the first n of them.
template <class T>
TP_INLINE vec<loaded_t<T>> load_strided(const T* p, int64_t stride, int64_t n = lanes) {
  return gather(p, iota<int64_t>() * vec<int64_t>(stride), n);
}

// base[index[i]] = v[i] in rising lane order for the lanes where m holds: with equal indices the last one
// stays.
template <class T>
TP_INLINE void scatter(T* base, vec<int64_t> index, vec<loaded_t<T>> v, vec<bool> m) {
  for (int i = 0; i < lanes; ++i)
    if (m[i]) store_one(base + index[i], v[i]);
}
template <class T>
TP_INLINE void scatter(T* base, vec<int64_t> index, vec<loaded_t<T>> v, int64_t n = lanes) {
  scatter(base, index, v, first_lanes(n));
}
template <class T>
TP_INLINE void store_strided(T* p, int64_t stride, vec<loaded_t<T>> v, int64_t n = lanes) {
  scatter(p, iota<int64_t>() * vec<int64_t>(stride), v, n);
}

}  // namespace tp
