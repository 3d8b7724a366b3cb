// SIMD values of one fixed lane count for every element type, so that a float, an int64 index and a mask of
// one loop iteration line up lane by lane. Written on GCC/Clang vector extensions, which serve any target;
// AVX-512 and AVX2 instructions are named where the compilers do not find them by themselves.
//
//   tp::lanes                 lanes of every vec: 16 (AVX-512), 8 (AVX2), 4 (anything else)
//   tp::vec<T>                T: float double int8_t uint8_t int16_t int32_t int64_t; vec<bool> is a mask
//   tp::bf16, tp::f16         storage types: load() widens to vec<float>, store() rounds to nearest even
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define TP_AVX512 1
#elif defined(__AVX2__) && defined(__FMA__)
#define TP_AVX2 1
#endif
#if defined(TP_AVX512) || defined(TP_AVX2)
#include <immintrin.h>
#endif

#define TP_INLINE inline __attribute__((always_inline))

namespace tp {

#if defined(TP_AVX512)
constexpr int lanes = 16, register_bytes = 64;
#elif defined(TP_AVX2)
constexpr int lanes = 8, register_bytes = 32;
#else
constexpr int lanes = 4, register_bytes = 16;
#endif

struct bf16 {
  uint16_t bits;
};
struct f16 {
  uint16_t bits;
};

// `pack<T, n>`: n lanes as one compiler vector.
template <class T, int n>
struct pack_of {
  typedef T type __attribute__((vector_size(n * sizeof(T))));
};
template <class T, int n>
using pack = typename pack_of<T, n>::type;

// `bits_of<T>`: the unsigned integer that T's arithmetic wraps in, or that holds its bit pattern.
template <int size>
struct unsigned_of;
template <>
struct unsigned_of<1> {
  typedef uint8_t type;
};
template <>
struct unsigned_of<2> {
  typedef uint16_t type;
};
template <>
struct unsigned_of<4> {
  typedef uint32_t type;
};
template <>
struct unsigned_of<8> {
  typedef uint64_t type;
};
template <class T>
using bits_of = typename unsigned_of<sizeof(T)>::type;
template <class T>
constexpr bool is_float = false;
template <>
constexpr bool is_float<float> = true;
template <>
constexpr bool is_float<double> = true;

template <class T>
constexpr int lanes_per_register =
    lanes * int(sizeof(T)) <= register_bytes ? lanes : register_bytes / int(sizeof(T));

// The two halves of a compiler vector, and the vector of two halves.
template <class T, int n>
TP_INLINE pack<T, n / 2> half_of(pack<T, n> a, int which) {
  pack<T, n / 2> part;
  memcpy(&part, (const char*)&a + which * sizeof(part), sizeof(part));
  return part;
}
template <class T, int n>
TP_INLINE pack<T, 2 * n> join(pack<T, n> low, pack<T, n> high) {
#if defined(__has_builtin) && __has_builtin(__builtin_shufflevector)
  if constexpr (n == 8)
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  else if constexpr (n == 4)
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
  else
    return __builtin_shufflevector(low, high, 0, 1, 2, 3);
#else
  pack<T, 2 * n> both;
  memcpy(&both, &low, sizeof(low));
  memcpy((char*)&both + sizeof(low), &high, sizeof(high));
  return both;
#endif
}

// A vec is one register, or two for 8-byte elements.
template <class T>
struct vec {
  static constexpr int per = lanes_per_register<T>, regs = lanes / per;
  using element = T;
  using reg = pack<T, per>;
  using wrapped = pack<bits_of<T>, per>;
  reg r[regs];

  vec() = default;
  TP_INLINE vec(T x) {
    for (int k = 0; k < regs; ++k) r[k] = x - reg{};  // x - 0 keeps the sign of zero, x + 0 would not
  }
  TP_INLINE T operator[](int lane) const { return r[lane / per][lane % per]; }
  TP_INLINE void set(int lane, T x) { r[lane / per][lane % per] = x; }

#define TP_BINARY(op)                                                           \
  friend TP_INLINE vec operator op(vec a, vec b) {                              \
    for (int k = 0; k < regs; ++k) {                                            \
      if constexpr (is_float<T>)                                                \
        a.r[k] = a.r[k] op b.r[k];                                              \
      else                                                                      \
        a.r[k] = (reg)((wrapped)a.r[k] op(wrapped) b.r[k]); /* integers wrap */ \
    }                                                                           \
    return a;                                                                   \
  }
  TP_BINARY(+)
  TP_BINARY(-)
  TP_BINARY(*)
#undef TP_BINARY
  // Division of floats. Integers divide by floordiv() or truncdiv().
  friend TP_INLINE vec operator/(vec a, vec b) {
    static_assert(is_float<T>, "integers divide by floordiv() or truncdiv()");
    for (int k = 0; k < regs; ++k) a.r[k] = a.r[k] / b.r[k];
    return a;
  }
  friend TP_INLINE vec operator-(vec a) {
    for (int k = 0; k < regs; ++k) {
      if constexpr (is_float<T>)
        a.r[k] = -a.r[k];
      else
        a.r[k] = (reg)(-(wrapped)a.r[k]);
    }
    return a;
  }
#define TP_BITWISE(op)                                                                 \
  friend TP_INLINE vec operator op(vec a, vec b) {                                     \
    for (int k = 0; k < regs; ++k) a.r[k] = (reg)((wrapped)a.r[k] op(wrapped) b.r[k]); \
    return a;                                                                          \
  }
  TP_BITWISE(&)
  TP_BITWISE(|)
  TP_BITWISE(^)
#undef TP_BITWISE
  friend TP_INLINE vec operator~(vec a) {
    for (int k = 0; k < regs; ++k) a.r[k] = (reg)(~(wrapped)a.r[k]);
    return a;
  }
  TP_INLINE vec& operator+=(vec b) { return *this = *this + b; }
  TP_INLINE vec& operator*=(vec b) { return *this = *this * b; }
};

// A mask. Lanes hold true or false; loads from and stores to bool memory write 0 and 1.
template <>
struct vec<bool> {
  using element = bool;
#if defined(TP_AVX512)
  uint16_t m;
  vec() = default;
  TP_INLINE vec(bool x) : m(x ? 0xffff : 0) {}
  TP_INLINE bool operator[](int lane) const { return m >> lane & 1; }
  TP_INLINE void set(int lane, bool x) { m = uint16_t((m & ~(1u << lane)) | unsigned(x) << lane); }
  static TP_INLINE vec from_bits(unsigned bits) {
    vec v;
    v.m = uint16_t(bits);
    return v;
  }
  friend TP_INLINE vec operator&(vec a, vec b) { return from_bits(a.m & b.m); }
  friend TP_INLINE vec operator|(vec a, vec b) { return from_bits(a.m | b.m); }
  friend TP_INLINE vec operator^(vec a, vec b) { return from_bits(a.m ^ b.m); }
  friend TP_INLINE vec operator!(vec a) { return from_bits(~unsigned(a.m)); }
#else
  pack<int32_t, lanes> m;  // -1 or 0
  vec() = default;
  TP_INLINE vec(bool x) { m = (x ? -1 : 0) - pack<int32_t, lanes>{}; }
  TP_INLINE bool operator[](int lane) const { return m[lane] != 0; }
  TP_INLINE void set(int lane, bool x) { m[lane] = x ? -1 : 0; }
  static TP_INLINE vec of(pack<int32_t, lanes> m) {
    vec v;
    v.m = m;
    return v;
  }
  friend TP_INLINE vec operator&(vec a, vec b) { return of(a.m & b.m); }
  friend TP_INLINE vec operator|(vec a, vec b) { return of(a.m | b.m); }
  friend TP_INLINE vec operator^(vec a, vec b) { return of(a.m ^ b.m); }
  friend TP_INLINE vec operator!(vec a) { return of(~a.m); }
#endif
};

TP_INLINE bool any(vec<bool> a) {
#if defined(TP_AVX512)
  return a.m != 0;
#elif defined(TP_AVX2)
  return _mm256_movemask_ps((__m256)a.m) != 0;
#else
  bool found = false;
  for (int i = 0; i < lanes; ++i) found |= a[i];
  return found;
#endif
}
TP_INLINE bool all(vec<bool> a) {
  return !any(!a);
}

// The first n lanes true; n may be anything.
TP_INLINE vec<bool> first_lanes(int64_t n) {
#if defined(TP_AVX512)
  return vec<bool>::from_bits(n >= lanes ? 0xffffu : n <= 0 ? 0u : (1u << n) - 1);
#else
  vec<bool> v;
  for (int i = 0; i < lanes; ++i) v.m[i] = i < n ? -1 : 0;
  return v;
#endif
}

// start, start + 1, ...
template <class T = int64_t>
TP_INLINE vec<T> iota(T start = 0) {
  vec<T> v;
  for (int i = 0; i < lanes; ++i) v.r[i / vec<T>::per][i % vec<T>::per] = T(i);
  return v + vec<T>(start);
}

template <class T>
TP_INLINE T first(vec<T> a) {
  return a[0];
}

// --- comparison and selection ------------------------------------------------------------------------

#if defined(TP_AVX512)
// Predicates of VCMPPS/VCMPPD (quiet, != true on NaN) and of VPCMP.
enum compare_op { EQ, NE, LT, LE, GT, GE };
constexpr int float_predicate[] = {0, 4, 17, 18, 30, 29};
constexpr int integer_predicate[] = {0, 4, 1, 2, 6, 5};
template <compare_op op>
TP_INLINE unsigned compare(pack<float, 16> a, pack<float, 16> b) {
  return _mm512_cmp_ps_mask((__m512)a, (__m512)b, float_predicate[op]);
}
template <compare_op op>
TP_INLINE unsigned compare(pack<double, 8> a, pack<double, 8> b) {
  return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, float_predicate[op]);
}
#define TP_COMPARE(T, n, raw, call)                        \
  template <compare_op op>                                 \
  TP_INLINE unsigned compare(pack<T, n> a, pack<T, n> b) { \
    return call((raw)a, (raw)b, integer_predicate[op]);    \
  }
TP_COMPARE(int8_t, 16, __m128i, _mm_cmp_epi8_mask)
TP_COMPARE(uint8_t, 16, __m128i, _mm_cmp_epu8_mask)
TP_COMPARE(int16_t, 16, __m256i, _mm256_cmp_epi16_mask)
TP_COMPARE(int32_t, 16, __m512i, _mm512_cmp_epi32_mask)
TP_COMPARE(int64_t, 8, __m512i, _mm512_cmp_epi64_mask)
#undef TP_COMPARE
// Masks of two registers are joined by KUNPCKBW, which reads 8 bits of each. GCC 12 keeps a mask of 8 bits as
// a byte in memory and reads it back as four where shifts and ors join them: what lies beside it enters the
// mask.
#define TP_COMPARISON(op, name)                                                           \
  template <class T>                                                                      \
  TP_INLINE vec<bool> operator op(vec<T> a, vec<T> b) {                                   \
    if constexpr (vec<T>::regs == 1)                                                      \
      return vec<bool>::from_bits(compare<name>(a.r[0], b.r[0]));                         \
    else                                                                                  \
      return vec<bool>::from_bits(                                                        \
          _mm512_kunpackb(compare<name>(a.r[1], b.r[1]), compare<name>(a.r[0], b.r[0]))); \
  }
#define TP_BLEND(T, n, raw, call)                                      \
  TP_INLINE pack<T, n> blend(unsigned m, pack<T, n> a, pack<T, n> b) { \
    return (pack<T, n>)call(m, (raw)b, (raw)a);                        \
  }
TP_BLEND(float, 16, __m512, _mm512_mask_blend_ps)
TP_BLEND(double, 8, __m512d, _mm512_mask_blend_pd)
TP_BLEND(int8_t, 16, __m128i, _mm_mask_blend_epi8)
TP_BLEND(uint8_t, 16, __m128i, _mm_mask_blend_epi8)
TP_BLEND(int16_t, 16, __m256i, _mm256_mask_blend_epi16)
TP_BLEND(int32_t, 16, __m512i, _mm512_mask_blend_epi32)
TP_BLEND(int64_t, 8, __m512i, _mm512_mask_blend_epi64)
#undef TP_BLEND
#else
// The part of a mask that goes with register k of a vec<T>.
template <class T>
TP_INLINE pack<int32_t, lanes_per_register<T>> mask_part(vec<bool> m, int k) {
  if constexpr (vec<T>::regs == 1)
    return m.m;
  else
    return half_of<int32_t, lanes>(m.m, k);
}
#define TP_COMPARISON(op, name)                                                                          \
  template <class T>                                                                                     \
  TP_INLINE vec<bool> operator op(vec<T> a, vec<T> b) {                                                  \
    typedef pack<int32_t, vec<T>::per> part;                                                             \
    if constexpr (vec<T>::regs == 1)                                                                     \
      return vec<bool>::of(__builtin_convertvector(a.r[0] op b.r[0], part));                             \
    else                                                                                                 \
      return vec<bool>::of(join<int32_t, vec<T>::per>(__builtin_convertvector(a.r[0] op b.r[0], part),   \
                                                      __builtin_convertvector(a.r[1] op b.r[1], part))); \
  }
#endif
TP_COMPARISON(==, EQ)
TP_COMPARISON(!=, NE)
TP_COMPARISON(<, LT)
TP_COMPARISON(<=, LE)
TP_COMPARISON(>, GT)
TP_COMPARISON(>=, GE)
#undef TP_COMPARISON

// m ? a : b, lane by lane.
template <class T>
TP_INLINE vec<T> where(vec<bool> m, vec<T> a, vec<T> b) {
  vec<T> v;
  for (int k = 0; k < vec<T>::regs; ++k) {
#if defined(TP_AVX512)
    v.r[k] = blend(m.m >> (k * vec<T>::per), a.r[k], b.r[k]);
#else
    typedef decltype(a.r[k] == b.r[k]) wide;
    v.r[k] = __builtin_convertvector(mask_part<T>(m, k), wide) ? a.r[k] : b.r[k];
#endif
  }
  return v;
}
template <class T>
TP_INLINE T where(bool m, T a, T b) {
  return m ? a : b;
}
TP_INLINE vec<bool> where(vec<bool> m, vec<bool> a, vec<bool> b) {
  return (m & a) | ((!m) & b);
}
TP_INLINE vec<bool> operator==(vec<bool> a, vec<bool> b) {
  return !(a ^ b);
}
TP_INLINE vec<bool> operator!=(vec<bool> a, vec<bool> b) {
  return a ^ b;
}

// --- casts -------------------------------------------------------------------------------------------

template <class To, class From>
struct caster {
  // Floats reach narrow integers by way of int32 or int64 and drop high bits, as PyTorch's casts do on x86.
  static TP_INLINE vec<To> run(vec<From> a) {
    if constexpr (is_float<From> && !is_float<To> && sizeof(To) < 4) {
      return caster<To, int32_t>::run(caster<int32_t, From>::run(a));
    } else {
      constexpr int half = lanes / 2;
      vec<To> v;
      if constexpr (vec<From>::regs == vec<To>::regs) {
        for (int k = 0; k < vec<To>::regs; ++k)
          v.r[k] = __builtin_convertvector(a.r[k], typename vec<To>::reg);
      } else if constexpr (vec<To>::regs == 2) {
        for (int k = 0; k < 2; ++k)
          v.r[k] = __builtin_convertvector(half_of<From, lanes>(a.r[0], k), pack<To, half>);
      } else {
        v.r[0] = join<To, half>(__builtin_convertvector(a.r[0], pack<To, half>),
                                __builtin_convertvector(a.r[1], pack<To, half>));
      }
      return v;
    }
  }
};
template <class T>
struct caster<T, T> {
  static TP_INLINE vec<T> run(vec<T> a) { return a; }
};
template <class To>
struct caster<To, bool> {
  static TP_INLINE vec<To> run(vec<bool> a) { return where(a, vec<To>(To(1)), vec<To>(To(0))); }
};
template <class From>
struct caster<bool, From> {
  static TP_INLINE vec<bool> run(vec<From> a) { return a != vec<From>(From(0)); }
};
template <>
struct caster<bool, bool> {
  static TP_INLINE vec<bool> run(vec<bool> a) { return a; }
};

// The value of a in another element type: floats truncate toward zero, integers drop high bits, bool is != 0.
template <class To, class From>
TP_INLINE vec<To> cast(vec<From> a) {
  return caster<To, From>::run(a);
}
template <class To, class From>
TP_INLINE To cast(From a) {
  if constexpr (is_float<From> && !is_float<To> && !__is_same(To, bool))
    return first(caster<To, From>::run(vec<From>(a)));
  else
    return To(a);
}

// The bits of a as another type of the same size.
template <class To, class From>
TP_INLINE vec<To> bitcast(vec<From> a) {
  static_assert(sizeof(To) == sizeof(From), "bitcast keeps the size");
  vec<To> v;
  for (int k = 0; k < vec<To>::regs; ++k) v.r[k] = (typename vec<To>::reg)a.r[k];
  return v;
}

template <class To, class From>
TP_INLINE To bitcast(From a) {
  static_assert(sizeof(To) == sizeof(From), "bitcast keeps the size");
  To b;
  memcpy(&b, &a, sizeof(b));
  return b;
}

// --- half precision as storage -----------------------------------------------------------------------

TP_INLINE vec<float> widen_bf16(pack<uint16_t, lanes> bits) {
  vec<float> v;
  v.r[0] = (pack<float, lanes>)(__builtin_convertvector(bits, pack<uint32_t, lanes>) << 16);
  return v;
}
TP_INLINE pack<uint16_t, lanes> narrow_bf16(vec<float> a) {
  typedef pack<uint32_t, lanes> words;
  words bits = (words)a.r[0];
  words rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  words nan = (words)(a.r[0] != a.r[0]);
  return __builtin_convertvector((nan & 0x7fc0) | (~nan & rounded), pack<uint16_t, lanes>);
}
TP_INLINE vec<float> widen_f16(pack<uint16_t, lanes> bits) {
  vec<float> v;
#if defined(TP_AVX512)
  v.r[0] = (pack<float, lanes>)_mm512_cvtph_ps((__m256i)bits);
#elif defined(TP_AVX2) && defined(__F16C__)
  v.r[0] = (pack<float, lanes>)_mm256_cvtph_ps((__m128i)bits);
#else
  // Exponent and mantissa moved into place and rescaled by 2^112, which also normalises denormals.
  typedef pack<uint32_t, lanes> words;
  words h = __builtin_convertvector(bits, words), sign = (h & 0x8000) << 16, magnitude = (h & 0x7fff) << 13;
  pack<float, lanes> scaled = (pack<float, lanes>)magnitude * 0x1p112f;
  words special = (words)(magnitude >= 0x0f800000u);  // infinity and NaN keep an all-ones exponent
  v.r[0] = (pack<float, lanes>)(sign | (special & (magnitude | 0x7f800000u)) | (~special & (words)scaled));
#endif
  return v;
}
TP_INLINE pack<uint16_t, lanes> narrow_f16(vec<float> a) {
#if defined(TP_AVX512)
  return (pack<uint16_t, lanes>)_mm512_cvtps_ph((__m512)a.r[0], 0);
#elif defined(TP_AVX2) && defined(__F16C__)
  return (pack<uint16_t, lanes>)_mm256_cvtps_ph((__m256)a.r[0], 0);
#else
  typedef pack<uint32_t, lanes> words;
  words bits = (words)a.r[0], sign = bits >> 16 & 0x8000, x = bits & 0x7fffffff;
  words normal = (x - (112u << 23) + 0xfff + (x >> 13 & 1)) >> 13;
  // Below 2^-14 the float adder rounds to the spacing of half denormals, 2^-24.
  pack<float, lanes> shifted = (pack<float, lanes>)x + 0.5f;
  words denormal = (words)shifted - 0x3f000000u;
  words small = (words)(x < (113u << 23)), large = (words)(x >= 0x47800000u), nan = (words)(x > 0x7f800000u);
  words finite = (small & denormal) | (~small & normal);
  words h = (nan & 0x7e00) | (~nan & ((large & 0x7c00) | (~large & finite)));
  return __builtin_convertvector(h | sign, pack<uint16_t, lanes>);
#endif
}
TP_INLINE vec<float> widen(pack<uint16_t, lanes> bits, bf16) {
  return widen_bf16(bits);
}
TP_INLINE vec<float> widen(pack<uint16_t, lanes> bits, f16) {
  return widen_f16(bits);
}
TP_INLINE pack<uint16_t, lanes> narrow(vec<float> a, bf16) {
  return narrow_bf16(a);
}
TP_INLINE pack<uint16_t, lanes> narrow(vec<float> a, f16) {
  return narrow_f16(a);
}

// The float that storing a as H (bf16 or f16) and loading it again would give.
template <class H>
TP_INLINE vec<float> round_to(vec<float> a) {
  return widen(narrow(a, H{}), H{});
}
template <class H>
TP_INLINE float round_to(float a) {
  return first(round_to<H>(vec<float>(a)));
}

}  // namespace tp
