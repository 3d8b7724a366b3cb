#include "tp.h"
#include "loops.h"

// constant_pad_nd.default
KERNEL kernel_0(void** p, const int64_t* n) {
  const float* a0 = (const float*)p[0];
  float* o0 = (float*)p[1];
  {
    for (int64_t u = 0; u < 4; ++u) {
      const int64_t i0 = u;
      tp::over<1>(0, 33, [&](int64_t i1, auto m, auto k) {
        const i64 t0 = (i64(-1) + tp::iota<int64_t>(i1));
        const b1 t1 = t0 >= i64(int64_t(0));
        const b1 t2 = t0 < i64(int64_t(30));
        const b1 t3 = t1 & t2;
        const f32 t4 = tp::load(a0 + 30 * i0 + i1 + -1, t3, m);
        const f32 t5 = tp::where(t3, t4, f32(0.0f));
        tp::store(o0 + 33 * i0 + i1, t5, m);
      });
    }
  }
}

// cat.default
KERNEL kernel_1(void** p, const int64_t* n) {
  const float* a0 = (const float*)p[0];
  const float* a1 = (const float*)p[1];
  float* o0 = (float*)p[2];
  {
    for (int64_t u = 0; u < 4; ++u) {
      const int64_t i0 = u;
      tp::over<1>(0, 40, [&](int64_t i1, auto m, auto k) {
        const i64 t0 = tp::iota<int64_t>(i1);
        const b1 t1 = t0 < i64(int64_t(33));
        const f32 t2 = tp::load(a1 + 33 * i0 + i1, t1, m);
        const b1 t3 = t0 >= i64(int64_t(33));
        const f32 t4 = tp::load(a0 + 7 * i0 + i1 + -33, t3, m);
        const f32 t5 = tp::where(t1, t2, t4);
        tp::store(o0 + 40 * i0 + i1, t5, m);
      });
    }
  }
}

KERNEL batch_0(void** p, const int64_t* n) {
  { void* q[] = {p[0], p[2]}; kernel_0(q, n); }
  { void* q[] = {p[1], p[2], p[3]}; kernel_1(q, n); }
}
