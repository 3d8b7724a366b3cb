#include "tp.h"
#include "loops.h"

// remainder.Scalar, eq.Scalar, gt.Scalar, bitwise_and.Tensor, where.self
KERNEL kernel_0(void** p, const int64_t* n) {
  const int64_t* a0 = (const int64_t*)p[0];
  const float* a1 = (const float*)p[1];
  int64_t* o0 = (int64_t*)p[2];
  {
    for (int64_t u = 0; u < 1; ++u) {
      tp::over<1>(0, 50, [&](int64_t i0, auto m, auto k) {
        const i64 t0 = tp::load(a0 + i0, m);
        const i64 t1 = tp::mod(t0, i64(int64_t(7)));
        const b1 t2 = t1 == i64(int64_t(3));
        const f32 t3 = tp::load(a1 + i0, m);
        const b1 t4 = t3 > f32(0.0f);
        const b1 t5 = t2 & t4;
        const i64 t6 = -t0;
        const i64 t7 = tp::where(t5, t0, t6);
        tp::store(o0 + i0, t7, m);
      });
    }
  }
}
